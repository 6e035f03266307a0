"""The lints themselves: each finds what it is for, and lets be what it should let be."""

import ast
from collections.abc import Callable, Iterator

import pytest

from tests.house.lints import Finding, chance_clock_and_threads, iterated_sets, sleeps, waits_with_wait_for

Lint = Callable[[ast.AST], Iterator[Finding]]


@pytest.mark.parametrize(
    ("lint", "source"),
    [
        (chance_clock_and_threads, "import time"),
        (chance_clock_and_threads, "from time import monotonic"),
        (chance_clock_and_threads, "datetime.datetime.now()"),
        (chance_clock_and_threads, "datetime.now(tz=UTC)"),
        (chance_clock_and_threads, "random.choice(polls)"),
        (chance_clock_and_threads, "from random import shuffle"),
        (chance_clock_and_threads, "random.Random()"),
        (chance_clock_and_threads, "from uuid import uuid4"),
        (chance_clock_and_threads, "import threading"),
        (chance_clock_and_threads, "from concurrent.futures import ThreadPoolExecutor"),
        (chance_clock_and_threads, "loop.run_in_executor(None, read)"),
        (chance_clock_and_threads, "asyncio.to_thread(read)"),
        (waits_with_wait_for, "await asyncio.wait_for(answer, 1)"),
        (waits_with_wait_for, "from asyncio import wait_for"),
        (sleeps, "time.sleep(1)"),
        (iterated_sets, "for poll in {first, second}: serve(poll)"),
        (iterated_sets, "for poll in set(polls): serve(poll)"),
        (iterated_sets, "[serve(poll) for poll in frozenset(polls)]"),
        (iterated_sets, "list({poll.id for poll in polls})"),
        (iterated_sets, "[*set(polls)]"),
        (iterated_sets, "for poll in set(polls) - served: serve(poll)"),
    ],
)
def test_a_lint_finds_what_it_is_for(lint: Lint, source: str) -> None:
    found = list(lint(ast.parse(source)))

    assert len(found) == 1


@pytest.mark.parametrize(
    ("lint", "source"),
    [
        (chance_clock_and_threads, "asyncio.get_running_loop().time()"),
        (chance_clock_and_threads, "random.Random(seed).choice(polls)"),
        (chance_clock_and_threads, "from datetime import timedelta"),
        (chance_clock_and_threads, "from uuid import UUID"),
        (waits_with_wait_for, "await registration.wait_for_outcome()"),
        (iterated_sets, "for poll in sorted(set(polls)): serve(poll)"),
        (iterated_sets, "served = poll in {first, second}"),
        (iterated_sets, "for poll in dict.fromkeys(polls): serve(poll)"),
    ],
)
def test_a_lint_lets_be_what_is_deterministic(lint: Lint, source: str) -> None:
    found = list(lint(ast.parse(source)))

    assert found == []
