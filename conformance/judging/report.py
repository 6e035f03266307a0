"""A divergence as a page: what was done, what was seen, what the specification needed, what it allows.

One rule: the page is the same wherever the divergence was found, whether by a
fuzz, by `conform check` or by `conform replay`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from conformance.judging.divergence import Divergence, Kind, call
from conformance.judging.verdict import Holes, TraceVerdict, Word
from conformance.tla.values import format_value
from conformance.trace.header import Header
from conformance.trace.show import Row, changes, format_rows, one_line, rows_of
from conformance.trace.step import TraceStep

if TYPE_CHECKING:
    from conformance.tla.model import Step

__all__ = ["allowed_line", "render_divergence", "render_verdict"]

ROWS_SHOWN = 30
STEPS_LISTED = 8
ALIKE_LISTED = 2


def render_divergence(
    header: Header, steps: Sequence[TraceStep], divergence: Divergence, *, kept: str | None = None
) -> str:
    """The page about one divergence; ``steps`` are the run's, step 0 first; ``kept`` is the file that has them."""
    last = steps[-1].step if steps else 0
    specification = divergence.module or header.module
    lines = [
        f"diverged at step {divergence.step} of {max(last, divergence.step)}"
        f"          spec {specification}   target {header.target}",
        "",
        *_table(header, steps, divergence),
        "",
        *divergence.reasons(),
    ]
    allowed = allowed_line(divergence)
    if allowed:
        lines.append(allowed)
    if kept is not None:
        lines += ["", f"kept as {kept}      again: conform replay {kept}"]
    return "\n".join(map(one_line, lines)) + "\n"


def render_verdict(verdict: TraceVerdict, name: str, *, has_page: bool = False) -> str:
    """What is said of one run, and what it rests on; a divergence may have a page that gives the reason."""
    ended = f", ended {verdict.end}" if verdict.end else ""
    actions = ", ".join(f"{action} {count}" for action, count in sorted(verdict.actions.items())) or "none"
    constants = ", ".join(f"{constant} = {_brief(value)}" for constant, value in verdict.constants.items())
    where = ""
    if verdict.divergence is not None and not has_page:
        where = f"at step {verdict.divergence.step}: "
    judge = "" if verdict.judged_by == "python" else f" {verdict.judged_by.upper()} and"
    lines = [
        f"{verdict.word.value:<9}  {name}   {verdict.steps} steps judged{ended}",
        f"           {where}{verdict.reason}" if verdict.word is not Word.ACCEPTED and not has_page else "",
        f"           by{judge} {verdict.specification}: {len(verdict.invariants)} invariants and"
        f" {len(verdict.step_properties)} step properties, {verdict.evaluations} evaluations",
        f"           actions taken: {actions}",
        f"           constants: {constants}",
        f"           compositions: {', '.join(verdict.compositions) or 'none'}",
        *(f"           not asked of this run: {name}" for name in verdict.unchecked_properties),
        *(f"           {line}" for line in _holes(verdict.holes)),
    ]
    return "\n".join(one_line(line) for line in lines if line) + "\n"


def _holes(holes: Holes | None) -> Iterator[str]:
    if holes is None:
        return
    silent = f", up to {holes.silent} steps unseen between two" if holes.silent else ""
    yield f"states that fit: {holes.candidates} in the end, {holes.widest} at most{silent}"
    if holes.merged:
        classes = ", ".join(f"{count} of {name}" for name, count in holes.merged.items())
        yield f"merged, as nothing tells them apart: {classes}"
    elif holes.not_merged:
        yield f"no ids were merged: {holes.not_merged}"
    for name, step in holes.possible.items():
        yield f"possibly broken: {name}, first at step {step}, on some of the ways that fit"


def allowed_line(divergence: Divergence) -> str:
    """What the specification allows instead: the steps about the same ids first, of many steps of an action one."""
    steps = divergence.allowed()
    if not steps:
        return ""
    named = {value for value in divergence.args or () if isinstance(value, str)}
    steps.sort(key=lambda step: -len(named.intersection(value for value in step.args if isinstance(value, str))))
    by_action: dict[str, list[Step]] = {}
    for step in steps:
        by_action.setdefault(step.action, []).append(step)
    listed: list[str] = []
    for action, (first, *others) in by_action.items():
        if len(others) < ALIKE_LISTED:
            listed += map(_call, (first, *others))
        else:
            listed.append(f"{_call(first)} and {len(others)} more of {action}")
    more = f", and {len(listed) - STEPS_LISTED} more" if len(listed) > STEPS_LISTED else ""
    return f"The spec allows here: {', '.join(listed[:STEPS_LISTED])}{more}."


def _table(header: Header, steps: Sequence[TraceStep], divergence: Divergence) -> list[str]:
    shown = [step for step in steps if step.step <= divergence.step]
    rows = rows_of(shown, header)
    if rows and divergence.step > 0:
        rows = rows[1:]
        shown = shown[1:]
    remark = _remark(divergence)
    last = shown[-1] if shown else None
    at_the_end = divergence.kind in (Kind.NOT_QUIESCENT, Kind.LIVENESS)
    if last is not None and (at_the_end or (last.step, last.action) == (divergence.step, divergence.action)):
        rows[-1] = attrs.evolve(rows[-1], remark=remark)
    else:
        rows.append(Row("", "", (), "(nobody reported)", _seen(divergence), remark))
    hidden = len(rows) - ROWS_SHOWN
    before = [f"  … {hidden} steps before"] if hidden > 0 else []
    return before + format_rows(rows[-ROWS_SHOWN:])


def _seen(divergence: Divergence) -> tuple[str, ...]:
    if divergence.variable is None:
        return ()
    before: Mapping[str, Any] = {divergence.variable: divergence.expected}
    return tuple(changes(before, {divergence.variable: divergence.observed}))


def _remark(divergence: Divergence) -> str:
    kind = divergence.kind
    if kind is Kind.WRONG_OBSERVATION:
        return f"{divergence.variable} is not what the spec leaves"
    if kind is Kind.UNREPORTED_CHANGE:
        return "not reported"
    if kind in (Kind.INVARIANT, Kind.STEP_PROPERTY, Kind.BROKEN_BEFORE, Kind.LIVENESS):
        return f"breaks {', '.join(divergence.failing)}"
    if kind is Kind.NOT_QUIESCENT:
        return "not the end: something is owed"
    return str(kind.value)


def _call(step: Step) -> str:
    return call(step.action, step.args)


def _brief(value: Any) -> str:
    text = format_value(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
