"""The probe that the service finds when it is to keep a trace of a real run.

Two rules:

1. A real run is recorded, not judged: ``conform check`` judges the file.
2. The store's commits are told and its content is not read on the way, so
   ``backlog`` is not observed: the specification says what it must be.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from conformance.recorder import Recorder
from conformance.refinement.poll_registration import PollRegistrationView
from conformance.trace.writer import trace_text, write_trace
from matching.engine import Engine

__all__ = ["RunRecorder", "recorder"]

UNOBSERVED = frozenset({"backlog"})


class RunRecorder:
    """Records the run of one engine on the loop that is running."""

    def __init__(self, engine: Engine) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        self._host = str(engine.host)
        self._recorder = Recorder(lambda: loop.time() - began, hidden=UNOBSERVED)
        self._recorder.begin(PollRegistrationView(engine, tuple, self._recorder.books), self._host)

    def __call__(self, action: str, *args: str | int | tuple[str, ...]) -> None:
        self._recorder(action, *args)

    def write(self, path: Path, *, at_rest: bool) -> None:
        """Write the run so far as a trace, whole or not at all."""
        end = "quiescent" if at_rest else "stopped"
        header, steps, footer = self._recorder.trace(end=end, ids=self._ids(), target="matching")
        write_trace(path, trace_text(header, steps, footer))

    def _ids(self) -> dict[str, tuple[str, ...]]:
        """Every id that the run named, in the order of its first use."""
        found: dict[str, dict[str, None]] = {name: {} for name in ("Partition", "Version", "Worker", "Poll", "Task")}
        for step in self._recorder.steps:
            if step.action == "StartPoll":
                named = dict(zip(("Poll", "Worker", "Partition", "Version"), step.args, strict=True))
            elif step.action == "AddTask":
                named = dict(zip(("Task", "Partition", "Version"), step.args, strict=True))
            elif step.action in ("Load", "Unload"):
                named = {"Partition": step.args[1]}
            else:
                continue
            for name, value in named.items():
                found[name].setdefault(value)
        return {"Host": (self._host,), **{name: tuple(values) for name, values in found.items()}}


def recorder(engine: Engine) -> RunRecorder:
    """The factory behind the entry point ``matching.probe``."""
    return RunRecorder(engine)
