"""Finds the counterexample that somebody names: TLC's printed text in a file, a model, its property, or a spec mutant.

Two rules:

1. What is named is run: TLC says what can happen, and says it of the present text.
2. A mutant whose first counterexample the service cannot be led along has others; the
   shortest few are tried, and the one that was walked is said to be another.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from conformance.spec_mutants import Mutant, Subject, load_mutants
from conformance.spec_survey import only_property, plant
from conformance.specs import RegistryError, Row, load_registry
from conformance.tla.config import parse_config
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model, State
from conformance.tla.text import read_source
from conformance.tla.tlc import TraceState, Verdict, run
from conformance.tla.tlc_text import read_output
from conformance.walking.part import DRIVEN, IDS, part_model
from conformance.walking.told import Told, others, read_told
from conformance.walking.walker import Walk, walk

__all__ = ["Walked", "tell_mutant", "walk_file", "walk_model", "walk_mutant", "walk_named"]

_NAMES = re.compile(r"\b[A-Za-z]\w*\b")

_TAKEN_FOR: Mapping[str, str] = {"Ask": "Deliver"}
"""What the service does instead where nothing tells that History is to be asked: it hands the task over at once."""

OTHERS = 12
"""How many further counterexamples of a mutant are tried."""

OTHERS_TRIES = 600


@attrs.frozen(kw_only=True)
class Walked:
    """A walk, and what it was of; ``is_another`` where it is not the counterexample that was found first."""

    walk: Walk
    what: str
    is_another: bool = False

    @property
    def conforms(self) -> bool | None:
        """Whether the service did as a correct one must; None where it could not be led there."""
        walk = self.walk
        if walk.run.divergence is not None or walk.run.mistake is not None:
            return False
        if not walk.is_complete:
            return None
        return walk.told.loop is None or walk.escape is not None


def walk_named(name: str) -> Walked:
    """Walk what the name stands for: a file, a model or its property, or a mutant of the specification.

    Raises:
        RegistryError: it stands for nothing.
    """
    if Path(name).is_file():
        return walk_file(Path(name))
    registry, plan = load_registry(), load_mutants()
    driven = [row for row in registry.rows if row.module == f"MC{DRIVEN}"]
    row = next((row for row in driven if name in _names(row)), None)
    if row is not None:
        return walk_model(row)
    mutants = [mutant for mutant in plan.mutants if mutant.module == DRIVEN and not needs_hops(mutant)]
    mutant = next((mutant for mutant in mutants if mutant.name == name), None)
    if mutant is not None:
        return walk_mutant(mutant)
    known = {each for row in registry.rows for each in _names(row)} | {mutant.name for mutant in plan.mutants}
    wrong = (
        f"{name} is not of {DRIVEN}, which is what the service is led along"
        if name in known
        else f"{name!r} is no file, no model of {registry.path.name} and no mutant of {plan.path.name}"
    )
    raise RegistryError(
        f"{wrong}; the situations are {', '.join(row.violated for row in driven if row.violated)};"
        f" the mutants are {', '.join(mutant.name for mutant in mutants)}"
    )


def needs_hops(mutant: Mutant) -> bool:
    """Tell whether a mutant shows only where partitions have parents: the service is led as one that has none."""
    plan = load_mutants()
    return bool(parse_config(plan.models / plan.subject(mutant).config).constants.get("Child"))


def _names(row: Row) -> tuple[str | None, ...]:
    return (row.name, row.config, row.violated)


def walk_file(path: Path) -> Walked:
    """Walk the counterexample that TLC printed into a file."""
    told = read_told(read_output(path.read_text(encoding="utf-8")), path.name)
    return Walked(walk=walk(told), what=f"TLC's counterexample in {path.name}")


def walk_model(row: Row) -> Walked:
    """Have TLC look for a violation of a recorded model, and walk it; what is violated must be so at the end."""
    registry = load_registry()
    module, config = registry.module_path(row), registry.config_path(row)
    name = row.violated or row.name
    told = read_told(run(module, config, check_deadlock=row.deadlock, arguments=["-fp", "0"]), name)
    model = Model.load(module, config, constants=_ids(told))

    def is_reached(before: State, after: State) -> bool:
        states = [model.state_from(told.as_mapping(state)) for state in (before, after)]
        return name in model.check_state(states[1]) or name in model.check_step_properties(*states)

    told = attrs.evolve(told, is_reached=is_reached if row.violated else None)
    return Walked(walk=walk(told), what=f"the counterexample of {name}")


def walk_mutant(mutant: Mutant, *, with_tlc: bool = True) -> Walked:
    """Have a counterexample of a mutant looked for, by TLC or by the explorer, and walk it to the mutated step.

    A mutant of what the service owes has none but loops, which only TLC finds.
    """
    plan = load_mutants()
    what = f"the mutant {mutant.name}"
    with tempfile.TemporaryDirectory(prefix="conform-mutant-") as folder:
        module = plant(plan, mutant, Path(folder))
        config, mutated = _question(plan.subject(mutant), mutant, Path(folder))
        model = Model.load(module, config)
        told = _told(module, config, model, mutant, with_tlc=with_tlc)
        if told.mutated is None:
            owed = frozenset(
                _TAKEN_FOR.get(name, name) for name in _NAMES.findall(mutant.find) if name in model.actions
            )
            return Walked(walk=walk(attrs.evolve(told, owed=owed)), what=what)
        action = told.steps[told.mutated].action
        wild = Model.load(module, mutated, constants=_ids(told))
        told = attrs.evolve(told, is_reached=_goes_wild(told, wild))
        first = Walked(walk=walk(told), what=what)
        if first.walk.is_complete:
            return first
        subject = plan.subject(mutant)
        original = Model.load(plan.models / f"{subject.model}.tla", plan.models / subject.config)
        for another in itertools.islice(others(model, original, action, mutant.name), OTHERS):
            another = attrs.evolve(another, is_reached=_goes_wild(another, wild))
            walked = walk(another, most_tries=OTHERS_TRIES)
            if walked.is_complete:
                return Walked(walk=walked, what=what, is_another=True)
    return first


def tell_mutant(mutant: Mutant) -> Told:
    """The counterexample of a mutant that the explorer finds first."""
    plan = load_mutants()
    with tempfile.TemporaryDirectory(prefix="conform-mutant-") as folder:
        module = plant(plan, mutant, Path(folder))
        config, _ = _question(plan.subject(mutant), mutant, Path(folder))
        return _told(module, config, Model.load(module, config), mutant, with_tlc=False)


def _told(module: Path, config: Path, model: Model, mutant: Mutant, *, with_tlc: bool) -> Told:
    found = run(module, config, check_deadlock=False, arguments=["-fp", "0"]) if with_tlc else _explored(model)
    return read_told(found, mutant.name, model)


def _question(subject: Subject, mutant: Mutant, folder: Path) -> tuple[Path, Path]:
    """The cfg that asks for the counterexample, and the one that names the module's constants and actions."""
    asked = mutant.killed_by[0]
    for config in subject.liveness if mutant.liveness else ():
        if asked in parse_config(folder / config).properties:
            one = folder / "One.cfg"
            one.write_text(only_property(read_source(folder / config), asked, invariant=False), encoding="utf-8")
            return one, folder / subject.config
    return folder / subject.config, folder / subject.config


def _explored(model: Model) -> Verdict:
    """The explorer's counterexample in the shape of TLC's."""
    found = breadth_first(model, deadlock=False, ignore_symmetry=True)
    trace = [
        TraceState(step.action if step else None, model.as_mapping(state), None, step.args if step else None)
        for step, state in found.counterexample
    ]
    return Verdict(verdict=found.verdict, violated=found.violated, counterexample=tuple(trace))


def _goes_wild(told: Told, wild: Model) -> Callable[[State, State], bool]:
    """Whether the mutant has, from the last state, an outcome of the mutated step that the specification has not."""
    lawful = part_model(told.world.constants)
    assert told.mutated is not None
    step = told.steps[told.mutated]

    def is_reached(_: State, last: State) -> bool:
        outcomes = wild.apply(step.action, step.args, wild.state_from(told.as_mapping(last)))
        states = [lawful.state_from(wild.as_mapping(state)) for state in outcomes]
        return any(not lawful.allows(step.action, step.args, last, state) for state in states)

    return is_reached


def _ids(told: Told) -> dict[str, frozenset[str]]:
    return {constant: frozenset(told.world.constants[constant]) for constant in IDS}
