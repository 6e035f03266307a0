"""How long somebody waits before trying again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import TypeVar

import attrs

from matching.errors import Unavailable

__all__ = ["Backoff"]

T = TypeVar("T")
_MOST_DOUBLINGS = 32


@attrs.frozen
class Backoff:
    """Waits that double up to a limit, in seconds, each shortened by up to a fifth by chance."""

    chance: Random
    first: float = 0.1
    most: float = 10.0

    async def wait(self, tries: int) -> None:
        """Wait after so many tries that failed before this one."""
        whole = min(self.most, self.first * 2 ** min(tries, _MOST_DOUBLINGS))
        await asyncio.sleep(whole * self.chance.uniform(0.8, 1.0))

    async def insist(self, call: Callable[[], Awaitable[T]]) -> T:
        """Call until the answer is not ``Unavailable``."""
        tries = 0
        while True:
            try:
                return await call()
            except Unavailable:
                await self.wait(tries)
                tries += 1
