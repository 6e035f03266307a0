"""A worker gets a task only once History has recorded the start, and History's answer decides what becomes of it."""

import pytest

from matching.engine import START_RETRY_SECONDS
from matching.starts import DISPOSITIONS, StartOutcome
from tests.matching.conftest import Serve, Service

PAUSE_MS = round(START_RETRY_SECONDS * 1000)
R1, R2 = ("r1/1", 1, 0), ("r2/1", 1, 0)


@pytest.fixture
def delivery(serve: Serve) -> Service:
    """A service with History, of which the test decides every call."""
    return serve(prompt=False, events=["r1/1", "r2/1"])


def begin(service: Service, run: str) -> None:
    """Let a run begin, and its first task come to Matching."""
    service.workflow(run)
    service.answer(f"apply {run}")


def stored(service: Service, run: str) -> None:
    """Let a run begin whose first task finds no poll, so that it is stored, read, and done with in History."""
    begin(service, run)
    service.rest()


def starts(service: Service) -> list[str]:
    return [call.rpartition(" ")[0] for call in service.calls("start")]


def test_every_answer_of_history_has_its_consequence() -> None:
    assert set(DISPOSITIONS) == set(StartOutcome)


def test_a_task_is_handed_over_only_once_its_start_is_recorded(delivery: Service) -> None:
    delivery.poll("p1")
    begin(delivery, "r1")
    asked = delivery.told("Ask", "Deliver")
    delivery.answer("start")
    early = delivery.returned
    delivery.answer("apply")

    assert asked == [("Ask", "t1", "p1", 1)]
    assert early == {}
    assert delivery.told("RecordStart", "Deliver") == [("RecordStart", *R1, 1), ("Deliver", "t1", "p1")]
    assert delivery.returned == {"p1": ("task", "t1")}


def test_a_task_without_an_event_is_handed_over_without_a_question(delivery: Service) -> None:
    delivery.poll("p1")
    delivery.add("t1")

    assert delivery.calls("start") == []
    assert delivery.returned == {"p1": ("task", "t1")}


