"""The tasks of a shard end with it, and a bug in one is not lost."""

import asyncio

import pytest

from matching.errors import NotFound, Unavailable
from matching.history.work import Asker, Work


def test_what_is_asked_for_is_given() -> None:
    async def story() -> int:
        return await Work("work").ask(answer, "answer")

    assert asyncio.run(story()) == 42


def test_a_refusal_goes_to_who_asked() -> None:
    async def story() -> None:
        await Work("work").ask(refuse, "refuse")

    with pytest.raises(NotFound):
        asyncio.run(story())


def test_after_the_stop_no_work_begins() -> None:
    begun: list[str] = []

    async def story() -> None:
        work = Work("work")
        work.stop()
        work.spawn(note(begun), "note")
        with pytest.raises(Unavailable):
            await work.ask(answer, "answer")
        await asyncio.sleep(0)

    asyncio.run(story())

    assert begun == []


def test_work_that_was_stopped_before_its_first_step_never_runs() -> None:
    begun: list[str] = []

    async def story() -> None:
        work = Work("work")
        work.spawn(note(begun), "note")
        asked = asyncio.ensure_future(work.ask(answer, "answer"))
        await asyncio.sleep(0)
        work.spawn(note(begun), "another note")
        work.stop()
        await work.stopped()
        with pytest.raises(Unavailable):
            await asked

    asyncio.run(story())

    assert begun == ["begun"]


def test_a_bug_in_work_that_nobody_waits_for_is_raised_at_the_end() -> None:
    async def story() -> None:
        work = Work("work")
        work.spawn(fall(), "fall")
        await asyncio.sleep(0)
        work.stop()
        await work.stopped()

    with pytest.raises(AssertionError, match="a bug"):
        asyncio.run(story())


def test_a_bug_in_work_that_was_asked_for_goes_to_who_asked() -> None:
    async def story() -> None:
        await Work("work").ask(lambda asker: fall(), "fall")

    with pytest.raises(AssertionError, match="a bug"):
        asyncio.run(story())


async def answer(asker: Asker) -> int:
    return 42


async def refuse(asker: Asker) -> None:
    raise NotFound("nothing here")


async def note(begun: list[str]) -> None:
    begun.append("begun")


async def fall() -> None:
    raise AssertionError("a bug")
