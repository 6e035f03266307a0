"""One step of a run, as a line of a trace.

Four rules:

1. The columns stand in one order, which tells the step as a story: ``step``,
   ``action``, ``args``, ``host``, ``seq``, ``begin_ms``, ``end_ms``, ``request``,
   ``new``, ``after``.  A column that is empty or not known is left out; ``step``,
   ``action`` and ``args`` always stand.  All other objects have sorted names.
2. ``action`` is null for a stutter: something was asked, and no action of the
   specification was taken.  Step 0 is the beginning: it has no action, it shows
   every observed variable, and in ``new`` every id that exists from the start.
3. What was not logged is left open: an action that is not named is ``"?"``, an
   argument that is not known is null, and so is ``args`` where none of them is.
4. ``after`` has only what changed, each variable whole, under the module that
   owns it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from conformance.tla.values import format_value
from conformance.trace.errors import TraceError
from conformance.trace.header import read_requests, refuse_others
from conformance.trace.strict import canonical
from conformance.trace.values import decode, encode

__all__ = ["ANY", "TraceStep", "call", "is_open"]

ANY: Final = "?"
"""What a trace writes for an action that it does not name."""

_COLUMNS = ("step", "action", "args", "host", "seq", "begin_ms", "end_ms", "request", "new", "after")

_MOMENT = (int, float)


@attrs.frozen(kw_only=True)
class TraceStep:
    """One step; times are in milliseconds of the run's own clock."""

    step: int
    action: str | None
    args: tuple[Any, ...] | None = ()
    host: str | None = None
    seq: int | None = None
    begin_ms: int | float | None = None
    end_ms: int | float | None = None
    request: tuple[Mapping[str, Any], ...] = ()
    new: Mapping[str, tuple[str, ...]] = attrs.field(factory=dict)
    after: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)

    @property
    def values(self) -> dict[str, Any]:
        """What changed, by variable; a variable has one owner, so that names cannot clash."""
        found: dict[str, Any] = {}
        for variables in self.after.values():
            found.update(variables)
        return found

    @property
    def label(self) -> str:
        """The action with its arguments."""
        if self.action is None:
            return ""
        return call(self.action, self.args, format_value)

    @property
    def is_open(self) -> bool:
        """Tell whether the step leaves out its action or some of its arguments."""
        return is_open(self.action, self.args)

    def as_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "step": self.step,
            "action": self.action,
            "args": None if self.args is None else [None if each is None else encode(each) for each in self.args],
        }
        if self.host is not None:
            document["host"] = self.host
        if self.seq is not None:
            document["seq"] = self.seq
        if self.begin_ms is not None:
            document["begin_ms"] = _whole(self.begin_ms)
        if self.end_ms is not None:
            document["end_ms"] = _whole(self.end_ms)
        if self.request:
            document["request"] = [canonical(dict(each)) for each in self.request]
        if self.new:
            document["new"] = {name: list(self.new[name]) for name in sorted(self.new)}
        if self.after:
            document["after"] = {
                module: {name: encode(values[name]) for name in sorted(values)}
                for module, values in sorted(self.after.items())
            }
        return document

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> TraceStep:
        if not document.keys() <= _KNOWN:
            refuse_others(document, _COLUMNS, "the step")
        number = document["step"]
        if number.__class__ is not int or number < 0:
            raise TraceError(f"the number of the step is {number!r}; steps are counted 0, 1, 2, …")
        action = document.get("action")
        if action is not None and (not isinstance(action, str) or not action):
            raise TraceError(f"the action is {action!r}; it is a name, or null where no action was taken")
        args = document.get("args", [] if action is None else None)
        if args is not None and not isinstance(args, list):
            raise TraceError("args is not a list; arguments stand in the order of the action's parameters")
        if action is None and args != []:
            raise TraceError("a step without an action has arguments")
        if action == ANY and args:
            raise TraceError('a step whose action is not named ("?") has arguments; nobody knows of what')
        return cls(
            step=number,
            action=action,
            args=None if args is None else tuple([None if each is None else decode(each) for each in args]),
            host=_host(document.get("host")),
            seq=_seq(document.get("seq")),
            **_moments(document),
            request=read_requests(document["request"], "the step's requests") if "request" in document else (),
            new=_new(document["new"]) if "new" in document else {},
            after=_after(document["after"]) if "after" in document else {},
        )


_KNOWN = frozenset(_COLUMNS)


def call(action: str, args: tuple[Any, ...] | None, show: Callable[[Any], str] = format_value) -> str:
    """An action with its arguments; what is not known is an ellipsis."""
    if args is None:
        return action if action == ANY else f"{action}(…)"
    return f"{action}({', '.join('…' if each is None else show(each) for each in args)})" if args else action


def is_open(action: str | None, args: tuple[Any, ...] | None) -> bool:
    """Tell whether the action or some of its arguments are left out."""
    return args is None or action == ANY or None in args


def _whole(moment: int | float) -> int | float:
    """A moment without a fraction is written as an integer, so that equal moments are equal bytes."""
    return int(moment) if moment == int(moment) else moment


def _host(host: Any) -> str | None:
    if host is not None and not isinstance(host, str):
        raise TraceError("host is not a name")
    return host


def _seq(seq: Any) -> int | None:
    if seq is not None and (seq.__class__ is not int or seq < 0):
        raise TraceError("seq is not a count")
    return seq if seq is None else int(seq)


def _moments(document: dict[str, Any]) -> dict[str, Any]:
    begin, end = document.get("begin_ms"), document.get("end_ms")
    for name, moment in (("begin_ms", begin), ("end_ms", end)):
        if moment is not None and moment.__class__ not in _MOMENT:
            raise TraceError(f"{name} is not a number of milliseconds")
    if begin is not None and end is not None and end < begin:
        raise TraceError(f"the step ends at {end} ms, before it begins at {begin} ms")
    return {"begin_ms": begin, "end_ms": end}


def _new(document: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(document, dict):
        raise TraceError('new is not an object such as {"Poll":["p7"]}')
    found: dict[str, tuple[str, ...]] = {}
    for name, ids in document.items():
        if not isinstance(ids, list) or not all(isinstance(each, str) and each for each in ids):
            raise TraceError(f"new {name} is not a list of ids, which are strings")
        if len(set(ids)) != len(ids):
            raise TraceError(f"new {name} names an id twice")
        found[name] = tuple(ids)
    return found


def _after(document: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(document, dict):
        raise TraceError("after is not an object: {module: {variable: value}}")
    found: dict[str, dict[str, Any]] = {}
    for module, values in document.items():
        if not isinstance(values, dict):
            raise TraceError(f"after {module} is not an object of variables and their values")
        variables: dict[str, Any] = {}
        for name, value in values.items():
            try:
                variables[name] = decode(value)
            except TraceError as error:
                raise TraceError(f"{module}.{name}: {error.message}") from error
        found[module] = variables
    return found
