"""The values that are only themselves: TRUE, FALSE and model values.

One rule: there is one object of each, so that identity is equality; Python's own
``True`` is no TLA+ value and never equals one.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

__all__ = ["BOOLEAN", "FALSE", "TRUE", "Bool", "ModelValue", "boolean", "model_value"]


class Bool:
    """TRUE or FALSE, as a value."""

    __slots__ = ("truth",)

    def __init__(self, truth: bool) -> None:
        self.truth = truth

    def __bool__(self) -> bool:
        return self.truth

    def __repr__(self) -> str:
        return "TRUE" if self.truth else "FALSE"

    def __copy__(self) -> Bool:
        return self

    def __deepcopy__(self, memo: object) -> Bool:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (boolean, (self.truth,))


TRUE: Final = Bool(True)
FALSE: Final = Bool(False)
BOOLEAN: Final[frozenset[Bool]] = frozenset((TRUE, FALSE))


def boolean(truth: bool) -> Bool:
    """The TLA+ value of a Python truth."""
    return TRUE if truth else FALSE


class ModelValue:
    """A value that equals nothing but itself; made by `model_value`."""

    __slots__ = ("name", "type")
    interned: ClassVar[dict[str, ModelValue]] = {}

    def __init__(self, name: str) -> None:
        self.name = name
        # TLC compares a model value of a name like p_x only with model values of its letter, or of none.
        self.type = name[0] if len(name) > 2 and name[1] == "_" else ""

    def __repr__(self) -> str:
        return self.name

    def __copy__(self) -> ModelValue:
        return self

    def __deepcopy__(self, memo: object) -> ModelValue:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (model_value, (self.name,))


def model_value(name: str) -> ModelValue:
    """The one model value of that name."""
    found = ModelValue.interned.get(name)
    if found is None:
        found = ModelValue.interned[name] = ModelValue(name)
    return found
