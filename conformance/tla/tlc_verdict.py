"""What a run of TLC means, read from its numbered messages.

Four rules:

1. A violation that was reported is a violation, whatever the exit status and the
   last line say (under ``-continue`` both claim success).
2. An exit status that is not known to mean a verdict is an error of the tool or
   of the model, never a verdict.
3. Only message numbers decide; English is read for names and places alone.
4. Counts that TLC does not know (it prints -1 in simulation) are None.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import attrs

from conformance.tla.errors import Location
from conformance.tla.printed import UnreadableValueError, parse_state, parse_values
from conformance.tla.tlc_messages import Code, Message, Severity
from conformance.tla.values import Value

__all__ = ["Complaint", "Coverage", "TraceState", "Verdict", "read_verdict"]

_PLACE = re.compile(
    r"line (\d+), col(?:umn)? (\d+) to line (\d+), col(?:umn)? (\d+) (?:of module|in) (\w+)", re.IGNORECASE
)
_SYNTAX_PLACE = re.compile(r"\bline (\d+), column (\d+)\b")
_COUNTS = re.compile(r"(-?\d[\d,]*) states generated.*?(-?\d[\d,]*) distinct states found")
_COVERAGE = re.compile(r"^<(?P<name>.+?) line .*?>: (?P<distinct>\d+):(?P<total>\d+)$")
_STATE = re.compile(r"^(?P<number>\d+): <(?P<label>.*)>$")
_CALL = re.compile(r"^(?P<name>[A-Za-z_][\w!]*)\((?P<args>.*)\)$", re.DOTALL)
_VIOLATED = re.compile(r"^(?:Invariant|Action property|Property) (?P<name>.+?) is violated")

_BEHAVIOR = {Code.BEHAVIOR_SO_FAR, Code.COUNTEREXAMPLE}
_SAFETY = {
    Code.INVARIANT_VIOLATED_INITIAL,
    Code.PROPERTY_VIOLATED_INITIAL,
    Code.INVARIANT_VIOLATED,
    Code.STEP_PROPERTY_VIOLATED,
}
_WORDS = {
    **dict.fromkeys(_SAFETY, "safety"),
    Code.TEMPORAL_VIOLATED: "liveness",
    Code.DEADLOCK: "deadlock",
    Code.ASSUMPTION_FALSE: "assumption",
}


@attrs.frozen
class TraceState:
    """One state of a counterexample and the action that led there (None for the first).

    ``args`` are the action's, where TLC names them: its newer versions do.
    """

    action: str | None
    values: Mapping[str, Value]
    location: Location | None = None
    args: tuple[Value, ...] | None = None


@attrs.frozen
class Coverage:
    """How often an action was taken: into states not seen before, and in all."""

    distinct: int
    total: int


@attrs.frozen
class Complaint:
    """An error as TLC tells it."""

    text: str
    code: int | None = None
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.location}: {self.text}" if self.location is not None else self.text


@attrs.frozen(kw_only=True)
class Verdict:
    """What TLC found out about one model.

    ``violated`` is the name of the invariant or property.  ``distinct`` and
    ``depth`` of a model that is violated depend on the search and are no measure
    of the model.  ``lasso`` is the index, from 0, of the state
    that the last step, ``lasso_action``, returns to; ``stuttering`` is True where the last state
    repeats for ever instead.
    """

    verdict: str
    violated: str | None = None
    generated: int | None = None
    distinct: int | None = None
    depth: int | None = None
    coverage: Mapping[str, Coverage] = attrs.field(factory=dict)
    counterexample: tuple[TraceState, ...] = ()
    lasso: int | None = None
    lasso_action: str | None = None
    stuttering: bool = False
    temporal: bool = False
    vacuous: bool = False
    timed_out: bool = False
    seconds: float = 0.0
    seed: int | None = None
    version: str = ""
    errors: tuple[Complaint, ...] = ()
    warnings: tuple[str, ...] = ()
    printed: tuple[str, ...] = ()
    messages: tuple[Message, ...] = attrs.field(default=(), repr=False)

    @property
    def completed(self) -> bool:
        return self.verdict == "ok"

    @property
    def liveness_evaluated(self) -> bool:
        """Whether the temporal properties, if there are any, were checked on the whole graph."""
        return self.verdict == "liveness" or (self.verdict == "ok" and self.temporal)

    @property
    def exit_status(self) -> int:
        if self.verdict == "ok":
            return 4 if self.vacuous else 0
        if self.verdict == "error":
            return 4 if self.timed_out else 2
        return 1


def read_verdict(messages: Sequence[Message], exit_status: int | None, complaints: Sequence[str] = ()) -> Verdict:
    """The verdict in TLC's messages; ``exit_status`` is None if the run was stopped."""
    top = [message for message in messages if not message.nested]
    violation = next((message for message in top if message.code in _WORDS), None)
    trace = _Trace()
    for message in top:
        trace.take(message)
    errors = _errors(top)
    word = _word(violation, exit_status, errors)
    if word == "error" and not errors:
        errors = (_no_reason(exit_status, complaints),)
    generated, distinct = _counts(top)
    return Verdict(
        verdict=word,
        violated=_violated(violation),
        generated=generated,
        distinct=distinct,
        depth=_depth(top),
        coverage=_coverage(top),
        counterexample=tuple(trace.states) if word != "ok" else (),
        lasso=trace.lasso,
        lasso_action=trace.lasso_action,
        stuttering=trace.stuttering,
        temporal=any(message.code == Code.TEMPORAL_CHECKING for message in top),
        timed_out=exit_status is None,
        seed=_seed(top),
        version=next((message.text for message in top if message.code == Code.VERSION), ""),
        errors=errors,
        warnings=tuple(message.text for message in top if message.severity == Severity.WARNING),
        printed=tuple(message.text for message in top if message.code is None and not message.from_sany),
        messages=tuple(messages),
    )


