"""How a start call is decided: every combination, against the specification's guards and in the real server's order."""

import itertools

import attrs
import pytest

from matching.history.decisions import CHECKS, OUTCOMES, Decision, decide_start
from matching.history.draft import Draft
from matching.history.store import TRANSITIONS, Execution, Phase, ScheduledEvent, TaskOptions
from matching.identity import EventId, Item, RunId, TaskType
from matching.starts import StartOutcome
from tests.history.bench import ACTIVITY, WORKFLOW

OPTIONS = {TaskType.WORKFLOW: WORKFLOW, TaskType.ACTIVITY: ACTIVITY}
EVENT = EventId("r1/1")
ATTEMPT, STAMP, REQUEST = 2, 1, 7

Decided = tuple[TaskType, Phase, int, int, int]


def execution(kind: TaskType, phase: Phase) -> Execution:
    options: TaskOptions = OPTIONS[kind]
    started_by = REQUEST if phase is Phase.STARTED else None
    event = ScheduledEvent(EVENT, RunId("r1"), options, phase, ATTEMPT, STAMP, started_by)
    return Execution(RunId("r1"), 3, WORKFLOW, events=(event,), open=phase is not Phase.GONE)


def decide(kind: TaskType, phase: Phase, attempt: int, stamp: int, request: int) -> Decision:
    return decide_start(execution(kind, phase), Item(EVENT, attempt, stamp), request)


CALLS = tuple(itertools.product(TaskType, Phase, (1, 2, 3), (0, 1, 2), (REQUEST, 8)))


def allowed(kind: TaskType, phase: Phase, attempt: int, stamp: int, request: int) -> set[Decision]:
    """What the guards of RecordStart and RefuseStart allow."""
    current = (attempt, stamp) == (ATTEMPT, STAMP)
    by_this_call = attempt == ATTEMPT and request == REQUEST
    guards = {
        Decision.RECORD: phase is Phase.SCHEDULED and current,
        Decision.AGAIN: phase is Phase.STARTED and by_this_call,
        Decision.TAKEN: phase is Phase.STARTED and not by_this_call,
        Decision.GONE: phase in (Phase.DONE, Phase.GONE),
        Decision.STALE: phase in (Phase.SCHEDULED, Phase.STARTED) and not current,
    }
    return {decision for decision, holds in guards.items() if holds}


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_what_is_decided_is_one_of_what_the_specification_allows(call: Decided) -> None:
    assert decide(*call) in allowed(*call)


@pytest.mark.parametrize(
    ("kind", "phase", "attempt", "stamp", "request_id", "decision"),
    [
        # The workflow's order: over, stale, started.
        (TaskType.WORKFLOW, Phase.SCHEDULED, 2, 1, 7, Decision.RECORD),
        (TaskType.WORKFLOW, Phase.SCHEDULED, 1, 1, 7, Decision.STALE),
        (TaskType.WORKFLOW, Phase.SCHEDULED, 2, 0, 7, Decision.STALE),
        (TaskType.WORKFLOW, Phase.STARTED, 2, 1, 7, Decision.AGAIN),
        (TaskType.WORKFLOW, Phase.STARTED, 2, 1, 8, Decision.TAKEN),
        (TaskType.WORKFLOW, Phase.STARTED, 1, 1, 8, Decision.STALE),
        (TaskType.WORKFLOW, Phase.STARTED, 2, 0, 8, Decision.STALE),
        (TaskType.WORKFLOW, Phase.DONE, 1, 0, 7, Decision.GONE),
        (TaskType.WORKFLOW, Phase.GONE, 2, 1, 7, Decision.GONE),
        # The activity's: over, started, stale.
        (TaskType.ACTIVITY, Phase.SCHEDULED, 2, 1, 7, Decision.RECORD),
        (TaskType.ACTIVITY, Phase.SCHEDULED, 1, 1, 7, Decision.STALE),
        (TaskType.ACTIVITY, Phase.SCHEDULED, 2, 0, 7, Decision.STALE),
        (TaskType.ACTIVITY, Phase.STARTED, 2, 1, 7, Decision.AGAIN),
        (TaskType.ACTIVITY, Phase.STARTED, 2, 1, 8, Decision.TAKEN),
        (TaskType.ACTIVITY, Phase.STARTED, 1, 1, 8, Decision.TAKEN),
        (TaskType.ACTIVITY, Phase.STARTED, 2, 0, 8, Decision.TAKEN),
        (TaskType.ACTIVITY, Phase.DONE, 1, 0, 7, Decision.GONE),
        (TaskType.ACTIVITY, Phase.GONE, 2, 1, 7, Decision.GONE),
    ],
)
def test_the_checks_stand_in_the_real_servers_order(
    kind: TaskType, phase: Phase, attempt: int, stamp: int, request_id: int, decision: Decision
) -> None:
    assert decide(kind, phase, attempt, stamp, request_id) is decision


def test_an_event_that_is_not_there_is_gone() -> None:
    assert decide_start(None, Item(EVENT, 1, 0), 1) is Decision.GONE
    assert decide_start(Execution(RunId("r1"), 1, WORKFLOW), Item(EVENT, 1, 0), 1) is Decision.GONE


def test_every_kind_has_its_checks_and_every_decision_its_outcome() -> None:
    assert set(CHECKS) == set(TaskType)
    assert set(OUTCOMES) == set(Decision)
    assert set(OUTCOMES.values()) == set(StartOutcome) - {StartOutcome.RETRYABLE}


def test_the_life_cycle_of_an_event_is_told_for_every_phase() -> None:
    assert set(TRANSITIONS) == set(Phase)
    assert TRANSITIONS[Phase.DONE] == TRANSITIONS[Phase.GONE] == frozenset()


@pytest.mark.parametrize("phase", [Phase.STARTED, Phase.DONE, Phase.GONE])
def test_a_phase_is_not_entered_along_another_way(phase: Phase) -> None:
    draft = Draft(attrs.evolve(execution(TaskType.ACTIVITY, phase), open=True))

    with pytest.raises(AssertionError):
        draft.record_start(draft.execution.events[0], 1)
