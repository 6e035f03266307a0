"""Mutants of the specification, and the recorded matrix of what each one breaks.

A mutant is a small, named change of a module that a correct specification must
forbid: some invariant or property of the module's model has to fail.

Five rules:

1. A mutant's anchor stands in its module exactly once.
2. No row of the matrix is empty: each mutant is killed, by what its entry expects at least.
3. No column is empty: each invariant and property of the model kills a mutant.
4. Two properties that kill exactly the same mutants are one too many, unless an
   entry under ``justified`` says why both stay.
5. The record holds for the very text it was computed from: what the rows of a module
   depend on is hashed, and a record of another text is stale.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from conformance.documents import DocumentError, load_yaml
from conformance.paths import spec_directory
from conformance.specs import RegistryError
from conformance.tla.config import parse_config
from conformance.tla.text import read_source
from conformance.tla.tlc import needed_modules

__all__ = [
    "Matrix",
    "Mutant",
    "Outcome",
    "Plan",
    "Subject",
    "load_matrix",
    "load_mutants",
    "matrix_as_json",
    "matrix_lines",
    "problems_of",
    "recorded_problems",
    "save_matrix",
]

REFRESH = "conform check-spec --mutants"


@attrs.frozen(kw_only=True)
class Subject:
    """The model on which the mutants of one module are tried; ``liveness`` are its cfgs with temporal properties."""

    module: str
    model: str
    config: str
    liveness: tuple[str, ...] = attrs.field(default=(), converter=tuple)

    @property
    def configs(self) -> tuple[str, ...]:
        return (self.config, *self.liveness)


@attrs.frozen(kw_only=True)
class Mutant:
    """One change: the text ``find`` of a module becomes ``replace``.

    ``config`` is another cfg of the module's model, where the one that is usual has not what
    the change needs to show; ``liveness`` asks TLC for the liveness cfgs too.
    """

    name: str
    module: str
    find: str
    replace: str
    why: str
    killed_by: tuple[str, ...]
    config: str | None = None
    liveness: bool = False


@attrs.frozen
class Outcome:
    """What a mutant breaks, and the cell of its row that TLC has confirmed."""

    name: str
    killed_by: tuple[str, ...]
    states: int
    complete: bool = True
    deadlock: bool = False
    error: str | None = None
    confirmed: str | None = None


@attrs.frozen
class Matrix:
    """The rows, and for each module the hash of the text that its rows were computed from."""

    digests: Mapping[str, str]
    outcomes: tuple[Outcome, ...]


@attrs.frozen
class Plan:
    """``mutants.yaml``, and the folders that it speaks of."""

    path: Path
    subjects: tuple[Subject, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    justified: tuple[tuple[frozenset[str], str], ...] = ()

    @property
    def spec(self) -> Path:
        return self.path.parent

    @property
    def models(self) -> Path:
        return self.path.parent / "models"

    @property
    def record(self) -> Path:
        return self.path.with_suffix(".lock.yaml")

    def subject(self, mutant: Mutant) -> Subject:
        """The model on which the mutant is tried."""
        for subject in self.subjects:
            if subject.module == mutant.module:
                return subject if mutant.config is None else attrs.evolve(subject, config=mutant.config)
        raise RegistryError(f"{self.path.name}: no model is named for the module {mutant.module} of {mutant.name}")

    def module_path(self, mutant: Mutant) -> Path:
        return self.spec / f"{mutant.module}.tla"

    def columns(self, module: str) -> list[str]:
        """The invariants and properties that must each kill a mutant of the module."""
        names: list[str] = []
        for subject in self.subjects:
            if subject.module == module:
                for config in subject.configs:
                    parsed = parse_config(self.models / config)
                    names += [*parsed.invariants, *parsed.properties]
        return list(dict.fromkeys(names))

    def modules(self) -> list[str]:
        """The modules that have mutants."""
        return list(dict.fromkeys(mutant.module for mutant in self.mutants))

    def digests(self) -> dict[str, str]:
        """For each module the hash of all text that its rows depend on."""
        return {module: self._digest(module) for module in self.modules()}

    def _digest(self, module: str) -> str:
        mutants = [mutant for mutant in self.mutants if mutant.module == module]
        subjects = {subject for subject in self.subjects if subject.module == module} | set(map(self.subject, mutants))
        paths: set[Path] = set()
        for subject in subjects:
            paths.update(needed_modules(self.models / f"{subject.model}.tla"))
            paths.update(self.models / config for config in subject.configs)
        hashed = hashlib.sha256(
            repr((sorted(map(attrs.astuple, subjects)), list(map(attrs.astuple, mutants)))).encode()
        )
        for path in sorted(paths):
            hashed.update(f"{path.name}\0".encode() + path.read_bytes() + b"\0")
        return hashed.hexdigest()


def load_mutants(path: Path | None = None) -> Plan:
    """Read ``mutants.yaml``; an entry that is not as it must be is an error that names it."""
    path = path if path is not None else spec_directory() / "mutants.yaml"
    if not path.is_file():
        return Plan(path)
    try:
        document = load_yaml(read_source(path)) or {}
        subjects = tuple(Subject(module=module, **entry) for module, entry in document.get("models", {}).items())
        mutants = tuple(_mutant(entry) for entry in document.get("mutants", []))
        justified = tuple(
            (frozenset(entry["pair"]), str(entry["reason"])) for entry in document.get("justified", []) or []
        )
    except (DocumentError, TypeError, KeyError, AttributeError) as error:
        raise RegistryError(f"{path.name} is not as it must be: {error}") from error
    names = [mutant.name for mutant in mutants]
    for name in names:
        if names.count(name) > 1:
            raise RegistryError(f"{path.name} has two mutants of the name {name}")
    return Plan(path, subjects, mutants, justified)


def load_matrix(plan: Plan) -> Matrix | None:
    """The recorded matrix, or None if nothing is recorded."""
    if not plan.record.is_file():
        return None
    try:
        document = load_yaml(read_source(plan.record))
        outcomes = tuple(
            Outcome(**{**entry, "name": name, "killed_by": tuple(entry["killed_by"])})
            for name, entry in document["mutants"].items()
        )
        return Matrix(document.get("digests", {}), outcomes)
    except (DocumentError, TypeError, KeyError, AttributeError) as error:
        raise RegistryError(f"{plan.record.name} is not as it must be: {error}; make it anew: {REFRESH}") from error


def save_matrix(plan: Plan, matrix: Matrix) -> None:
    """Write the record; the file is replaced in one step."""
    import yaml

    rows = {}
    for outcome in matrix.outcomes:
        entry = {key: value for key, value in attrs.asdict(outcome).items() if key != "name" and value is not None}
        rows[outcome.name] = {**entry, "killed_by": list(outcome.killed_by)}
    text = f"# Written by `{REFRESH}`; what each mutant of mutants.yaml breaks.\n" + yaml.safe_dump(
        {"digests": dict(matrix.digests), "mutants": rows}, sort_keys=False, width=120
    )
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=plan.record.parent, prefix=".mutants-", suffix=".yaml", delete=False
    ) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, plan.record)


def recorded_problems(plan: Plan) -> list[str]:
    """What is wrong with the recorded matrix, a sentence each."""
    if not plan.mutants:
        return [f"{plan.path.name} names no mutant, so nothing shows that the invariants can fail"]
    anchors = _anchor_problems(plan)
    if anchors:
        return anchors
    matrix = load_matrix(plan)
    if matrix is None:
        return [f"no matrix of spec mutants is recorded; run: {REFRESH}"]
    now = plan.digests()
    stale = [module for module in now if matrix.digests.get(module) != now[module]]
    if stale:
        return [f"the recorded matrix of spec mutants is of another text; run: {REFRESH} {' '.join(stale)}"]
    return problems_of(plan, matrix)


def problems_of(plan: Plan, matrix: Matrix) -> list[str]:
    """Empty rows, empty columns, columns that are alike, and expectations that failed."""
    outcomes = {outcome.name: outcome for outcome in matrix.outcomes}
    found: list[str] = []
    for mutant in plan.mutants:
        outcome = outcomes.get(mutant.name)
        if outcome is None:
            found.append(f"mutant {mutant.name} has no row in the matrix; run: {REFRESH}")
        elif not outcome.killed_by and not outcome.deadlock and outcome.error is None:
            found.append(f"mutant {mutant.name} is killed by nothing: {mutant.why}")
        elif missing := [name for name in mutant.killed_by if name not in outcome.killed_by]:
            found.append(f"mutant {mutant.name} is not killed by {', '.join(missing)}, which its entry expects")
        elif outcome.confirmed is None:
            found.append(f"mutant {mutant.name}: TLC has confirmed no cell of its row")
    for subject in plan.subjects:
        found += _column_problems(plan, subject.module, outcomes)
    return found


def matrix_lines(plan: Plan) -> list[str]:
    """The matrix for a person: a mutant a line, with what kills it."""
    matrix = load_matrix(plan)
    if matrix is None:
        return []
    width = max((len(outcome.name) for outcome in matrix.outcomes), default=0)
    return [f"{outcome.name:<{width}}  {_told(outcome)}" for outcome in matrix.outcomes]


def matrix_as_json(plan: Plan) -> dict[str, Any]:
    matrix = load_matrix(plan)
    return {
        "current": matrix is not None and bool(plan.mutants) and matrix.digests == plan.digests(),
        "columns": {subject.module: plan.columns(subject.module) for subject in plan.subjects},
        "rows": {} if matrix is None else {outcome.name: attrs.asdict(outcome) for outcome in matrix.outcomes},
    }


def _mutant(entry: Mapping[str, Any]) -> Mutant:
    return Mutant(**{**entry, "killed_by": tuple(entry["killed_by"])})


def _anchor_problems(plan: Plan) -> list[str]:
    found = []
    for mutant in plan.mutants:
        count = plan.module_path(mutant).read_text(encoding="utf-8").count(mutant.find)
        if count != 1:
            found.append(f"mutant {mutant.name}: its anchor stands {count} times in {mutant.module}.tla, not once")
        if mutant.find == mutant.replace:
            found.append(f"mutant {mutant.name} changes nothing")
        if lacking := [config for config in plan.subject(mutant).configs if not (plan.models / config).is_file()]:
            found.append(f"mutant {mutant.name} is tried on {lacking[0]}, which is not in {plan.models.name}")
    return found


def _column_problems(plan: Plan, module: str, outcomes: Mapping[str, Outcome]) -> list[str]:
    mine = [outcomes[mutant.name] for mutant in plan.mutants if mutant.module == module and mutant.name in outcomes]
    columns = {name: _killed(name, mine) for name in plan.columns(module)}
    found = [
        f"{module}: {name} kills no mutant, so nothing shows that it can fail" for name in columns if not columns[name]
    ]
    names = [name for name in columns if columns[name]]
    excused = {pair for pair, _ in plan.justified}
    for index, name in enumerate(names):
        for other in names[index + 1 :]:
            if columns[name] == columns[other] and frozenset((name, other)) not in excused:
                found.append(f"{module}: {name} and {other} kill exactly the same mutants; merge or justify them")
    return found


def _killed(name: str, outcomes: Iterable[Outcome]) -> frozenset[str]:
    return frozenset(outcome.name for outcome in outcomes if name in outcome.killed_by)


def _told(outcome: Outcome) -> str:
    parts: Sequence[str] = [
        ", ".join(outcome.killed_by) or "killed by nothing",
        *(["deadlock"] if outcome.deadlock else []),
        *([f"error: {outcome.error}"] if outcome.error else []),
        f"{outcome.states:,} states{'' if outcome.complete else ', cut off'}",
        f"TLC agrees on {outcome.confirmed}" if outcome.confirmed else "not confirmed by TLC",
    ]
    return " · ".join(parts)
