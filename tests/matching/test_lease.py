"""A manager writes only under its lease, and whoever has lost the lease stops before anything else."""

from tests.matching.conftest import KEY, PARTITION, Serve, Service

OURS = ("h1", PARTITION)
OWNERS = ("h2", PARTITION)
"""Of two hosts the second owns the partition."""


def test_nothing_is_written_before_the_lease_is_taken(strict: Service) -> None:
    strict.add("t1")
    early = strict.calls()
    strict.answer("lease")

    assert early == [f"lease {PARTITION}#1@h1"]
    assert strict.calls() == ["append t1"]


def test_a_poll_need_not_wait_for_the_lease(strict: Service) -> None:
    strict.poll("p1")
    strict.add("t1")

    assert strict.returned == {"p1": ("task", "t1")}
    assert strict.told("TakeLease", "Spool") == []


def test_a_manager_that_begins_takes_the_lease_from_whoever_holds_it(serve: Serve) -> None:
    service = serve(prompt=False, hosts=["h1", "h2"])
    service.load("h1")
    service.answer("lease")
    service.load("h2")
    service.answer("lease")

    assert service.told("TakeLease") == [("TakeLease", *OURS), ("TakeLease", "h2", PARTITION)]
    assert service.simulation.store.queues[KEY].lease == 2


def test_a_takeover_that_failed_is_tried_again_after_a_pause(strict: Service) -> None:
    strict.load()
    strict.answer("lease", effect="fail", answer="error")
    early = strict.calls()
    strict.advance(1000)

    assert early == []
    assert strict.calls() == [f"lease {PARTITION}#1@h1"]
    assert strict.told("LoseClaim", "ClaimAgain") == [("LoseClaim", *OURS), ("ClaimAgain", *OURS)]


def test_a_takeover_whose_answer_was_lost_costs_its_block(strict: Service) -> None:
    strict.load()
    strict.answer("lease", answer="error")
    strict.advance(1000)
    strict.answer("lease")
    strict.store("t1")

    assert strict.told("TakeLease", "LoseClaim", "ClaimAgain", "Lead") == [
        ("TakeLease", *OURS),
        ("LoseClaim", *OURS),
        ("ClaimAgain", *OURS),
        ("TakeLease", *OURS),
        ("Lead", *OURS),
    ]
    assert strict.stored == {4: "t1"}


def test_when_the_ids_of_a_block_have_run_out_the_next_range_id_is_taken_before_more_is_stored(strict: Service) -> None:
    strict.store("t1", "t2", "t3")
    strict.add("t4")
    waiting = strict.calls()
    strict.rest()

    assert waiting == [f"lease {PARTITION}#1@h1"]
    assert strict.stored == {1: "t1", 2: "t2", 3: "t3", 4: "t4"}
    assert strict.told("Claim", "Lead") == [("Claim", *OURS), ("Lead", *OURS)] * 2


def test_the_next_range_id_is_not_taken_while_a_write_of_the_block_is_under_way(strict: Service) -> None:
    strict.store("t1", "t2")
    strict.add("t3")
    strict.add("t4")
    early = strict.calls()
    strict.answer("append")

    assert early == ["append t3"]
    assert f"lease {PARTITION}#1@h1" in strict.calls()


def test_an_add_that_waits_for_an_id_is_handed_to_a_poll_that_comes_first(strict: Service) -> None:
    strict.add("t1")
    strict.poll("p1")

    assert strict.returned == {"p1": ("task", "t1")}
    assert strict.told("Spool") == []


def taken_from_an_add_that_waits_for_an_id(serve: Serve, ours: str, theirs: str) -> Service:
    """A service whose first host has used up its block, and of which the other host has taken the lease."""
    service = serve(prompt=False, hosts=[ours, theirs])
    service.store("t1", "t2", "t3")
    service.load(theirs)
    service.answer(f"lease {PARTITION}#1@{theirs}")
    service.add("t4")
    return service


def test_a_block_is_followed_only_by_the_next_of_the_same_owner(serve: Serve) -> None:
    service = taken_from_an_add_that_waits_for_an_id(serve, "h1", "h2")
    service.answer(f"lease {PARTITION}#1@h1")

    assert service.told("FenceClaim", "LoseLease") == [("FenceClaim", *OURS), ("LoseLease", *OURS)]


def test_a_task_whose_manager_lost_the_lease_is_stored_by_the_next_generation_of_the_owner(serve: Serve) -> None:
    service = taken_from_an_add_that_waits_for_an_id(serve, "h2", "h1")
    service.rest()

    assert service.told("Load") == [("Load", *OWNERS), ("Load", *OURS), ("Load", *OWNERS)]
    assert service.stored[7] == "t4"
    assert service.told("AnswerAdd")[-1] == ("AnswerAdd", "t4", "accepted")


def test_a_task_whose_manager_lost_the_lease_to_the_owner_is_refused(serve: Serve) -> None:
    service = taken_from_an_add_that_waits_for_an_id(serve, "h1", "h2")
    service.rest()

    assert service.told("Load") == [("Load", *OURS), ("Load", *OWNERS)]
    assert service.told("RefuseAdd") == [("RefuseAdd", "t4", "h1")]
    assert service.told("AnswerAdd")[-1] == ("AnswerAdd", "t4", "refused")


def test_a_write_under_a_lease_that_was_taken_has_no_effect_and_ends_its_manager(serve: Serve) -> None:
    service = serve(prompt=False, hosts=["h1", "h2"])
    service.load("h1")
    service.answer("lease")
    service.poll("p1", version="v2")
    service.add("t1")
    service.load("h2")
    service.answer("lease")
    service.answer("append t1")

    assert service.told("FenceWrite", "LoseLease", "EndWrite", "AnswerAdd") == [
        ("FenceWrite", "t1"),
        ("LoseLease", *OURS),
        ("EndWrite", "t1"),
        ("AnswerAdd", "t1", "refused"),
    ]
    assert service.returned == {"p1": ("empty",)}
    assert service.stored == {}


def test_an_owner_with_nothing_to_write_learns_from_its_savings_that_the_lease_was_taken(serve: Serve) -> None:
    service = serve(prompt=False, hosts=["h1", "h2"])
    service.load("h1")
    service.answer("lease")
    service.load("h2")
    service.answer("lease")
    service.advance(60_000)
    service.answer(f"save {PARTITION}#1@h1")

    assert service.told("SaveLevel", "FenceSave", "LoseLease")[-2:] == [
        ("FenceSave", *OURS, 1),
        ("LoseLease", *OURS),
    ]


def test_an_owner_that_lost_its_lease_saves_nothing_when_it_stops(serve: Serve) -> None:
    service = serve(prompt=False, hosts=["h1", "h2"])
    service.store("t1")
    service.poll("p1")
    service.rest()
    service.add("t2")
    service.load("h2")
    service.answer(f"lease {PARTITION}#1@h2")
    service.answer("append t2")

    assert service.told("LoseLease") == [("LoseLease", *OURS)]
    assert service.told("SaveLevel") == []


def test_a_takeover_of_a_manager_that_has_stopped_may_still_take_effect(strict: Service) -> None:
    strict.load()
    strict.unload()
    strict.answer("lease")
    strict.load()
    strict.answer("lease")
    strict.store("t1")

    assert strict.told("TakeAdrift") == [("TakeAdrift", PARTITION, 0)]
    assert strict.stored == {4: "t1"}
