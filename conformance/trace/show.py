"""A run as a table that reads as a story.

One rule: a row tells what was asked, what the service did, and what that changed;
of a function only the entries that changed are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs

from conformance.tla.values import Fn, ModelValue, format_value, sorted_values
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep

__all__ = ["Row", "changes", "format_rows", "plain", "rows_of", "show_text"]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]*\Z")


@attrs.frozen
class Row:
    """One step of the story."""

    step: str
    time: str
    request: str
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


def rows_of(steps: Iterable[TraceStep]) -> list[Row]:
    """The story's rows; the beginning tells no changes."""
    rows: list[Row] = []
    known: dict[str, Any] = {}
    for step in steps:
        values = step.values
        told = changes(known, values) if step.step else []
        known.update(values)
        rows.append(
            Row(
                step=str(step.step),
                time=_time(step),
                request=", ".join(map(_request, step.request)),
                action=_action(step),
                changes=tuple(told),
            )
        )
    return rows


def format_rows(rows: Sequence[Row]) -> list[str]:
    """The rows in columns; a row with several changes goes on below."""
    widths = [
        max((len(text) for text in column), default=0)
        for column in zip(*((row.step, row.time, row.request, row.action) for row in rows), strict=True)
    ]
    lines: list[str] = []
    for row in rows:
        told = list(row.changes) or [""]
        first = (row.step, row.time, row.request, row.action)
        for number, change in enumerate(told):
            cells = first if number == 0 else ("", "", "", "")
            start = f"{cells[0]:>{widths[0]}}  "
            middle = "".join(f"{cell:<{width}}   " for cell, width in zip(cells[1:], widths[1:], strict=True) if width)
            remark = f"   <- {row.remark}" if row.remark and number == 0 else ""
            lines.append(f"  {start}{middle}{change}{remark}".rstrip())
    return lines


def show_text(header: Header, steps: Sequence[TraceStep], footer: Footer | None) -> str:
    """The whole run as text."""
    observed = sum(map(len, header.observes.values()))
    lines = [f"{header.module}   target {header.target}   {observed} variables shown"]
    if header.why:
        lines.append(header.why)
    lines += ["", *format_rows(rows_of(steps)), ""]
    if footer is None:
        lines.append("cut short: the trace has no footer")
    else:
        lines.append(f"ended {footer.end}" + (f": {footer.note}" if footer.note else ""))
        lines += [f"asked after the last step: {_request(each)}" for each in footer.requests]
    return "\n".join(lines) + "\n"


def _action(step: TraceStep) -> str:
    if step.step == 0:
        return "begins"
    if step.action is None:
        return "-"
    return f"{step.action}({', '.join(map(plain, step.args))})" if step.args else step.action


def _time(step: TraceStep) -> str:
    begin, end = step.begin_ms, step.end_ms
    if begin is None or end is None or begin == end:
        moment = end if begin is None else begin
        return "" if moment is None else f"{moment:g} ms"
    return f"{begin:g}-{end:g} ms"


def _request(request: Mapping[str, Any]) -> str:
    words = [str(request.get("do", ""))]
    for name in sorted(request):
        if name != "do":
            value = request[name]
            words.append(value if isinstance(value, str) else f"{name}={_json(value)}")
    return " ".join(words)


def _json(value: Any) -> str:
    from conformance.trace.strict import dump

    return dump(value)


def _key(key: Any) -> str:
    return ", ".join(map(plain, key)) if isinstance(key, tuple) else plain(key)
