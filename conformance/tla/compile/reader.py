"""A state that notes where it is read.

One rule: whether a variable keeps its value is a question of its own; where a step's two
values are only compared, what they are is not noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["Reader", "Row"]

Row = tuple[int, ...]
"""A state by the numbers of its values; or a step: its state and then the next."""


class Reader:
    """The state that begins at ``base`` in a row.

    ``reads`` receives, in order, the places that are read; -1 - index, where it is asked
    whether the variable of that index is the same in both states of the step.
    """

    __slots__ = ("_base", "_reads", "_row", "_values", "_width")

    def __init__(self, row: Row, values: list[Any], reads: dict[int, None], base: int, width: int) -> None:
        self._row = row
        self._values = values
        self._reads = reads
        self._base = base
        self._width = width

    def __getitem__(self, index: int) -> Any:
        place = self._base + index
        self._reads[place] = None
        return self._values[self._row[place]]

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(self._width))

    def __len__(self) -> int:
        return self._width

    def keeps(self, index: int) -> bool:
        """Whether the step keeps the variable's value."""
        self._reads[-1 - index] = None
        return self._row[index] == self._row[self._width + index]

    def unnoted(self, index: int) -> Any:
        """The variable's value, for who has noted what hangs on it."""
        return self._values[self._row[self._base + index]]