def _word(violation: Message | None, exit_status: int | None, errors: Sequence[Complaint]) -> str:
    if violation is not None and violation.code is not None:
        return _WORDS[Code(violation.code)]
    if exit_status == 0 and not errors:
        return "ok"
    return "error"


def _violated(violation: Message | None) -> str | None:
    if violation is None:
        return None
    named = _VIOLATED.match(violation.text)
    return named["name"] if named else None


class _Trace:
    """The first counterexample; TLC prints one for each violation where it is told to go on."""

    def __init__(self) -> None:
        self.states: list[TraceState] = []
        self.lasso: int | None = None
        self.lasso_action: str | None = None
        self.stuttering = False
        self._complete = False

    def take(self, message: Message) -> None:
        if self._complete:
            return
        if message.code in (Code.INVARIANT_VIOLATED_INITIAL, Code.PROPERTY_VIOLATED_INITIAL):
            # The only state stands inside the message, below its first line.
            self._add(None, message.text.partition("\n")[2])
            self._complete = True
        elif message.code in _BEHAVIOR and self.states:
            self._complete = True
        elif message.code == Code.STATE:
            self._state(message.text)
        elif message.code == Code.BACK_TO_STATE:
            number, _, rest = message.text.partition(":")
            self.lasso = int(number) - 1
            if label := re.search(r"<(.*)>", rest, re.DOTALL):
                self.lasso_action = _label(label[1])[0]
            self._complete = True
        elif message.code == Code.STUTTERING:
            self.stuttering = True
            self._complete = True

    def _state(self, text: str) -> None:
        first, _, rest = text.partition("\n")
        header = _STATE.match(first)
        if header is None:
            raise UnreadableValueError(f"TLC printed a state that does not begin as one: {first[:80]!r}")
        number, label = int(header["number"]), header["label"]
        self._add(None if number == 1 else label, rest)

    def _add(self, label: str | None, text: str) -> None:
        name, args, place = _label(label) if label else (None, None, None)
        self.states.append(TraceState(name, parse_state(text), place, args))


def _label(label: str) -> tuple[str, tuple[Value, ...] | None, Location | None]:
    """The action that a label names, its arguments where it has them, and its place."""
    place = _PLACE.search(label)
    name = label[: place.start()].strip() if place else label.strip()
    called = _CALL.match(name)
    args = parse_values(called["args"]) if called else None
    return (called["name"] if called else name), args, _location(place) if place else None


