"""The calls of one store, which one thread makes, and what is told of them on the event loop.

Six rules:

1. One thread makes one call after the other, so the order in which effects are told
   is the order in which they happened.
2. The probe is told on the event loop, once the effect is decided and before the
   caller gets its answer.
3. A caller that leaves stops nothing; what is told may differ, for ``tell`` is given
   whether the caller has gone.
4. A commit that failed is in doubt, and the database is asked what became of it.  As long
   as it cannot say, the call is under way: nothing is told, nobody is answered, and no
   later call begins.  Those surely have no effect, and fail; the database is asked again
   before each, and every `RETRY_SECONDS`.
5. A call that is still in doubt when the thread is closed, or somebody is in a hurry, is told to nobody, for both
   would be a guess: its caller gets a `StoreError`.  A run that ends so shows the call as
   one whose effect may come at any time, which is what it is.
6. Whoever is in a hurry waits for a database that refuses or does not answer once, and not once for each call:
   those that have not begun by then surely have no effect, and fail.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

import attrs

from matching.errors import LeaseLost, RowChanged, StoreError
from matching.probe import Probe

__all__ = ["RETRY_SECONDS", "CallThread", "DatabaseError", "Effect", "End", "InDoubtError", "Step", "untold"]

RETRY_SECONDS = 1.0
"""How long a call in doubt waits until the database is asked again."""

Step = tuple[str | int, ...]


class DatabaseError(Exception):
    """The database refused or did not answer, and the transaction surely has no effect."""


class InDoubtError(Exception):
    """A commit failed: whether the transaction applied, its number tells; ``value`` is what it gives if it did."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.number = number


class Transactions(Protocol):
    """What the thread needs of its database.  Every call blocks."""

    def open(self) -> None:
        """Connect; raises `DatabaseError`."""
        ...

    def applied(self, number: int) -> bool:
        """Tell whether the transaction of this number applied; it is over then.  Raises `DatabaseError`."""
        ...

    def close(self) -> None:
        """Disconnect; raises `DatabaseError`."""
        ...


class Effect(enum.Enum):
    """What a call came to, for good: it applied; its condition did not hold; or it never will, for another reason."""

    APPLIED = "applied"
    REFUSED = "refused"
    NEVER = "never"


@attrs.frozen
class End:
    """A call that is decided: its effect, and what its caller gets, an error or else the value."""

    effect: Effect
    value: Any = None
    error: Exception | None = None

    @property
    def lost(self) -> bool:
        """Tell whether the caller does not learn the effect."""
        return isinstance(self.error, StoreError)


Tell = Callable[[End, bool], Iterable[Step]]
"""What the probe is told of a call that ended, given whether its caller has gone."""


def untold(_end: End, _gone: bool) -> Iterable[Step]:
    """Tell nothing."""
    return ()


@attrs.frozen(eq=False)
class _Call:
    make: Callable[[], Any]
    tell: Tell
    answer: asyncio.Future[Any]


class CallThread:
    """The thread of one store, and the probe of that store."""

    def __init__(self, database: Transactions, probe: Probe) -> None:
        self._database = database
        self._probe = probe
        self._loop = asyncio.get_running_loop()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="matching-store")
        self._closed = False
        self._doubt: tuple[_Call, InDoubtError] | None = None
        self._hurried = False
        self._away = False
        """Whether a call has failed since somebody is in a hurry."""

    async def open(self) -> None:
        """Open the database.

        Raises:
            StoreError: it cannot be opened.
        """
        try:
            await self.ask(self._database.open)
        except BaseException:
            self._closed = True
            self._thread.shutdown(wait=False)
            raise

    def hurry(self) -> None:
        """Begin no call any more once one has failed for the database's sake, such as one under way."""
        self._hurried = True

    async def close(self) -> None:
        """Let every call that was made come to its end, then disconnect; a second time there is nothing to do."""
        if self._closed:
            return
        done: asyncio.Future[Any] = self._loop.create_future()
        self._thread.submit(self._close, _Call(self._database.close, untold, done))
        self._closed = True
        # The thread ends by itself when its queue is empty, even if nobody waits for that.
        self._thread.shutdown(wait=False)
        await done

    def ask(self, make: Callable[[], Any], tell: Tell = untold) -> asyncio.Future[Any]:
        """Have the call made after those before it; the answer may be any error that it raises.

        ``make`` may raise `LeaseLost`, `RowChanged`, `InDoubtError`, and `DatabaseError`, which its caller gets
        as a `StoreError`.
        """
        answer: asyncio.Future[Any] = self._loop.create_future()
        if self._closed:
            answer.set_exception(StoreError("the store is closed; open it again"))
        else:
            self._thread.submit(self._make, _Call(make, tell, answer))
        return answer

    # On the event loop

    def _end(self, call: _Call, end: End) -> None:
        """Tell the probe what became of the call, then answer its caller."""
        try:
            for action, *args in call.tell(end, call.answer.cancelled()):
                self._probe(str(action), *args)
        finally:
            _reply(call.answer, end.error, end.value)

    def _retry_later(self) -> None:
        self._loop.call_later(RETRY_SECONDS, self._retry)

    def _retry(self) -> None:
        if not self._closed:
            self._thread.submit(self._settle_or_wait)

    # In the thread

    def _make(self, call: _Call) -> None:
        if self._away:
            self._report(call, End(Effect.NEVER, error=StoreError("the database is away, and nobody waits any more")))
        elif self._settle():
            self._run(call)
        else:
            away = StoreError("the database does not say what became of a commit; nothing else begins before it does")
            self._report(call, End(Effect.NEVER, error=away))

    def _close(self, call: _Call) -> None:
        if not self._settle():
            self._give_up()
        self._run(call)

    def _run(self, call: _Call) -> None:
        try:
            end = End(Effect.APPLIED, value=call.make())
        except (LeaseLost, RowChanged) as refusal:
            end = End(Effect.REFUSED, error=refusal)
        except InDoubtError as doubt:
            self._doubt = call, doubt
            self._settle_or_wait()
            return
        except DatabaseError as error:
            self._away = self._hurried
            end = End(Effect.NEVER, error=_unconfirmed(error))
        except Exception as bug:
            end = End(Effect.NEVER, error=bug)
        self._report(call, end)

    def _settle_or_wait(self) -> None:
        if self._settle():
            return
        if self._hurried:
            self._away = True
            self._give_up()
        else:
            self._on_loop(self._retry_later)

    def _give_up(self) -> None:
        """Answer the call that is in doubt, and tell nobody what became of it."""
        if self._doubt is not None:
            call, doubt = self._doubt
            self._doubt = None
            self._on_loop(_reply, call.answer, _unconfirmed(doubt))

    def _settle(self) -> bool:
        """End the call that is in doubt, if there is one and the database says what became of it."""
        if self._doubt is None:
            return True
        call, doubt = self._doubt
        try:
            effect = Effect.APPLIED if self._database.applied(doubt.number) else Effect.NEVER
        except DatabaseError:
            return False
        self._doubt = None
        self._report(call, End(effect, error=_unconfirmed(doubt)))
        return True

    def _report(self, call: _Call, end: End) -> None:
        self._on_loop(self._end, call, end)

    def _on_loop(self, callback: Callable[..., None], *args: Any) -> None:
        # A loop that was closed has nobody left who could be told.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, *args)


def _reply(answer: asyncio.Future[Any], error: Exception | None, value: object = None) -> None:
    if answer.done():
        return
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(value)


def _unconfirmed(error: Exception) -> StoreError:
    refusal = StoreError(f"the database did not confirm: {error}")
    refusal.__cause__ = error
    return refusal
