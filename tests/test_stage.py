"""A walkthrough waits for steps, and says which did not come."""

import asyncio

import pytest

from matching.walkthroughs import stage
from matching.walkthroughs.stage import StuckError, Watch


def test_a_watch_passes_every_step_on() -> None:
    passed: list[tuple[object, ...]] = []
    watch = Watch()
    watch.probe = lambda *step: passed.append(step)

    watch("Register", "p1", "h1")

    assert passed == [("Register", "p1", "h1")]


def test_a_step_that_came_already_need_not_be_waited_for() -> None:
    async def story() -> None:
        watch = Watch()
        watch("Return", "p1", ("empty",))
        await watch.until("Return p1")

    asyncio.run(story())


def test_steps_are_waited_for_in_whatever_order_they_come() -> None:
    async def story() -> None:
        watch = Watch()
        waiting = asyncio.ensure_future(watch.until("Return p1", "AnswerAdd t1"))
        await asyncio.sleep(0)
        watch("AnswerAdd", "t1", "accepted")
        watch("Return", "p1", ("empty",))
        await waiting

    asyncio.run(story())


def test_a_step_is_waited_for_anew_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "MOST_SECONDS", 0.01)

    async def story() -> None:
        watch = Watch()
        watch("ReadBacklog", "h1", "shop/orders/workflow/0")
        await watch.until("ReadBacklog")
        watch("Register", "p1", "h1")
        await watch.until("ReadBacklog")

    with pytest.raises(StuckError, match=r"for ReadBacklog, and heard Register\(p1\)"):
        asyncio.run(story())


def test_of_several_hosts_the_one_is_named_whose_step_was_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "MOST_SECONDS", 0.01)

    async def story() -> None:
        watch = Watch()
        watch.alone = False
        watch("Register", "p1", "h1")
        await watch.until("ReadBacklog")

    with pytest.raises(StuckError, match=r"for ReadBacklog, and heard Register\(p1, h1\)"):
        asyncio.run(story())


def test_news_are_told_once() -> None:
    watch = Watch()
    watch("Register", "p1", "h1")

    assert watch.news() == [("Register", ("p1", "h1"))]
    assert watch.news() == []
