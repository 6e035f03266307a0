"""A trace file, from its first line to its verdict.

Three rules:

1. The file is streamed and never held: it is read once for the ids that come into
   being, once to be judged, and once more for the ids that it names, where several
   states fit.
2. An id that comes into being at a later step is a slot that was free before: the
   functions that a run shows need not mention it until then, and no step may name it.
3. What is wrong with the text, or does not fit the types, is a `TraceError` with
   its line; a trace that is cut short is judged as far as it goes, and is
   *undecided* (exit 4), unless what there is of it is already rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

import attrs

from conformance.judge import Judge, Leeway
from conformance.judging.orders import judge_orders
from conformance.judging.profile import Profile, seed_profile
from conformance.judging.verdict import TraceVerdict
from conformance.tla.values import Fn, make_function
from conformance.trace.errors import TraceError
from conformance.trace.header import Header
from conformance.trace.reader import TraceReader, open_trace
from conformance.trace.step import TraceStep

__all__ = ["Onlooker", "check_trace", "judge_for", "judge_steps", "shown_steps", "survey_trace", "trace_ids"]

_Told = tuple[TraceStep, dict[str, Any]]

BEGINNING_LINE: Final = 2
"""Where step 0 stands in a file."""

HOST: Final = "Host"
"""The constant that has the hosts of a run."""


class Onlooker(Protocol):
    """Sees each step once it was judged."""

    def watch(self, judge: Judge, told: Iterator[_Told]) -> Iterator[_Told]:
        """The same steps."""


def check_trace(
    path: Path,
    profile: Profile | None = None,
    leeway: Leeway | None = None,
    progress: Callable[[int], None] | None = None,
    onlooker: Onlooker | None = None,
) -> TraceVerdict:
    """Judge one file; ``progress`` is told how many steps were read, ``onlooker`` sees steps of one order."""
    profile = profile or seed_profile()
    survey = survey_trace(path, profile)
    leeway = attrs.evolve(leeway or Leeway(), named=lambda: named_in(path))
    with open_trace(path) as reader:
        judge = judge_for(reader.header, survey.ids, profile, leeway)
        told = _counted(shown_steps(reader, judge, survey.ids), progress)
        judge.begin(next(told)[1])
        if survey.concurrent and judge.divergence is None:
            judge_orders(judge, told)
        elif onlooker is not None:
            told = onlooker.watch(judge, told)
        for step, values in told:
            if judge.divergence is None:
                judge.step(step.action, step.args, values)
        if reader.footer is None:
            return judge.finish(None, reader.cut_short)
        return judge.finish(reader.footer.end, reader.footer.note)


@attrs.frozen
class Survey:
    """What is known of a trace once it was read."""

    ids: dict[str, list[str]]
    """Every id that comes into being, by the constant that it belongs to."""
    concurrent: bool
    """Whether some steps may have come in another order than that of the file."""


def survey_trace(path: Path, profile: Profile) -> Survey:
    """Read a trace for what its judge must know before it begins."""
    found: dict[str, list[str]] = {}
    concurrent = False
    moment: tuple[int | float | None, set[str]] = (None, set())
    with open_trace(path) as reader:
        for step in reader.steps():
            if step.begin_ms != step.end_ms:
                concurrent = concurrent or (step.begin_ms is not None and step.end_ms is not None)
            elif step.begin_ms is not None and step.host is not None:
                if step.begin_ms != moment[0]:
                    moment = (step.begin_ms, set())
                moment[1].add(step.host)
                concurrent = concurrent or len(moment[1]) > 1
            for name, ids in step.new.items():
                profile.admit(name)
                known = found.setdefault(name, [])
                twice = [each for each in ids if each in known]
                if twice:
                    raise TraceError(f"{name} {twice[0]} comes into being twice", line=reader.line)
                known.extend(ids)
        profile.refuse_parted(found, line=BEGINNING_LINE)
    return Survey(found, concurrent)


def trace_ids(path: Path, profile: Profile) -> dict[str, list[str]]:
    """Every id that comes into being in the trace, by the constant that it belongs to."""
    return survey_trace(path, profile).ids


def named_in(path: Path) -> frozenset[Any]:
    """Every id that an argument or a value of the trace names."""
    from conformance.tla.interchange import words_of

    named: set[Any] = set()
    with open_trace(path) as reader:
        for step in reader.steps():
            for value in (*(step.args or ()), *step.values.values()):
                named |= words_of(value)
    return frozenset(named)


def _counted(told: Iterator[_Told], progress: Callable[[int], None] | None) -> Iterator[_Told]:
    for each in told:
        yield each
        if progress is not None and each[0].step % 500 == 0:
            progress(each[0].step)


def judge_for(
    header: Header,
    ids: Mapping[str, Iterable[str]],
    profile: Profile | None = None,
    leeway: Leeway | None = None,
) -> Judge:
    """A judge of a run with this header and these ids, that has not begun."""
    return Judge((profile or seed_profile()).model(ids), header.observes, leeway)


def judge_steps(judge: Judge, steps: Iterable[TraceStep], end: str | None = "stopped") -> TraceVerdict:
    """Judge the steps of a run that is in memory, step 0 first."""
    for step in steps:
        if step.step == 0:
            judge.begin(step.values)
        else:
            judge.step(step.action, step.args, step.values)
    return judge.finish(end)


def shown_steps(
    reader: TraceReader, judge: Judge, ids: Mapping[str, Iterable[str]]
) -> Iterator[tuple[TraceStep, dict[str, Any]]]:
    """Each step with what it shows, free slots included."""
    unborn = {each for names in ids.values() for each in names}
    beginning: Mapping[str, Any] = {}
    begun = False
    for step in reader.steps():
        begun = True
        values = _values(step, reader.header)
        unborn.difference_update(*step.new.values())
        if step.host is not None and HOST in ids:
            _refuse_stranger(step.step, step.host, ids[HOST], unborn)
        if unborn:
            beginning = beginning or _first_state(judge)
            _refuse_unborn(step, unborn)
            values = {name: _with_slots(value, beginning.get(name), unborn) for name, value in values.items()}
        yield step, values
    if not begun:
        raise TraceError("there is no step 0: after the header comes the step that shows every observed variable")


def _values(step: TraceStep, header: Header) -> dict[str, Any]:
    """What the step shows, each variable under the module that the header names for it."""
    for module, values in step.after.items():
        for name in values:
            if name not in header.observes.get(module, ()):
                raise TraceError(f"step {step.step} shows {module}.{name}, and the header does not list it")
    return step.values


def _first_state(judge: Judge) -> dict[str, Any]:
    for state in judge.model.initial_states():
        return dict(zip(judge.model.variables, state, strict=True))
    return {}


def _refuse_stranger(step: int, host: str, hosts: Iterable[str], unborn: set[str]) -> None:
    """Refuse a step of a host that is none of the run's, or none of them yet."""
    if host not in hosts:
        raise TraceError(f"step {step} is of host {host}, and the run's hosts are {', '.join(hosts) or 'none'}")
    if host in unborn:
        raise TraceError(f"step {step} is of host {host}, which comes into being only at a later step")


def _refuse_unborn(step: TraceStep, unborn: set[str]) -> None:
    for value in step.args or ():
        if isinstance(value, str) and value in unborn:
            raise TraceError(f"step {step.step} names {value}, which comes into being only at a later step")


def _with_slots(value: Any, beginning: Any, unborn: set[str]) -> Any:
    """The function with the slots that are still free, as they were in the beginning."""
    if not isinstance(beginning, Fn) or not (isinstance(value, Fn) or value == ()):
        return value
    shown = value.m if isinstance(value, Fn) else {}
    free = {key: item for key, item in beginning.items() if key not in shown and _names(key, unborn)}
    return make_function({**shown, **free}) if free else value


def _names(key: Any, unborn: set[str]) -> bool:
    return key in unborn or (isinstance(key, tuple) and any(part in unborn for part in key))
