"""What a generation writes, reads, saves and deletes, and what it makes of calls that fail."""

import pytest

from conformance.targets import simulation
from matching.backlog import BacklogCount, BacklogLimits
from tests.matching.conftest import PARTITION, Serve, Service

OURS = ("h1", PARTITION)


@pytest.fixture
def small(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service that writes and reads one record at a time, and reads on only while it has none."""
    limits = BacklogLimits(block_size=3, most_written=1, most_read=1, read_below=1)
    monkeypatch.setattr(simulation, "SMALL_LIMITS", limits)
    return serve(prompt=False)


# Writes


def test_adds_that_come_while_a_write_is_under_way_are_written_together(strict: Service) -> None:
    strict.add("t1")
    strict.answer("lease")
    strict.add("t2", "t3")
    early = strict.calls("append")
    strict.answer("append")

    assert early == ["append t1"]
    assert strict.calls("append") == ["append t2 t3"]


def test_no_more_is_written_at_once_than_the_limit(small: Service) -> None:
    small.add("t1", "t2")
    small.answer("lease")
    early = small.calls("append")
    small.answer("append")

    assert early == ["append t1"]
    assert small.calls("append") == ["append t2"]


def test_all_of_a_batch_share_its_fate(strict: Service) -> None:
    strict.add("t1", "t2")
    strict.answer("lease")
    strict.answer("append", effect="fail", answer="error")

    assert strict.told("FailWrite") == [("FailWrite", "t1"), ("FailWrite", "t2")]
    assert strict.told("AnswerAdd") == [("AnswerAdd", "t1", "refused"), ("AnswerAdd", "t2", "refused")]


def test_an_id_is_not_given_twice_whatever_became_of_its_write(strict: Service) -> None:
    strict.add("t1")
    strict.answer("lease")
    strict.answer("append", effect="fail", answer="error")
    strict.store("t2")

    assert strict.stored == {2: "t2"}


def test_a_task_whose_write_was_not_confirmed_is_read_and_handed_over_if_it_is_there(strict: Service) -> None:
    strict.add("t1")
    strict.answer("lease")
    strict.answer("append", answer="error")
    strict.rest()
    strict.poll("p1")

    assert strict.told("AnswerAdd") == [("AnswerAdd", "t1", "refused")]
    assert strict.returned == {"p1": ("task", "t1")}


def test_a_write_that_outlives_its_manager_is_still_answered(strict: Service) -> None:
    strict.add("t1")
    strict.answer("lease")
    strict.unload()
    strict.answer("append")

    assert strict.told("Unload", "EndWrite", "AnswerAdd") == [
        ("Unload", *OURS, 1),
        ("EndWrite", "t1"),
        ("AnswerAdd", "t1", "accepted"),
    ]


# Adds whose callers leave


def test_an_add_whose_caller_leaves_before_its_task_has_an_id_leaves_nothing(strict: Service) -> None:
    strict.add("t1")
    strict.lose("t1", interrupt=True)
    strict.rest()

    assert strict.told("LeaveAdd", "AbandonAdd") == [("LeaveAdd", "t1"), ("AbandonAdd", "t1")]
    assert strict.stored == {}


def test_an_add_whose_caller_leaves_before_it_began_leaves_nothing(strict: Service) -> None:
    strict.add("t1", run=False)
    strict.lose("t1", interrupt=True)

    assert strict.told("LeaveAdd", "AbandonAdd", "Load") == [("LeaveAdd", "t1"), ("AbandonAdd", "t1")]


def test_an_add_whose_caller_leaves_during_its_write_is_stored_all_the_same(strict: Service) -> None:
    strict.add("t1")
    strict.answer("lease")
    strict.lose("t1", interrupt=True)
    strict.rest()

    assert strict.told("AbandonAdd", "AnswerAdd") == []
    assert strict.stored == {1: "t1"}


def test_an_add_whose_answer_is_lost_goes_on(strict: Service) -> None:
    strict.add("t1")
    strict.lose("t1")
    strict.rest()

    assert strict.told("AbandonAdd", "AnswerAdd") == []
    assert strict.stored == {1: "t1"}


def test_a_task_that_comes_back_from_a_hand_goes_with_its_add_whose_caller_has_left(service: Service) -> None:
    service.poll("p1")
    service.add("t1", run=False)
    service.leave("p1", run=False)
    service.turn()
    service.lose("t1", interrupt=True)

    assert service.told("SyncMatch", "GiveBack", "AbandonAdd", "Spool") == [
        ("SyncMatch", "t1", "p1"),
        ("GiveBack", "t1", "p1"),
        ("AbandonAdd", "t1"),
    ]


# Reads


def test_a_read_goes_no_further_than_the_first_write_without_an_answer(strict: Service) -> None:
    strict.add("t1")
    strict.answer("lease")
    strict.answer("append t1", answer=None)
    early = strict.calls("read")
    strict.answer("append t1", effect=None)

    assert early == []
    assert strict.calls("read") == [f"read {PARTITION}#1@h1"]


def test_a_read_goes_on_behind_the_one_before(strict: Service) -> None:
    strict.store("t1")
    strict.store("t2")

    assert strict.told("ServeRead") == [("ServeRead", *OURS, 1), ("ServeRead", *OURS, 2)]
    assert strict.available == ["t1", "t2"]


def test_a_read_jumps_ids_that_no_record_bears(strict: Service) -> None:
    strict.add("t1")
    strict.answer("lease")
    strict.answer("append", effect="fail", answer="error")
    strict.rest()

    assert strict.manager.backlog.levels == (1, 2, 1, 1)


def test_nothing_is_read_where_nothing_was_written(strict: Service) -> None:
    strict.load()
    strict.answer("lease")
    strict.poll("p1")

    assert strict.calls() == []


def test_a_new_generation_reads_what_an_earlier_one_left(strict: Service) -> None:
    strict.store("t1")
    strict.unload()
    strict.poll("p1")
    strict.rest()

    assert strict.returned == {"p1": ("task", "t1")}


def test_a_read_that_failed_is_made_again_after_a_pause(strict: Service) -> None:
    strict.add("t1")
    strict.answer("lease")
    strict.answer("append")
    strict.answer("read", answer="error")
    early = strict.calls("read")
    strict.advance(1000)

    assert early == []
    assert strict.calls("read") == [f"read {PARTITION}#1@h1"]
    assert strict.told("FailRead") == [("FailRead", *OURS)]


def test_no_more_is_read_at_once_than_the_limit(small: Service) -> None:
    small.add("t1", "t2")
    for call in ("lease", "append", "append", "read"):
        small.answer(call)

    assert small.available == ["t1"]
    assert small.told("ServeRead") == [("ServeRead", *OURS, 1)]


def test_more_is_read_only_where_memory_has_room_or_a_poll_waits_for_more(small: Service) -> None:
    small.add("t1", "t2")
    for call in ("lease", "append", "append", "read"):
        small.answer(call)
    early = small.calls("read")
    small.poll("p1", version="v2")

    assert early == []
    assert small.calls("read") == [f"read {PARTITION}#1@h1"]


# Levels, savings and deletes


def test_what_is_handed_over_out_of_order_is_deleted_once_everything_before_is(strict: Service) -> None:
    strict.add("t1", version="v2")
    strict.store("t2")
    strict.poll("p1")
    early = strict.calls("delete")
    strict.poll("p2", version="v2")
    strict.rest()

    assert early == []
    assert strict.told("CommitDelete") == [("CommitDelete", PARTITION, 1, 2)]
    assert strict.stored == {}


def test_a_delete_that_failed_is_made_again_and_its_records_are_not_offered_again(strict: Service) -> None:
    strict.store("t1")
    strict.poll("p1")
    strict.answer("delete", effect="fail", answer="error")
    strict.poll("p2", wait_ms=10_000)
    early = strict.calls()
    strict.advance(1000)
    strict.answer("delete")

    assert early == []
    assert strict.returned == {"p1": ("task", "t1")}
    assert strict.told("EndDelete") == [("EndDelete", PARTITION, 1, 1)] * 2
    assert strict.stored == {}


def test_an_unload_saves_how_far_it_came_and_the_next_generation_reads_from_there(strict: Service) -> None:
    strict.store("t1")
    strict.poll("p1")
    strict.answer("delete", effect="fail", answer="error")
    strict.unload()
    strict.answer("save")
    strict.poll("p2")
    strict.rest()

    assert strict.told("CommitSave") == [("CommitSave", *OURS, 1)]
    assert strict.returned == {"p1": ("task", "t1")}


def test_what_was_handed_over_is_offered_again_where_neither_level_nor_delete_took_effect(strict: Service) -> None:
    strict.store("t1")
    strict.poll("p1")
    strict.answer("delete", effect="fail", answer="error")
    strict.unload()
    strict.answer("save", effect="fail", answer="error")
    strict.poll("p2")
    strict.rest()

    assert strict.returned == {"p1": ("task", "t1"), "p2": ("task", "t1")}


def test_an_unload_with_nothing_new_saves_nothing(strict: Service) -> None:
    strict.store("t1")
    strict.unload()

    assert strict.told("SaveLevel") == []


def test_the_level_is_saved_every_minute(strict: Service) -> None:
    strict.store("t1")
    strict.poll("p1")
    strict.answer("delete")
    strict.advance(60_000)
    strict.answer("save")
    strict.advance(60_000)

    assert strict.told("SaveLevel") == [("SaveLevel", *OURS)] * 2
    assert strict.told("CommitSave") == [("CommitSave", *OURS, 1)]


def test_a_saving_without_an_answer_is_followed_by_no_other(strict: Service) -> None:
    strict.load()
    strict.answer("lease")
    strict.advance(60_000)
    strict.advance(60_000)

    assert strict.calls() == [f"save {PARTITION}#1@h1"]


def test_a_late_delete_of_an_earlier_generation_removes_only_what_was_finished(strict: Service) -> None:
    strict.store("t1", "t2")
    strict.poll("p1")
    strict.unload()
    strict.load()
    strict.answer(f"lease {PARTITION}#2@h1")
    strict.answer(f"delete {PARTITION}#1@h1")

    assert strict.stored == {2: "t2"}


# How much is left


def test_without_a_lease_nothing_certain_is_known_of_the_backlog(strict: Service) -> None:
    strict.load()

    assert strict.manager.backlog.count == BacklogCount(0, certain=False)


def test_ids_that_were_given_and_not_read_may_each_be_a_record(strict: Service) -> None:
    strict.store("t1")
    strict.add("t2")

    assert strict.manager.backlog.count == BacklogCount(2, certain=False)


def test_who_takes_the_lease_counts_what_is_there_and_no_id_that_was_never_given(strict: Service) -> None:
    strict.store("t1", "t2")
    strict.unload()
    strict.load()
    strict.answer(f"lease {PARTITION}#2@h1")
    early = strict.manager.backlog.count
    strict.add("t3")
    later = strict.manager.backlog.count
    strict.rest()

    assert early == BacklogCount(2, certain=False)
    assert later == BacklogCount(3, certain=False)
    assert strict.manager.backlog.count == BacklogCount(3, certain=True)


def test_ids_of_two_blocks_are_counted_without_what_lies_between(strict: Service) -> None:
    strict.store("t1", "t2", "t3")
    strict.add("t4")
    strict.answer(f"lease {PARTITION}#1@h1")

    assert strict.manager.backlog.count == BacklogCount(4, certain=False)


def test_what_is_read_and_not_finished_is_the_count(strict: Service) -> None:
    strict.store("t1", "t2")
    early = strict.manager.backlog.count
    strict.poll("p1")
    strict.rest()

    assert early == BacklogCount(2, certain=True)
    assert strict.manager.backlog.count == BacklogCount(1, certain=True)


def test_a_generation_that_stopped_has_no_levels(strict: Service) -> None:
    strict.store("t1")
    manager = strict.manager
    strict.unload()

    assert manager.backlog.levels == (0, 0, 0, 0)
