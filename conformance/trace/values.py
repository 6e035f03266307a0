"""TLA+ values as JSON, and back.

| value | JSON |
|---|---|
| integer | number; beyond 2^53 - 1 ``{"#bigint": "…"}`` |
| string | string |
| TRUE, FALSE | ``true``, ``false`` |
| function on 1..n, sequence, tuple | array; the empty function is ``[]`` |
| function on strings, record | object, names sorted |
| any other function | ``{"#map": [[key, value], …]}``, keys in the order of values |
| set | ``{"#set": […]}``, in the order of values |
| model value | ``{"#mv": "name"}`` |

Two rules:

1. `encode` is canonical: equal values give equal JSON.  A function on strings of
   which one begins with ``#`` is written as a ``#map``.
2. `decode` is strict: null, fractions, an unknown ``#`` name, an element or a key
   that stands twice are refused.  It takes elements in any order.
"""

from __future__ import annotations

from typing import Any

from conformance.tla.values import Bool, Fn, ModelValue, boolean, make_function, model_value, sort_key, sorted_values
from conformance.trace.errors import TraceError
from conformance.trace.strict import MOST_DIGITS

__all__ = ["decode", "encode"]

_MOST_EXACT = 2**53 - 1
"""The greatest integer that every reader of JSON keeps."""


def encode(value: Any) -> Any:
    """The value as plain JSON; a `TraceError` for what no trace can hold."""
    kind = value.__class__
    if kind is str:
        return value
    if kind is int:
        return value if -_MOST_EXACT <= value <= _MOST_EXACT else {"#bigint": str(value)}
    if kind is tuple:
        return [encode(item) for item in value]
    if kind is Bool:
        return value.truth
    if kind is frozenset:
        return {"#set": [encode(item) for item in sorted_values(value)]}
    if kind is Fn:
        return _encode_function(value)
    if kind is ModelValue:
        return {"#mv": value.name}
    raise TraceError(f"{value!r} is not a value that a trace can hold; it has Python's type {kind.__name__}")


def _encode_function(function: Fn) -> Any:
    mapping = function.m
    if all(key.__class__ is str and not key.startswith("#") for key in mapping):
        return {key: encode(mapping[key]) for key in sorted(mapping)}
    pairs = sorted(mapping.items(), key=lambda pair: sort_key(pair[0]))
    return {"#map": [[encode(key), encode(item)] for key, item in pairs]}


def decode(document: Any) -> Any:
    """The TLA+ value that a piece of parsed JSON stands for."""
    kind = document.__class__
    if kind is str or kind is int:
        return document
    if kind is list:
        return tuple([decode(item) for item in document])
    if kind is dict:
        if len(document) == 1:
            (name,) = document
            if name[:1] == "#":
                return _decode_named(name, document[name])
        elif any(name[:1] == "#" for name in document):
            raise TraceError(f"an object with a name that begins with # has no other names: {sorted(document)}")
        return make_function({name: decode(item) for name, item in document.items()})
    if kind is bool:
        return boolean(document)
    if document is None:
        raise TraceError("null is no TLA+ value; leave an unchanged variable out, write an absent one as [] or a set")
    raise TraceError(f"{document!r} is no TLA+ value: numbers are integers")


def _decode_named(name: str, content: Any) -> Any:
    if name == "#set" and isinstance(content, list):
        elements = [decode(item) for item in content]
        found = frozenset(elements)
        if len(found) != len(elements):
            raise TraceError("a set lists an element twice; list each once")
        return found
    if name == "#map" and isinstance(content, list):
        return _decode_pairs(content)
    if name == "#bigint" and isinstance(content, str):
        digits = content.removeprefix("-")
        if len(digits) <= MOST_DIGITS and digits.isascii() and digits.isdigit() and str(int(content)) == content:
            return int(content)
        raise TraceError(
            f'{{"#bigint": "{content[:40]}"}} is not an integer of at most {MOST_DIGITS} digits, without leading zeros'
        )
    if name == "#mv" and isinstance(content, str) and content:
        return model_value(content)
    raise TraceError(f"{name} with this content is not known: the names are #set, #map, #bigint, #mv")


def _decode_pairs(content: list[Any]) -> Any:
    pairs: list[tuple[Any, Any]] = []
    for pair in content:
        if not isinstance(pair, list) or len(pair) != 2:
            raise TraceError("#map is a list of pairs [key, value]")
        pairs.append((decode(pair[0]), decode(pair[1])))
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise TraceError("a #map has a key twice; give each key one value")
    return make_function(mapping)
