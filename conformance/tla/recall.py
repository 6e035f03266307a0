"""What functions of states said, by the values that they read.

Four rules:

1. Equal values have one number; a row is a state, or a step, by the numbers of its values.
2. What a function read while it answered decides its answer: a row that agrees there has
   the same one.  As what is read next depends only on what was read, the answers make a tree.
3. What looks at more than its state (the registers of TLC, the clock) is never remembered;
   neither are errors.
4. Where hardly a row comes again, remembering stops: it would only cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from conformance.tla.compile.reader import Reader, Row
from conformance.tla.values import comparable

__all__ = ["Numbers", "Recall", "Remembered", "Row"]

MOST_REMEMBERED: Final = 200_000
_TRIED: Final = 2_000
_WORTH: Final = 0.8


class Numbers:
    """The numbers of values, in the order in which the values were met."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self.values: list[Any] = []
        self.states = 0
        self.steps = 0
        """How many of them were asked about so far; whoever asks counts."""
        self._comparable: dict[tuple[int, int], bool] = {}

    def of(self, value: Any) -> int:
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number

    def row(self, values: Iterable[Any]) -> Row:
        return tuple(map(self.of, values))

    def keeps(self, index: int, width: int) -> Callable[[Row], bool | None]:
        """Whether a step keeps a variable; None where TLC could not compare the two values."""

        def ask(row: Row) -> bool | None:
            before, after = row[index], row[width + index]
            if before == after:
                return True
            found = self._comparable.get((before, after))
            if found is None:
                values = self.values
                found = self._comparable[before, after] = comparable(values[after], values[before])
            return False if found else None

        return ask

    def state(self, row: Row) -> tuple[Any, ...]:
        return tuple(map(self.values.__getitem__, row))


class _Fork(dict[int, Any]):
    """A place of the row, and by the number there what comes then: another fork, or an answer."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


class _Same(dict[Any, Any]):
    """What comes where a step keeps a variable, and where it does not."""

    __slots__ = ("keeps",)

    def __init__(self, keeps: Callable[[Row], bool | None]) -> None:
        super().__init__()
        self.keeps = keeps


class Recall:
    """The answers of one function."""

    __slots__ = ("_about_steps", "_asked", "_learnt", "_numbers", "on", "root")

    def __init__(self, numbers: Numbers, *, on: bool, about_steps: bool = False) -> None:
        self._numbers = numbers
        self._about_steps = about_steps
        self.on = on
        self.root: Any = None
        self._learnt = 0
        self._asked = 0

    def find(self, row: Row) -> Any:
        """The answer for a row; None where it is not known."""
        node = self.root
        while True:
            kind = node.__class__
            if kind is _Fork:
                node = node.get(row[node.place])
            elif kind is _Same:
                node = node.get(node.keeps(row))
            else:
                return node

    def learn(self, row: Row, reads: Iterable[int], answer: Any) -> None:
        """Note an answer, which is not None, and where the row was read, in order."""
        if not self.on:
            return
        self._learnt += 1
        asked = self._numbers.steps if self._about_steps else self._numbers.states
        if self._learnt % _TRIED == 0:
            self.on = (asked - self._asked) * _WORTH > _TRIED
            self._asked = asked
        if not self.on or self._learnt >= MOST_REMEMBERED:
            self.root, self._learnt = None, 0
            return
        node, key = self, None
        for place in reads:
            fork = self._below(node, key)
            if fork is None:
                fork = _Fork(place) if place >= 0 else _Same(self._numbers.keeps(-1 - place, len(row) // 2))
                self._put(node, key, fork)
            node, key = fork, row[place] if place >= 0 else fork.keeps(row)
        self._put(node, key, answer)

    def _below(self, node: Any, key: Any) -> Any:
        return self.root if node is self else node.get(key)

    def _put(self, node: Any, key: Any, item: Any) -> None:
        if node is self:
            self.root = item
        else:
            node[key] = item


class Remembered(Recall):
    """A function of a state and, where it is about steps, the next one; asked once for the values that it reads."""

    __slots__ = ("_ask", "_width")

    def __init__(
        self,
        ask: Callable[[Any, Any], Any],
        numbers: Numbers,
        width: int,
        *,
        remember: bool,
        about_steps: bool = False,
    ) -> None:
        super().__init__(numbers, on=remember, about_steps=about_steps)
        self._ask = ask
        self._width = width

    def __call__(self, row: Row) -> Any:
        """The answer for a state, or for a step: the row of its state and then that of the next."""
        # As `find` does; one call less, where calls are what it costs.
        node = self.root
        while True:
            kind = node.__class__
            if kind is _Fork:
                node = node.get(row[node.place])
            elif kind is _Same:
                node = node.get(node.keeps(row))
            else:
                return self._work_out(row) if node is None else node

    def _work_out(self, row: Row) -> Any:
        width, numbers = self._width, self._numbers
        if not self.on:
            following = numbers.state(row[width:]) if len(row) > width else None
            return self._ask(numbers.state(row[:width]), following)
        reads: dict[int, None] = {}
        now = Reader(row, numbers.values, reads, 0, width)
        then = Reader(row, numbers.values, reads, width, width) if len(row) > width else None
        answer = self._ask(now, then)
        self.learn(row, reads, answer)
        return answer
