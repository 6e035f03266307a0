"""Writes the two files of a model: a cfg, and the module around it where a cfg cannot say a value.

Three rules:

1. A cfg says numbers from 0 up, strings, model values and sets of these.  Everything else
   becomes a definition of the wrapper module, and the cfg binds it with ``<-``.
2. A model value inside such a definition is declared by the wrapper, and bound to itself.
3. What neither can say is refused before Java starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from conformance.tla.errors import SpecError
from conformance.tla.values import INT, NAT, STRING, Bool, Fn, ModelValue, format_value, sorted_values

__all__ = ["ModelFiles", "model_files"]

_GREATEST = 2**31 - 1
_NAMED = {id(NAT): "Nat", id(INT): "Int", id(STRING): "STRING"}


@attrs.frozen
class ModelFiles:
    """The texts of a model; ``module`` is the wrapper's, and its name is ``name``."""

    name: str
    module: str
    config: str


def model_files(
    module: str,
    constants: Mapping[str, Any],
    *,
    specification: str = "Spec",
    invariants: Sequence[str] = (),
    properties: Sequence[str] = (),
    name: str | None = None,
) -> ModelFiles:
    """A model of ``module`` with these constants, under a module that extends it.

    Raises:
        SpecError: a value is none that TLC can be given.
    """
    name = name or f"MC{module}"
    definitions: list[str] = []
    bindings: list[str] = []
    declared: dict[str, None] = {}
    for constant, value in constants.items():
        _refuse_unsayable(constant, value)
        if id(value) in _NAMED:
            bindings.append(f"  {constant} <- {_NAMED[id(value)]}")
        elif _fits_a_cfg(value):
            bindings.append(f"  {constant} = {format_value(value)}")
        else:
            declared.update(dict.fromkeys(_model_values(value)))
            definitions.append(f"Value{constant} == {format_value(value)}")
            bindings.append(f"  {constant} <- Value{constant}")
    bindings += [f"  {each} = {each}" for each in declared]
    lines = [f"SPECIFICATION {specification}", *(["CONSTANTS", *bindings] if bindings else [])]
    lines += [f"INVARIANT {each}" for each in invariants] + [f"PROPERTY {each}" for each in properties]
    head = f"---- MODULE {name} ----"
    extends = f"EXTENDS {module}, Integers, TLC"
    constant_line = [f"CONSTANTS {', '.join(declared)}"] if declared else []
    text = "\n".join([head, extends, *constant_line, *definitions, "=" * len(head), ""])
    return ModelFiles(name, text, "\n".join([*lines, ""]))


def _fits_a_cfg(value: Any) -> bool:
    if isinstance(value, frozenset):
        return all(map(_fits_a_cfg, value))
    if isinstance(value, str):
        # TLC reads a cfg's strings as they stand: an escaped quote would keep its backslash.
        return format_value(value) == f'"{value}"'
    return isinstance(value, ModelValue | Bool) or (isinstance(value, int) and value >= 0)


def _refuse_unsayable(constant: str, value: Any) -> None:
    if id(value) in _NAMED:
        return
    if value.__class__ not in (str, int, Bool, ModelValue, tuple, frozenset, Fn):
        raise SpecError(f"the constant {constant} is {value!r}, which is no value that TLC can be given")
    if isinstance(value, str) and not value.isascii():
        raise SpecError(f"the constant {constant} has the string {value!r}; TLC reads ASCII alone")
    if isinstance(value, int) and not -_GREATEST <= value <= _GREATEST:
        raise SpecError(f"the constant {constant} has the number {value}, which is beyond 32 bits")
    for part in _parts(value):
        _refuse_unsayable(constant, part)


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Fn):
        return [part for pair in value.items() for part in pair]
    return value if isinstance(value, tuple | frozenset) else ()


def _model_values(value: Any) -> Iterator[str]:
    """The model values inside, in a fixed order."""
    if isinstance(value, ModelValue):
        yield format_value(value)
    parts = sorted_values(value) if isinstance(value, frozenset) else _parts(value)
    for part in parts:
        yield from _model_values(part)
