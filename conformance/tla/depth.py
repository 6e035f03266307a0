"""Evaluation that goes deep: again, on a stack that is large enough.

Three rules:

1. A stack of the usual size holds what specifications usually need; only what goes deeper
   is evaluated a second time, in a thread of its own with a large one.
2. There the limit is a number of frames that the stack holds in any case.  What goes
   deeper still is a `DepthError`, never the end of the process.
3. What is evaluated again has no effect beside its answer.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, ParamSpec, TypeVar

from conformance.tla.errors import DepthError, TlaError

__all__ = ["FRAMES", "deeper", "deeply", "rest_deeper"]

FRAMES: Final = 450_000
"""How deep Python may call: a recursive operator of TLA+ takes one to four frames for each of its calls."""
_FRAME_BYTES: Final = 2_400
_STACKS: Final = (1 << 30, 1 << 28, 1 << 26)
"""In bytes: a process with little memory is refused the first, and goes less deep."""

_T = TypeVar("_T")
_P = ParamSpec("_P")
_here = threading.local()


def deeply(ask: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """What the function answers, if need be on a large stack.

    Raises:
        DepthError: that was not large enough either.
    """
    try:
        return ask(*args, **kwargs)
    except DepthError as error:
        return deeper(error, ask, *args, **kwargs)


def deeper(error: DepthError, ask: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """What the function, which has just failed so, answers on a large stack.

    Raises:
        DepthError: this is one already, or there is no memory for one.
    """
    if getattr(_here, "deep", False):
        raise error
    answers: list[_T] = []
    errors: list[BaseException] = []

    def evaluate() -> None:
        _here.deep = True
        try:
            answers.append(ask(*args, **kwargs))
        except MemoryError:
            errors.append(error)
        except BaseException as raised:
            errors.append(raised)

    if not _ended(evaluate):
        raise error
    if errors:
        raise errors[0]
    return answers[0]


def rest_deeper(
    error: DepthError, told: int, ask: Callable[_P, Iterator[_T]], *args: _P.args, **kwargs: _P.kwargs
) -> Iterator[_T]:
    """What the generator, which has just failed so, yields on a large stack after what it has told before."""
    found: list[_T] = []

    def gather() -> TlaError | None:
        try:
            found.extend(islice(ask(*args, **kwargs), told, None))
        except TlaError as raised:
            return raised
        return None

    ended = deeper(error, gather)
    yield from found
    if ended is not None:
        raise ended


def _ended(evaluate: Callable[[], None]) -> bool:
    """Whether there was memory for a large stack; the evaluation has then ended on it."""
    limit, size = sys.getrecursionlimit(), threading.stack_size()
    try:
        for stack in _STACKS:
            threading.stack_size(stack)
            sys.setrecursionlimit(max(limit, min(FRAMES, stack // _FRAME_BYTES)))
            thread = threading.Thread(target=evaluate, name="deep evaluation", daemon=True)
            try:
                thread.start()
            except (RuntimeError, MemoryError):
                continue
            thread.join()
            return True
        return False
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(limit)
