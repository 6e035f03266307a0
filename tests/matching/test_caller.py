"""The callers' side tells what was asked and what came back, each at its time and in its order."""

import pytest

from matching.identity import PollId
from tests.matching.conftest import PARTITION, Service


def test_a_poll_is_told_before_the_service_hears_of_it(service: Service) -> None:
    service.poll("p1", run=False)

    assert [step.action for step in service.simulation.recorder.steps] == ["StartPoll"]
    assert service.told("StartPoll") == [("StartPoll", "p1", "w1", PARTITION, "unversioned")]


def test_a_poll_returns_the_task_that_it_was_given(service: Service) -> None:
    service.poll("p1")
    service.add("t1")

    assert service.returned == {"p1": ("task", "t1")}


def test_a_poll_that_ends_without_a_task_returns_empty(service: Service) -> None:
    service.poll("p1")
    service.unload()

    assert service.returned == {"p1": ("empty",)}


def test_a_poll_whose_caller_left_returns_interrupted(service: Service) -> None:
    service.poll("p1")
    service.leave("p1")

    assert service.returned == {"p1": ("interrupted",)}


def test_a_caller_that_leaves_before_its_poll_arrives_leaves_no_trace_in_the_service(service: Service) -> None:
    service.poll("p1", run=False)
    left = service.simulation.caller.leave(PollId("p1"))
    service.run()

    assert left
    assert service.told("Load", "Register") == []
    assert service.returned == {"p1": ("interrupted",)}


def test_nobody_leaves_a_poll_that_there_is_not(service: Service) -> None:
    assert not service.simulation.caller.leave(PollId("p1"))
    assert service.told("CallerLeaves") == []


def test_an_add_is_accepted_once_its_task_is_handed_over(service: Service) -> None:
    service.poll("p1")
    service.add("t1")

    assert service.told("Deliver", "AnswerAdd") == [("Deliver", "t1", "p1"), ("AnswerAdd", "t1", "accepted")]


def test_an_add_is_accepted_once_its_task_is_stored(service: Service) -> None:
    service.add("t1")
    early = service.told("AnswerAdd")
    service.answer("append t1")

    assert early == []
    assert service.told("AnswerAdd") == [("AnswerAdd", "t1", "accepted")]


@pytest.mark.parametrize("effect", ["commit", "fail"])
def test_an_add_whose_write_was_not_confirmed_is_refused_whatever_became_of_it(service: Service, effect: str) -> None:
    service.add("t1")
    service.answer("append t1", effect=effect, answer="error")

    assert service.told("AnswerAdd") == [("AnswerAdd", "t1", "refused")]


def test_a_deadline_is_told_before_the_end_that_it_brings(service: Service) -> None:
    service.poll("p1", wait_ms=100)
    service.simulation.loop.advance(0.1)
    service.run()

    assert service.told("DeadlinePasses", "Expire") == [("DeadlinePasses", "p1"), ("Expire", "p1")]


def test_a_deadline_is_told_before_a_task_passes_the_late_poll_over(service: Service) -> None:
    service.poll("p1", wait_ms=100)
    service.add("t1", run=False)
    service.simulation.loop.advance(0.1)
    service.run()

    assert service.told("DeadlinePasses", "Spool", "Expire") == [
        ("DeadlinePasses", "p1"),
        ("Spool", "t1", "h1"),
        ("Expire", "p1"),
    ]


def test_a_deadline_after_the_end_is_nothing_to_tell(service: Service) -> None:
    service.poll("p1", wait_ms=100)
    service.unload(run=False)
    service.run()
    service.advance(100)

    assert service.told("DeadlinePasses") == []


def test_calls_that_returned_are_no_longer_open(service: Service) -> None:
    service.poll("p1")
    service.add("t1")

    assert dict(service.simulation.caller.polls) == {}
    assert dict(service.simulation.caller.adds) == {}