def _errors(messages: Iterable[Message]) -> tuple[Complaint, ...]:
    """Every message that tells of an error and is neither a violation nor part of its trace."""
    messages = list(messages)
    found: list[Complaint] = []
    positions = [message for message in messages if message.code == Code.NESTED_EXPRESSION]
    for message in messages:
        if message.code is None or message.severity not in (Severity.ERROR, Severity.BUG):
            continue
        if message.code in _WORDS or message.code in _BEHAVIOR or message.code == Code.NESTED_EXPRESSION:
            continue
        if message.code == Code.SANY_FAILED:
            found.append(_from_sany(messages))
            continue
        place = _PLACE.search(message.text) or _last_place(positions)
        found.append(Complaint(message.text.strip(), message.code, _location(place) if place else None))
    return tuple(found)


def _from_sany(messages: Iterable[Message]) -> Complaint:
    """The parser's own words, which stand outside all frames."""
    lines = [message.text.strip() for message in messages if message.code is None and message.from_sany]
    module = next((line.rpartition("/")[2][:-4] for line in lines if line.startswith("Parsing file")), "")
    useful = [line for line in lines if not line.startswith(("Parsing file", "Semantic processing of"))]
    text = " ".join(useful).strip() or "the module cannot be parsed"
    if place := _PLACE.search(text):
        return Complaint(text, Code.SANY_FAILED, _location(place))
    named = re.search(r"parsing TLA\+ spec in file (\w+)|In module (\w+)|parse module (\w+)", text)
    if named:
        module = next(name for name in reversed(named.groups()) if name)
    if syntax := _SYNTAX_PLACE.search(text):
        line, column = int(syntax[1]), int(syntax[2])
        return Complaint(text, Code.SANY_FAILED, Location(module, line, column, line, column))
    return Complaint(text, Code.SANY_FAILED)


def _no_reason(exit_status: int | None, complaints: Sequence[str]) -> Complaint:
    if exit_status is None:
        return Complaint("TLC was stopped at its time limit; allow it more, or choose smaller bounds")
    said = " ".join(line.strip() for line in complaints if line.strip())
    return Complaint(f"TLC ended with status {exit_status} and named no error. {said}".strip())


def _last_place(positions: Sequence[Message]) -> re.Match[str] | None:
    """The innermost expression of the first chain of positions."""
    if not positions:
        return None
    places = list(_PLACE.finditer(positions[0].text))
    return places[-1] if places else None


def _location(place: re.Match[str]) -> Location:
    line, column, end_line, end_column, module = place.groups()
    return Location(module, int(line), int(column), int(end_line), int(end_column))


def _counts(messages: Sequence[Message]) -> tuple[int | None, int | None]:
    codes = (Code.COUNTS, Code.PROGRESS, Code.SIMULATION_PROGRESS)
    for code in codes:
        for message in reversed(messages):
            if message.code == code and (found := _COUNTS.search(message.text)):
                return _count(found[1]), _count(found[2])
    return None, None


def _count(text: str) -> int | None:
    number = int(text.replace(",", ""))
    return number if number >= 0 else None


def _depth(messages: Iterable[Message]) -> int | None:
    for message in messages:
        if message.code == Code.DEPTH and (found := re.search(r"(\d+)\.?\s*$", message.text)):
            return int(found[1])
    return None


def _coverage(messages: Iterable[Message]) -> dict[str, Coverage]:
    """The last table: TLC prints a running total each minute; one action may have several rows."""
    table: dict[str, Coverage] = {}
    for message in messages:
        if message.code == Code.COVERAGE_BEGINS:
            table = {}
        elif message.code == Code.COVERAGE_ACTION and (row := _COVERAGE.match(message.text.strip())):
            before = table.get(row["name"], Coverage(0, 0))
            table[row["name"]] = Coverage(before.distinct + int(row["distinct"]), before.total + int(row["total"]))
    return table


def _seed(messages: Iterable[Message]) -> int | None:
    for message in messages:
        if message.code in (Code.MODE_SEARCH, Code.MODE_SIMULATION):
            found = re.search(r"seed (-?\d+)", message.text)
            return int(found[1]) if found else None
    return None
