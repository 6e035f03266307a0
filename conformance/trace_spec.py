"""A trace as a model for TLC: the same verdict, by the reference tool.

Four rules:

1. The run becomes a module that extends the specification: a sequence of its
   steps, and a variable that counts how many are consumed.  The next step must be
   the named action with its arguments and must leave what the run shows.
2. The run is accepted only if TLC reaches a state in which every step is consumed;
   that this never happens is the *last* of the invariants that TLC checks.
3. What is wrong with the text or the types is found before TLC starts, by the
   same code as for the other judge; what is owed at the end is asked in the last
   state, which is TLC's.
4. Numbers are finite here: they range a little beyond the greatest in the trace.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs

from conformance.judge import Divergence, Judge, Kind, TraceVerdict
from conformance.judging.check import judge_for, shown_steps, survey_trace
from conformance.judging.instances import domains_of, greatest_number
from conformance.judging.profile import Profile, seed_profile
from conformance.tla.errors import TlaError
from conformance.tla.values import LazySet, format_value
from conformance.trace.errors import TraceError
from conformance.trace.reader import open_trace
from conformance.trace.step import ANY, TraceStep

if TYPE_CHECKING:
    from conformance.tla.tlc_verdict import Verdict

__all__ = ["check_trace_with_tlc", "trace_module"]

CONSUMED: Final = "TraceNotConsumed"
OPEN: Final = " (open)"
"""Stands behind the name of an action some of whose arguments are left open."""
HEAP_MB: Final = 1024

Shown = list[tuple[TraceStep, dict[str, Any]]]


def check_trace_with_tlc(path: Path, profile: Profile | None = None) -> TraceVerdict:
    """Judge one file by TLC."""
    from conformance.tla import tlc

    chosen = profile or seed_profile()
    survey = survey_trace(path, chosen)
    ids = survey.ids
    if survey.concurrent:
        raise TraceError("TLC judges one order of the steps, and this run leaves some open", source=str(path))
    with open_trace(path) as reader:
        judge = judge_for(reader.header, ids, chosen)
        shown: Shown = []
        for step, values in shown_steps(reader, judge, ids):
            if step.step == 0:
                judge.admission.admit_beginning(values)
            elif step.action is not None:
                judge.admission.admit(step.action, step.args)
            shown.append((step, values))
        footer, cut_short = reader.footer, reader.cut_short
        observed = [name for names in reader.header.observes.values() for name in names]
    name = f"{chosen.module.stem}Trace"
    with tempfile.TemporaryDirectory(prefix="conform-trace-") as folder:
        module = Path(folder) / f"{name}.tla"
        config = Path(folder) / f"{name}.cfg"
        text, cfg = trace_module(judge, shown, observed, name)
        module.write_text(text, encoding="utf-8")
        config.write_text(cfg, encoding="utf-8")
        verdict = tlc.run(
            module,
            config,
            check_deadlock=False,
            heap_mb=HEAP_MB,
            search=(chosen.module.parent,),
        )
    divergence = _divergence(verdict, shown, judge)
    if divergence is None and footer is not None and footer.end == "quiescent":
        divergence = _owed(verdict, judge, len(shown) - 1)
    return _verdict(judge, shown, divergence, footer.end if footer else None, cut_short)


def trace_module(judge: Judge, shown: Shown, observed: list[str], name: str) -> tuple[str, str]:
    """The module that consumes the run, and its configuration."""
    model = judge.model
    # A number that the run does not show grows by its steps at most.
    bound = 1 + len(shown) + greatest_number([[*values.values(), *(step.args or ())] for step, values in shown])
    constants = {
        each: f"0..{bound}" if isinstance(value, LazySet) else format_value(value)
        for each, value in model.constants.items()
    }
    lines = [
        f"---- MODULE {name} ----",
        f"EXTENDS {model.module}, Integers, Sequences, TLC",
        "VARIABLE TraceAt",
        *(f"TraceConstant{each} == {value}" for each, value in constants.items()),
        "TraceSteps == <<",
        ",\n".join(f"  {_record(judge, bound, step, values)}" for step, values in shown[1:]),
        ">>",
        "TraceInit ==",
        "  /\\ Init",
        "  /\\ TraceAt = 0",
        *(f"  /\\ {variable} = {format_value(value)}" for variable, value in shown[0][1].items()),
        *_next(judge, shown, observed),
        f"{CONSUMED} == TraceAt <= Len(TraceSteps)",
        "====",
    ]
    cfg = ["INIT TraceInit", "NEXT TraceNext", "CONSTANTS"]
    cfg += [f"  {each} <- TraceConstant{each}" for each in constants]
    cfg += [f"  {each} <- {operator}" for each, operator in model.config.overrides.items() if each not in constants]
    cfg += ["INVARIANTS", *(f"  {each}" for each in model.invariants), f"  {CONSUMED}"]
    if model.step_properties:
        cfg += ["PROPERTIES", *(f"  {each}" for each in model.step_properties)]
    return "\n".join(lines) + "\n", "\n".join(cfg) + "\n"


def _next(judge: Judge, shown: Shown, observed: list[str]) -> list[str]:
    """The next step of the run; after the last, one that changes nothing.

    TLC asks for the invariants before it asks for the step properties: were the last
    step itself the end, a property that it breaks would not be heard.
    """
    unchanged = f"UNCHANGED <<{', '.join(judge.model.variables)}>>"
    closed = sorted({step.action for step, _ in shown if step.action is not None and not step.is_open})
    opened = sorted({step.action for step, _ in shown if step.action is not None and step.is_open})
    return [
        "TraceTaken(TraceLine) ==",
        f'  \\/ TraceLine.action = "" /\\ {unchanged}',
        *(f"  \\/ {_way(action, len(judge.model.actions[action].parameters))}" for action in closed),
        *(f"  \\/ {_open_way(judge, action)}" for action in opened),
        "TraceNext ==",
        "  \\/ /\\ TraceAt < Len(TraceSteps)",
        "     /\\ LET TraceLine == TraceSteps[TraceAt + 1] IN",
        "        /\\ TraceTaken(TraceLine)",
        *(f"        /\\ {each}' = {_shown(each)}" for each in observed),
        "     /\\ TraceAt' = TraceAt + 1",
        f"  \\/ TraceAt = Len(TraceSteps) /\\ TraceAt' = TraceAt + 1 /\\ {unchanged}",
    ]


def _record(judge: Judge, bound: int, step: TraceStep, values: Mapping[str, Any]) -> str:
    # One field always stands, so that what changed is a record even where nothing did.
    after = ", ".join([f"trace_step |-> {step.step}", *(f"{name} |-> {format_value(values[name])}" for name in values)])
    if step.action is not None and step.is_open:
        args = ", ".join(_choices(judge, bound, step))
        return f'[action |-> "{step.action}{OPEN}", args |-> <<{args}>>, after |-> [{after}]]'
    args = ", ".join(map(format_value, step.args or ()))
    return f"[action |-> {format_value(step.action or '')}, args |-> <<{args}>>, after |-> [{after}]]"


def _shown(variable: str) -> str:
    """What a step shows of a variable: unchanged where it does not mention it."""
    return f'IF "{variable}" \\in DOMAIN TraceLine.after THEN TraceLine.after["{variable}"] ELSE {variable}'


def _way(action: str, arity: int) -> str:
    args = ", ".join(f"TraceLine.args[{number}]" for number in range(1, arity + 1))
    return f'TraceLine.action = "{action}" /\\ {action}{f"({args})" if arity else ""}'


def _choices(judge: Judge, bound: int, step: TraceStep) -> Iterator[str]:
    """For each argument of a step that leaves some open the set that it is from."""
    assert step.action is not None
    if step.action == ANY:
        return
    domains = domains_of(judge.model, step.action)
    for told, domain in zip(step.args or (None,) * len(domains), domains, strict=True):
        if told is not None:
            yield "{" + format_value(told) + "}"
        elif domain is None:
            raise TraceError(f"step {step.step}: TLC cannot be asked for the arguments that {step.action} leaves open")
        else:
            yield f"0..{bound}" if isinstance(domain, LazySet) else format_value(domain)


def _open_way(judge: Judge, action: str) -> str:
    if action == ANY:
        if judge.model.next_name is None:
            raise TraceError(f"TLC cannot be asked for any step of {judge.model.module}: its Next has no name")
        return f'TraceLine.action = "{action}{OPEN}" /\\ {judge.model.next_name}'
    numbers = range(1, len(judge.model.actions[action].parameters) + 1)
    chosen = ", ".join(f"TraceArg{number} \\in TraceLine.args[{number}]" for number in numbers)
    args = ", ".join(f"TraceArg{number}" for number in numbers)
    taken = f"\\E {chosen} : {action}({args})" if chosen else action
    return f'TraceLine.action = "{action}{OPEN}" /\\ {taken}'


def _divergence(verdict: Verdict, shown: Shown, judge: Judge) -> Divergence | None:
    """Where TLC could not go on, or what it found broken; None where every step was consumed."""
    if verdict.verdict == "safety":
        if verdict.violated == CONSUMED:
            return None
        failing = (verdict.violated or "a property",)
        kind = Kind.INVARIANT if verdict.violated in judge.model.invariants else Kind.STEP_PROPERTY
        return _part(kind, len(verdict.counterexample) - 1, shown, failing=failing)
    if verdict.verdict != "ok":
        said = "; ".join(error.text for error in verdict.errors) or verdict.verdict
        raise TlaError(f"TLC could not judge the trace: {said}")
    if not verdict.distinct:
        return _part(Kind.NOT_INITIAL, 0, shown)
    step = verdict.depth or 0
    unreported = step < len(shown) and shown[step][0].action is None
    return _part(Kind.UNREPORTED_CHANGE if unreported else Kind.NOT_ALLOWED, step, shown)


def _owed(verdict: Verdict, judge: Judge, last: int) -> Divergence | None:
    from conformance.judging.quiescence import fair_actions, owed

    values = verdict.counterexample[-1].values
    state = tuple(values[name] for name in judge.model.variables)
    steps = owed(judge.model, state, fair_actions(judge.model))
    return Divergence(kind=Kind.NOT_QUIESCENT, step=last, owed=steps) if steps else None


def _part(kind: Kind, step: int, shown: Shown, failing: tuple[str, ...] = ()) -> Divergence:
    line = shown[step][0] if step < len(shown) else None
    return Divergence(
        kind=kind,
        step=step,
        action=line.action if line is not None else None,
        args=line.args if line is not None else (),
        failing=failing,
    )


def _verdict(
    judge: Judge, shown: Shown, divergence: Divergence | None, end: str | None, cut_short: str
) -> TraceVerdict:
    """What the judge of Python would say of the same steps."""
    last = divergence.step if divergence is not None else len(shown) - 1
    judged = [step for step, _ in shown[1 : last + 1]]
    refused = divergence is not None and divergence.kind is not Kind.NOT_QUIESCENT
    taken = judged[:-1] if refused else judged
    judge.steps = len(judged)
    judge.actions_taken = Counter(step.action for step in taken if step.action is not None)
    word, reason = judge.word(end, divergence, cut_short if end is None else "")
    if divergence is not None and divergence.kind in (Kind.NOT_ALLOWED, Kind.UNREPORTED_CHANGE):
        # TLC does not tell a step that is not allowed from one that leaves something else.
        step = "step" if divergence.action is None else f"step {divergence.label}"
        reason = f"TLC finds no {step} here that leaves what the run shows"
    verdict = judge.verdict(word, reason, end, divergence)
    evaluations = len(judged) * len(judge.model.step_properties) + (len(judged) + 1) * len(judge.model.invariants)
    return attrs.evolve(verdict, judged_by="tlc", evaluations=evaluations)