def test_a_task_whose_run_was_closed_is_dropped_and_its_poll_gets_the_next(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.terminate("r1")
    delivery.answer("apply")
    delivery.poll("p1")
    delivery.rest()
    begin(delivery, "r2")
    delivery.rest()

    assert delivery.told("RefuseStart", "Drop", "Deliver") == [
        ("RefuseStart", *R1, 1, "gone"),
        ("Drop", "t1", "p1"),
        ("Deliver", "t2", "p1"),
    ]
    assert delivery.returned == {"p1": ("task", "t2")}


def test_the_record_of_a_dropped_task_is_deleted(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.terminate("r1")
    delivery.answer("apply")
    delivery.poll("p1")
    delivery.rest()

    assert delivery.stored == {}


def test_a_task_of_which_nobody_can_tell_is_stored_though_its_poll_waits_on(delivery: Service) -> None:
    delivery.poll("p1", wait_ms=10_000)
    begin(delivery, "r1")
    delivery.answer("start", effect="fail", answer="error")
    delivery.answer("lease")

    assert delivery.told("FailStart", "Keep", "Spool") == [
        ("FailStart", *R1, 1),
        ("Keep", "t1", "p1"),
        ("Spool", "t1", "h1"),
    ]
    assert delivery.returned == {}


def test_a_poll_pauses_before_it_asks_for_another_task(delivery: Service) -> None:
    delivery.poll("p1", wait_ms=10_000)
    begin(delivery, "r1")
    delivery.answer("start", effect="fail", answer="error")
    early = delivery.told("Register")
    delivery.advance(PAUSE_MS)

    assert early == [("Register", "p1", "h1")]
    assert delivery.told("Register") == [("Register", "p1", "h1")] * 2


def test_a_poll_whose_deadline_comes_in_its_pause_ends_empty_and_no_later(delivery: Service) -> None:
    delivery.poll("p1", wait_ms=PAUSE_MS // 2)
    begin(delivery, "r1")
    delivery.answer("start", effect="fail", answer="error")
    delivery.advance(PAUSE_MS // 2)

    assert delivery.returned == {"p1": ("empty",)}


def test_a_record_of_which_nobody_can_tell_is_offered_behind_the_others(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.store("t4")
    delivery.poll("p1", wait_ms=10_000)
    delivery.answer("start", effect="fail", answer="error")

    assert delivery.told("Keep") == [("Keep", "t1", "p1")]
    assert delivery.available == ["t4", "t1"]


@pytest.mark.parametrize("decided", [True, False], ids=["though it was decided", "before it is decided"])
def test_a_start_whose_answer_was_lost_is_known_again_by_its_request(delivery: Service, decided: bool) -> None:
    stored(delivery, "r1")
    delivery.poll("p1", wait_ms=10_000)
    delivery.answer("start", answer=None if decided else "error")
    delivery.answer("apply")
    while decided and delivery.calls("start"):
        delivery.answer("start", effect=None, answer="error")
    delivery.advance(PAUSE_MS)
    delivery.rest()

    assert delivery.told("Ask") == [("Ask", "t1", "p1", 1)] * 2
    assert delivery.told("RecordStart") == [("RecordStart", *R1, 1)] * 2
    assert delivery.returned == {"p1": ("task", "t1")}


def test_what_a_host_knew_of_an_uncertain_start_goes_with_its_manager(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.poll("p1", wait_ms=10_000)
    delivery.answer("start", answer=None)
    delivery.answer("apply")
    delivery.answer("start", effect=None, answer="error")
    delivery.unload()
    delivery.rest()
    delivery.advance(PAUSE_MS)
    delivery.rest()

    assert delivery.told("Ask") == [("Ask", "t1", "p1", 1), ("Ask", "t1", "p1", 2)]
    assert delivery.told("RefuseStart", "Drop") == [("RefuseStart", *R1, 2, "taken"), ("Drop", "t1", "p1")]


def test_a_handler_that_asks_outlives_the_unload_of_its_manager(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.poll("p1", wait_ms=10_000)
    delivery.unload()
    early = delivery.returned
    delivery.rest()

    assert early == {}
    assert delivery.returned == {"p1": ("task", "t1")}


def test_a_task_whose_manager_stopped_while_its_handler_asked_keeps_its_record(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.poll("p1", wait_ms=10_000)
    delivery.unload()
    delivery.rest()

    assert delivery.stored == {1: "t1"}
    assert delivery.told("Deliver", "Delete") == [("Deliver", "t1", "p1")]


def test_a_record_that_was_handed_over_before_is_dropped_when_it_is_read_again(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.poll("p1", wait_ms=10_000)
    delivery.unload()
    delivery.rest()
    delivery.poll("p2", wait_ms=500)
    delivery.rest()

    assert delivery.told("RefuseStart", "Drop") == [("RefuseStart", *R1, 2, "taken"), ("Drop", "t1", "p2")]
    assert delivery.stored == {}


def test_a_caller_that_leaves_while_its_handler_asks_gives_the_task_back(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.poll("p1", wait_ms=10_000)
    delivery.leave("p1")
    again = delivery.available
    delivery.poll("p2", wait_ms=10_000)
    delivery.rest()

    assert delivery.told("GiveBack") == [("GiveBack", "t1", "p1")]
    assert again == ["t1"]
    assert delivery.returned == {"p1": ("interrupted",), "p2": ("task", "t1")}


def test_an_attempt_is_handed_to_one_worker_though_the_call_of_one_that_left_comes_late(delivery: Service) -> None:
    stored(delivery, "r1")
    delivery.poll("p1", wait_ms=10_000)
    delivery.leave("p1")
    delivery.poll("p2", wait_ms=10_000)
    late, asked = delivery.calls("start")
    delivery.answer(asked)
    delivery.answer("apply")
    delivery.answer(late)
    delivery.rest()

    assert starts(delivery) == []
    assert delivery.told("Deliver") == [("Deliver", "t1", "p2")]


def test_the_same_attempt_in_two_tasks_is_started_by_one(delivery: Service) -> None:
    begin(delivery, "r1")
    delivery.answer("lease")
    delivery.answer("append t1", answer="error")
    delivery.advance(5_000)
    delivery.rest()
    delivery.poll("p1", wait_ms=10_000)
    delivery.rest()
    delivery.poll("p2", wait_ms=500)
    delivery.rest()

    assert delivery.told("Transfer")[0][1:] == ("t1", "h1", "shop/orders/workflow/0", "unversioned", *R1)
    assert delivery.told("Transfer")[1][1:] == ("t2", "h1", "shop/orders/workflow/0", "unversioned", *R1)
    assert delivery.told("RecordStart") == [("RecordStart", *R1, 1)]
    assert delivery.told("Drop") == [("Drop", "t2", "p2")]


def test_nothing_is_remembered_of_a_task_whose_add_has_gone(delivery: Service) -> None:
    delivery.poll("p1", wait_ms=10_000)
    begin(delivery, "r1")
    asking = len(delivery.simulation.engine.request_ids)
    delivery.lose("t1", interrupt=True)
    delivery.leave("p1")

    assert delivery.told("GiveBack", "AbandonAdd") == [("GiveBack", "t1", "p1"), ("AbandonAdd", "t1")]
    assert (asking, len(delivery.simulation.engine.request_ids)) == (1, 0)


def test_nothing_is_remembered_of_a_task_that_was_to_be_stored_and_whose_add_has_gone(delivery: Service) -> None:
    delivery.poll("p1", wait_ms=10_000)
    begin(delivery, "r1")
    delivery.answer("start", effect="fail", answer="error")
    owed = len(delivery.simulation.engine.request_ids)
    delivery.lose("t1", interrupt=True)

    assert delivery.told("Keep", "AbandonAdd") == [("Keep", "t1", "p1"), ("AbandonAdd", "t1")]
    assert (owed, len(delivery.simulation.engine.request_ids)) == (1, 0)
