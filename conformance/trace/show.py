"""A run as a table that reads as a story.

Four rules:

1. A row tells what was asked, what the service did, and what that changed; of a
   function only the entries that changed are told.
2. Variables stand in the order in which the header lists them, wherever the run
   comes from: a file, whose names are sorted, or memory.
3. What is very long is folded, and says how long it is; the whole of it is there
   for those who ask.
4. No character of a run moves the cursor or begins a line: what does not print is
   written as its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from conformance.tla.values import Fn, ModelValue, format_value, sorted_values
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep, call

__all__ = ["FOLDED_AT", "Row", "changes", "format_rows", "one_line", "plain", "rows_of", "show_text"]

FOLDED_AT = 400
"""How many characters of one change are told where nobody asks for all."""

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]*\Z")


@attrs.frozen
class Row:
    """One step of the story."""

    step: str
    time: str
    requests: tuple[str, ...]
    action: str
    changes: tuple[str, ...]
    remark: str = ""


def plain(value: Any) -> str:
    """A value as a person would write it: as TLA+ does, words without quotes."""
    kind = value.__class__
    if kind is str:
        return str(value) if _WORD.match(value) else format_value(value)
    if kind is tuple:
        return "<<" + ", ".join(map(plain, value)) + ">>"
    if kind is frozenset:
        return "{" + ", ".join(map(plain, sorted_values(value))) + "}"
    if kind is Fn:
        keys = sorted_values(value.m)
        if all(key.__class__ is str for key in keys):
            return "[" + ", ".join(f"{key} {plain(value.m[key])}" for key in keys) + "]"
        return "[" + ", ".join(f"{_key(key)}: {plain(value.m[key])}" for key in keys) + "]"
    return value.name if kind is ModelValue else format_value(value)


def one_line(text: str) -> str:
    """The text with every character that does not print written as its number."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What differs, a phrase for each variable or for each entry of a function."""
    told: list[str] = []
    for name, value in after.items():
        old = before.get(name)
        if old == value:
            continue
        if isinstance(old, Fn) and isinstance(value, Fn) and old.m.keys() == value.m.keys():
            told.extend(
                f"{name}[{_key(key)}] {plain(value.m[key])}"
                for key in sorted_values(value.m)
                if old.m[key] != value.m[key]
            )
        else:
            told.append(f"{name} {plain(value)}")
    return told


def rows_of(steps: Iterable[TraceStep], header: Header, *, full: bool = False) -> list[Row]:
    """The story's rows; the beginning tells no changes, and long ones are folded unless they are asked for in full."""
    rows: list[Row] = []
    known: dict[str, Any] = {}
    order = {name: place for place, name in enumerate(name for names in header.observes.values() for name in names)}
    for step in steps:
        values = dict(sorted(step.values.items(), key=lambda pair: order.get(pair[0], len(order))))
        told = changes(known, values) if step.step else []
        known.update(values)
        rows.append(
            Row(
                step=str(step.step),
                time=_time(step),
                requests=tuple(_request(each, step.args or ()) for each in step.request),
                action=_action(step),
                changes=tuple(told if full else map(_folded, told)),
            )
        )
    return rows


def format_rows(rows: Sequence[Row]) -> list[str]:
    """The rows in columns; a row with several requests or changes goes on below."""
    cells = [tuple(map(one_line, line)) for row in rows for line in _lines(row)]
    widths = [max((len(line[column]) for line in cells), default=0) for column in range(4)]
    formatted: list[str] = []
    for step, time, request, action, change in cells:
        middle = "".join(
            f"{cell:<{width}}   " for cell, width in zip((time, request, action), widths[1:], strict=True) if width
        )
        formatted.append(f"  {step:>{widths[0]}}  {middle}{change}".rstrip())
    return formatted


def _lines(row: Row) -> list[tuple[str, str, str, str, str]]:
    """A row as lines of step, time, request, action, change."""
    told = [*row.changes] or [""]
    if row.remark:
        told[0] = f"{told[0]}   <- {row.remark}"
    requests = [*row.requests] or [""]
    depth = max(len(told), len(requests))
    told += [""] * (depth - len(told))
    requests += [""] * (depth - len(requests))
    first = [(row.step, row.time, requests[0], row.action, told[0])]
    return first + [("", "", request, "", change) for request, change in zip(requests[1:], told[1:], strict=True)]


def show_text(header: Header, steps: Sequence[TraceStep], footer: Footer | None, *, full: bool = False) -> str:
    """The whole run as text."""
    observed = sum(map(len, header.observes.values()))
    modules = ", ".join(sorted(header.observes)) or header.module
    lines = [f"{modules}   target {header.target}   {observed} variables shown"]
    if header.why:
        lines.append(header.why)
    lines += ["", *format_rows(rows_of(steps, header, full=full)), ""]
    if footer is None:
        lines.append("cut short: the trace has no footer")
    else:
        lines.append(f"ended {footer.end}" + (f": {footer.note}" if footer.note else ""))
        lines += [f"asked after the last step: {_request(each)}" for each in footer.requests]
    return "\n".join(map(one_line, lines)) + "\n"


def _folded(change: str) -> str:
    return change if len(change) <= FOLDED_AT else f"{change[:FOLDED_AT]}… ({len(change):,} characters)"


def _action(step: TraceStep) -> str:
    if step.step == 0:
        return "begins"
    if step.action is None:
        return "-"
    return call(step.action, step.args, plain)


def _time(step: TraceStep) -> str:
    begin, end = step.begin_ms, step.end_ms
    if begin is None or end is None or begin == end:
        moment = end if begin is None else begin
        return "" if moment is None else f"{moment:g} ms"
    return f"{begin:g}-{end:g} ms"


def _request(request: Mapping[str, Any], args: tuple[Any, ...] = ()) -> str:
    """What was asked; what the action repeats is left to the action, but for what it is about."""
    words: list[str] = []
    numbers: list[str] = []
    flags: list[str] = []
    for name in sorted(request):
        value = request[name]
        if name == "do" or value is False or value in args[1:]:
            continue
        if isinstance(value, str):
            words.append(value)
        elif value is True:
            flags.append(name)
        else:
            numbers.append(f"{name}={_json(value)}")
    return " ".join([str(request.get("do", "")), *words, *numbers, *flags])


def _json(value: Any) -> str:
    from conformance.trace.strict import dump

    return dump(value)


def _key(key: Any) -> str:
    return ", ".join(map(plain, key)) if isinstance(key, tuple) else plain(key)
