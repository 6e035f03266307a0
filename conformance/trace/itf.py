"""A run as a document of Apalache's Informal Trace Format: every state in full, for the tools that read it.

Four rules:

1. A state has every variable that the run shows, or all those of the specification where
   they are given, and not only what changed; what led to it stands in its ``#meta``, which
   readers of the format pass over.
2. A function whose arguments are ids of the run is a map, even where it is written in
   a trace as an object is; any other function on strings is a record, unless one of them
   begins with ``#``, as the names of the format do.
3. Integers that a double holds exactly are numbers, larger ones are ``#bigint``; one
   value is written in one way.
4. A model value is a string of the form that the format has for constants without a
   structure, ``a_OF_MODEL``, so that it differs from the string of its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from conformance.tla.values import Bool, Fn, ModelValue, format_value, sorted_values
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep

__all__ = ["itf_document", "itf_value"]

EXACT: Final = 2**53
FORMAT: Final = "https://apalache-mc.org/docs/adr/015adr-trace.html"


def itf_document(
    header: Header,
    steps: Sequence[TraceStep],
    footer: Footer | None,
    judged: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """The run as plain data, to be written as JSON; ``judged`` are the specification's states along it."""
    ids = {each for step in steps for born in step.new.values() for each in born}
    shown = list(_shown(header, steps)) if judged is None else judged
    states = [
        {"#meta": _meta(step), **{name: itf_value(value, ids) for name, value in state.items()}}
        for step, state in zip(steps, shown, strict=False)
    ]
    names = [name for module in header.observes.values() for name in module]
    return {
        "#meta": {
            "format": "ITF",
            "format-description": FORMAT,
            "source": ", ".join(sorted(header.observes)) or header.module,
            "description": header.why,
            "status": footer.end if footer is not None else "cut short",
        },
        "vars": list(judged[0]) if judged else names,
        "states": states,
    }


def _shown(header: Header, steps: Sequence[TraceStep]) -> Iterator[dict[str, Any]]:
    """What the run shows after each step, in the order of the header."""
    known: dict[str, Any] = {}
    for step in steps:
        known.update(step.values)
        yield {name: known[name] for module in header.observes.values() for name in module if name in known}


def itf_value(value: Any, ids: Iterable[str] = ()) -> Any:
    """One value as the format writes it."""
    known = frozenset(ids)
    kind = value.__class__
    if kind is str:
        return value
    if kind is int:
        return value if abs(value) < EXACT else {"#bigint": str(value)}
    if kind is Bool:
        return bool(value)
    if kind is ModelValue:
        return f"{value.name}_OF_MODEL"
    if kind is tuple:
        return [itf_value(each, known) for each in value]
    if kind is frozenset:
        return {"#set": [itf_value(each, known) for each in sorted_values(value)]}
    if kind is Fn:
        return _function(value.m, known)
    return {"#unserializable": format_value(value)}


def _function(mapping: Mapping[Any, Any], ids: frozenset[str]) -> dict[str, Any]:
    keys = sorted_values(mapping)
    if all(key.__class__ is str and key not in ids and not key.startswith("#") for key in keys):
        return {key: itf_value(mapping[key], ids) for key in sorted(keys)}
    return {"#map": [[itf_value(key, ids), itf_value(mapping[key], ids)] for key in keys]}


def _meta(step: TraceStep) -> dict[str, Any]:
    meta: dict[str, Any] = {"index": step.step}
    if step.action is not None:
        meta["action"] = step.label
    if step.host is not None:
        meta["host"] = step.host
    return meta
