"""Where asyncio loses things when cancellation and result meet, the service does not.

Each test is a case that other services have run into; the number is its place in
the team's collection, CASES.
"""

from tests.matching.conftest import PARTITION, Service


def test_a_task_that_meets_a_caller_that_leaves_in_the_same_tick_is_stored(service: Service) -> None:
    """CASES 133, 134: a waiter that is cancelled with its result set loses the result."""
    service.poll("p1")
    service.add("t1", run=False)
    service.leave("p1")
    service.rest()

    assert service.told("SyncMatch", "GiveBack", "CommitWrite") == [
        ("SyncMatch", "t1", "p1"),
        ("GiveBack", "t1", "p1"),
        ("CommitWrite", "t1"),
    ]
    assert service.returned == {"p1": ("interrupted",)}


def test_a_caller_that_leaves_behind_its_delivery_has_its_task(service: Service) -> None:
    """CASES 133: a cancellation that comes too late is not an interruption."""
    service.poll("p1")
    service.add("t1")
    left = service.simulation.caller.leave("p1")  # type: ignore[arg-type]

    assert not left
    assert service.returned == {"p1": ("task", "t1")}


def test_a_stored_task_that_comes_back_stands_at_its_old_place(service: Service) -> None:
    """CASES 134: what is put back goes to the front again, not behind those that came later."""
    service.failover(active=False)
    service.poll("p1")
    service.store("t1", "t2")
    service.failover(active=True, run=False)
    service.leave("p1")

    assert service.told("Match", "GiveBack") == [("Match", "t1", "p1"), ("GiveBack", "t1", "p1")]
    assert service.available == ["t1", "t2"]


def test_a_task_whose_first_poll_left_goes_to_the_next_that_waits(service: Service) -> None:
    """CASES 135: a notified waiter that is cancelled must not swallow the notice."""
    service.poll("p1")
    service.poll("p2")
    service.add("t1", run=False)
    service.leave("p1")

    assert service.returned == {"p1": ("interrupted",), "p2": ("task", "t1")}
    assert service.told("Spool") == []


def test_a_stored_task_whose_first_poll_left_goes_to_the_next_that_waits(service: Service) -> None:
    """CASES 135, with a record: the poll that still waits is looked for when the task comes back."""
    service.failover(active=False)
    service.poll("p1")
    service.poll("p2")
    service.store("t1")
    service.failover(active=True, run=False)
    service.leave("p1")
    service.rest()

    assert service.returned == {"p1": ("interrupted",), "p2": ("task", "t1")}


def test_a_deadline_is_reached_by_the_loops_clock_alone(service: Service) -> None:
    """CASES 140: two clocks, and a timer of one is judged by the other."""
    service.poll("p1", wait_ms=100)
    service.advance(99)
    early = service.returned
    service.advance(1)

    assert early == {}
    assert service.returned == {"p1": ("empty",)}


def test_a_task_that_comes_in_the_tick_of_the_deadline_is_not_given_to_the_late_poll(service: Service) -> None:
    """CASES 140: a poll is late when its deadline is reached, whether or not its timer has run."""
    service.poll("p1", wait_ms=100)
    service.add("t1", run=False)
    service.advance(100)
    service.rest()

    assert service.returned == {"p1": ("empty",)}
    assert service.told("CommitWrite") == [("CommitWrite", "t1")]


def test_leaving_twice_is_leaving_once(service: Service) -> None:
    """CASES 144: a second cancellation must not undo what the first is at."""
    service.poll("p1")
    service.add("t1", run=False)
    service.leave("p1", run=False)
    call = service.simulation.caller.polls["p1"].call  # type: ignore[index]
    service.simulation.loop.call_soon(call.cancel)
    service.run()
    service.rest()

    assert service.told("CallerLeaves", "GiveBack", "Withdraw") == [("CallerLeaves", "p1"), ("GiveBack", "t1", "p1")]


def test_a_shutdown_waits_for_the_delete_that_is_under_way(strict: Service) -> None:
    """CASES 142: the end is bounded by what the store still owes, and the state is as it should be."""
    strict.store("t1")
    strict.poll("p1")
    stopping = strict.simulation.loop.create_task(strict.simulation.engine.shutdown())
    strict.run()
    strict.answer("save")
    early = stopping.done()
    strict.answer("delete")

    assert not early
    assert stopping.done()
    assert strict.told("CommitDelete", "EndDelete") == [
        ("CommitDelete", PARTITION, 1, 1),
        ("EndDelete", PARTITION, 1, 1),
    ]


def test_a_shutdown_that_is_itself_interrupted_lets_the_delete_go_on(strict: Service) -> None:
    """CASES 142, 144: whoever stops waiting stops only waiting."""
    strict.store("t1")
    strict.poll("p1")
    stopping = strict.simulation.loop.create_task(strict.simulation.engine.shutdown())
    strict.run()
    stopping.cancel()
    strict.run()
    strict.rest()

    assert stopping.cancelled()
    assert strict.told("CommitDelete", "EndDelete") == [
        ("CommitDelete", PARTITION, 1, 1),
        ("EndDelete", PARTITION, 1, 1),
    ]
