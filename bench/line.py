"""Calls between two processes over one connection: a line of JSON for each call and each answer.

One rule: what is called here may call back; each call has a task of its own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from itertools import count
from typing import Any, TypeVar

__all__ = ["Line", "LineError", "OtherProcessError", "while_it_runs"]

T = TypeVar("T")


class LineError(Exception):
    """The other end refused the call, or has gone."""


class OtherProcessError(Exception):
    """The second process ended before the work was done."""

    exit_status = 3


class Line:
    """One end; ``serves`` has what the other end may call, by name."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        serves: Mapping[str, Callable[..., Awaitable[Any]]],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._serves = serves
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def call(self, name: str, *arguments: Any) -> Any:
        """Call the other end, and give its answer.

        Raises:
            LineError: it refused, or has gone.
        """
        number = next(self._numbers)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._write({"call": number, "name": name, "arguments": arguments})
        return await answer

    async def run(self) -> None:
        """Answer what is called, until the other end goes."""
        try:
            while line := await self._reader.readline():
                said = json.loads(line)
                if "call" in said:
                    task = asyncio.ensure_future(self._answer(said))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
                else:
                    self._hear(said)
        except ConnectionError:
            pass  # the other end went in the middle of a line
        finally:
            for answer in self._waiting.values():
                answer.cancel()

    async def _answer(self, said: dict[str, Any]) -> None:
        try:
            result = await self._serves[said["name"]](*said["arguments"])
            self._write({"answer": said["call"], "result": result})
        except Exception as error:
            self._write({"answer": said["call"], "refused": f"{type(error).__name__}: {error}"})

    def _hear(self, said: dict[str, Any]) -> None:
        answer = self._waiting.pop(said["answer"])
        if answer.done():
            return
        if "refused" in said:
            answer.set_exception(LineError(said["refused"]))
        else:
            answer.set_result(said["result"])

    def _write(self, message: dict[str, Any]) -> None:
        self._writer.write(json.dumps(message).encode() + b"\n")


async def while_it_runs(other: asyncio.subprocess.Process, work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to.

    Raises:
        OtherProcessError: the other process ended first.
    """
    working, ended = asyncio.ensure_future(work), asyncio.ensure_future(other.wait())
    try:
        await asyncio.wait({working, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise OtherProcessError(f"the second process ended with exit status {ended.result()}")
        return working.result()
    finally:
        working.cancel()
        ended.cancel()
        await asyncio.gather(working, ended, return_exceptions=True)
