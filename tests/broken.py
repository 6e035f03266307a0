"""The runs of ``traces/corpus`` that no service made: a story, and what an editor made of it.

``python -m tests.corpus`` records them anew with the others, for a specification that has changed on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final

import attrs

from conformance.paths import traces_directory
from conformance.refinement.matching import OWNERS
from conformance.scenarios import play, read_scenario
from conformance.targets.simulation import Simulation, judge_for
from conformance.targets.world import World
from conformance.trace.header import Footer
from conformance.trace.writer import trace_text
from tests.mutants.catalogue import MUTANTS
from tests.mutants.lifetime import LIFETIME
from tests.trace.hop_stories import IDS, STORIES
from tests.trace.stories import HEADER, LATE_TICK, STORY, observes, told

__all__ = ["accepted_stories", "faulty_runs", "rejected_texts"]

Lines = list[str]
Edit = Callable[[Lines], Lines]

_STOPPED: Final = Footer(end="stopped")
_SHORT: Final = 12
"""How many steps of the story a trace has whose form is broken."""


def accepted_stories() -> dict[str, str]:
    """The story as those tell it who show everything, and as those who show what a service can."""
    example = attrs.evolve(HEADER, target="example")
    why = "One task meets a waiting poll; another is stored, read, and taken by a later poll."
    hidden = "The same run by one that does not show what only the store knows: hidden is not unchanged."
    seen = attrs.evolve(example, observes=observes(OWNERS), why=hidden)
    up = {
        "forwarded": "A poll at a child waits at the root, and brings a task down that came there.",
        "offered": "A task at a child goes to a poll that waits at the root: no record is written.",
        "lost": "Hops fail, arrive never or for nobody, are declined or not answered: whoever made them goes on.",
        "kept": "An offer is declined for which History cannot be asked; the next is dropped, and its record finished.",
        "sticky": "A poll and a task for a partition that is sticky are rejected.",
        "passive": "Where the namespace is not active a child stores what comes, and asks no parent.",
    }
    late = "An emitter that has read is overtaken by the stop of its manager: what it read is shown nowhere."
    return {
        "story-late-tick": trace_text(attrs.evolve(example, why=late), told(LATE_TICK), _STOPPED),
        "story-match-and-backlog": trace_text(attrs.evolve(example, why=why), told(STORY), _STOPPED),
        "story-some-variables-hidden": trace_text(seen, told(STORY, shown=OWNERS), _STOPPED),
        **{
            f"story-hops-{name}": trace_text(attrs.evolve(example, why=said), told(STORIES[name], ids=IDS), _STOPPED)
            for name, said in up.items()
        },
    }


def rejected_texts() -> dict[str, str]:
    """Every trace with something wrong in it, by name."""
    forms = {f"format-{name}": _edited(STORY[:_SHORT], why, edit) for name, (why, edit) in _FORMS.items()}
    return {**forms, **{f"story-{name}": _edited(story, why, edit) for name, (why, story, edit) in _STORIES.items()}}


def _edited(story: tuple[tuple[Any, ...], ...], why: str, edit: Edit) -> str:
    header = attrs.evolve(HEADER, target="example", why=why)
    lines = edit(trace_text(header, told(story), _STOPPED).splitlines())
    return "\n".join(lines) + ("\n" if lines[-1].endswith("}") else "")


def _put(line: int, find: str, replace: str) -> Edit:
    """Another text in one line, which has it once; lines count from 1."""

    def edit(lines: Lines) -> Lines:
        assert lines[line - 1].count(find) == 1, (find, lines[line - 1])
        return [*lines[: line - 1], lines[line - 1].replace(find, replace), *lines[line:]]

    return edit


def _without(line: int) -> Edit:
    return lambda lines: [*lines[: line - 1], *lines[line:]]


def _numbered(lines: Lines) -> Lines:
    """The lines with their steps in order again."""
    steps = [f'{{"step":{number}{line[line.index(",") :]}' for number, line in enumerate(lines[1:-1])]
    return [lines[0], *steps, lines[-1]]


_FORMS: Final[Mapping[str, tuple[str, Edit]]] = {
    "chosen-constant": (
        "A run brings ids and no other constant: exit 2.",
        _put(2, '"new":{', '"new":{"Generation":["1"],'),
    ),
    "cut-short": ("The footer is missing: undecided, exit 4, cut short at line 14.", lambda lines: lines[:-1]),
    "half-a-character": (
        "Half of a surrogate pair is no text: exit 2.",
        _put(3, '"args":["h1","q1"]', '"args":["h1","\\ud800"]'),
    ),
    "missing-constant": (
        "Step 0 brings the hosts, and not which of them have the flag on: exit 2.",
        _put(2, '"UnloadOnNamespaceStateChange":["h1"],', ""),
    ),
    "missing-variable": (
        "Step 0 does not show every variable that the header lists: exit 2.",
        _put(2, ',"wanted":{"p1":[],"p2":[]}', ""),
    ),
    "name-twice": ("A name stands twice in one object: exit 2.", _put(5, '{"step":3', '{"step":2,"step":3')),
    "noise": (
        "A line of another log stands among the steps: exit 2.",
        lambda lines: [*lines[:4], "INFO matched", *lines[4:]],
    ),
    "not-a-number": ("NaN is no number of JSON: exit 2.", _put(3, '"args":["h1","q1"]', '"args":["h1",NaN]')),
    "null": (
        "Null is no value: a variable that did not change is left out: exit 2.",
        _put(2, '"left":{"#set":[]}', '"left":null'),
    ),
    "only-stutters": (
        "No action was taken: vacuous, exit 4.",
        lambda lines: [*lines[:2], '{"step":1,"action":null,"args":[]}', lines[-1]],
    ),
    "other-version": ("A format of another version: exit 2.", _put(1, "matching-trace/1", "matching-trace/9")),
    "step-missing": ("The numbers of the steps have a gap: exit 2.", _without(6)),
    "torn-line": (
        "The last line ends in its middle: undecided, exit 4.",
        lambda lines: [*lines[:-2], lines[-2].partition('{"p1"')[0]],
    ),
    "unknown-action": (
        "A step names an action that the specification lacks: exit 2.",
        _put(12, '"SyncMatch"', '"SynchMatch"'),
    ),
    "unknown-host": (
        "A step is of a host that is none of the run's: exit 2.",
        _put(3, '"args":["h1","q1"]', '"args":["h1","q1"],"host":"h9"'),
    ),
    "unknown-id": (
        "A step names an id that never came into being: exit 2.",
        _put(10, '"args":["p1","h1"]', '"args":["p9","h1"]'),
    ),
    "unknown-variable": (
        "A step shows a variable that the header does not list: exit 2.",
        _put(10, '{"PollRegistration":{', '{"PollRegistration":{"mood":1,'),
    ),
    "wrong-arity": (
        "A step gives an action too few arguments: exit 2.",
        _put(12, '"args":["t1","p1"]', '"args":["t1"]'),
    ),
    "wrong-type": (
        "Step 0 shows a text where a function is expected: exit 2.",
        _put(2, '"wanted":{"p1":[],"p2":[]}', '"wanted":"nobody"'),
    ),
}
"""By name: why it is kept, and what is done to the first steps of the story; an empty file is kept as well."""

_NOTHING_STORED: Final = '{"PollRegistration":{"backlog":{"#set":[]}}}'
_READ: Final = STORY.index(("ReadBacklog", "h1", "q1")) + 1

_STORIES: Final[Mapping[str, tuple[str, tuple[tuple[Any, ...], ...], Edit]]] = {
    "delivered-twice": (
        "One delivery is told twice (step 12).",
        STORY,
        lambda lines: _numbered([*lines[:13], lines[12], *lines[13:]]),
    ),
    "line-dropped": (
        "The delivery is missing: the poll returns a task that nobody handed over (step 11).",
        STORY,
        lambda lines: _numbered(_without(13)(lines)),
    ),
    "lines-swapped": (
        "The task is delivered before it was matched (step 10).",
        STORY,
        lambda lines: _numbered([*lines[:11], lines[12], lines[11], *lines[13:]]),
    ),
    "not-quiescent": (
        "The run says that it ended quiescent while a poll has not returned.",
        STORY[:11],
        lambda lines: [*lines[:-1], '{"end":"quiescent"}'],
    ),
    "unreported-change": (
        f"The backlog lost a record and no step said so (step {_READ + 1}).",
        STORY[:_READ],
        lambda lines: _numbered(
            [*lines[:-1], f'{{"step":0,"action":null,"args":[],"after":{_NOTHING_STORED}}}', lines[-1]]
        ),
    ),
}
"""By name: why it is kept, the story, and what is done to it."""

_POLL: Final = {
    "do": "poll",
    "poll": "p1",
    "worker": "w1",
    "partition": World().partitions[0],
    "version": "unversioned",
    "wait_ms": 1000,
    "run": True,
}
_ADD: Final = {"do": "add", "task": "t1", "partition": World().partitions[0], "version": "unversioned"}

_FAULTY: Final[Mapping[str, tuple[str, str, list[dict[str, Any]]]]] = {
    "late-poll-gets-the-task": (
        "a task is handed to a poll whose deadline has passed, before its timer fires",
        "task-for-a-poll-past-its-deadline",
        [_POLL, _ADD, {"do": "advance", "by_ms": 1000, "run": True}],
    ),
    "left-caller-gets-the-task": (
        "a task is handed to a poll whose caller left in the same tick; the service says that it may",
        "task-for-a-poll-cancelled-in-the-same-tick",
        [_POLL, {"do": "leave", "poll": "p1"}, {**_ADD, "run": True}],
    ),
}
"""By name: why it is kept, the planted fault, and the requests."""

_FAULTY_SCENARIOS: Final[Mapping[str, tuple[str, str, str]]] = {
    "late-call-unloads-the-next-generation": (
        "a call to unload names a generation that has gone, and the one that was loaded since is unloaded",
        "unload-by-name",
        "failover-unloads",
    ),
    "series-of-a-stopped-manager-stay": (
        "a manager stops, and what its series read goes on telling of a backlog",
        "stop-leaves-the-gauges",
        "failover-unloads",
    ),
}
"""By name: why it is kept, the planted fault, and the scenario."""


def faulty_runs() -> dict[str, str]:
    """Runs of services with a fault, by name."""
    scripted = {name: _faulty_run(*told) for name, told in _FAULTY.items()}
    return scripted | {name: _faulty_scenario(*told) for name, told in _FAULTY_SCENARIOS.items()}


def _faulty_run(why: str, mutant: str, requests: list[dict[str, Any]]) -> str:
    world = World()
    with _planted(mutant):
        simulation = Simulation(world, judge=judge_for(world))
        for request in requests:
            simulation.request(request)
        run = simulation.recorded(why)
        simulation.close()
    return trace_text(run.header, run.steps, run.footer)


def _faulty_scenario(why: str, mutant: str, scenario: str) -> str:
    with _planted(mutant):
        run = play(read_scenario(traces_directory() / "scenarios" / f"{scenario}.yaml"))
    return trace_text(attrs.evolve(run.header, why=why), run.steps, run.footer)


def _planted(mutant: str) -> AbstractContextManager[None]:
    return next(each for each in (*MUTANTS, *LIFETIME) if each.name == mutant).applied()
