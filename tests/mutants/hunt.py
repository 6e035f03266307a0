"""Looks for a planted fault as somebody who does not know it would: by fuzzing.

Two rules:

1. Every hunt is afresh: no example database, and a seed of its own.
2. What counts is the smallest run: what found the fault, and how many requests a
   person has to read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

import attrs

from conformance.cli.fuzz import hunt, load_machine
from conformance.cli.replay import requests_of
from conformance.targets.replaying import replay
from conformance.targets.simulation import Run, judge_for
from conformance.targets.world import World
from conformance.trace.header import Header
from conformance.trace.reader import read_trace
from conformance.trace.writer import trace_text, write_trace
from tests.mutants.catalogue import MUTANTS
from tests.mutants.delivery import DELIVERY
from tests.mutants.forwarding import FORWARDING
from tests.mutants.history import HISTORY
from tests.mutants.lifetime import LIFETIME
from tests.mutants.mutant import Mutant

__all__ = [
    "EVERY_MUTANT",
    "MOST_REQUESTS",
    "SCENARIOS",
    "Catch",
    "finding",
    "look_for",
    "machine_of",
    "again",
    "record",
    "scenario",
]

SCENARIOS = Path(__file__).parent / "scenarios"
HUNTED: Mapping[str, tuple[Mutant, ...]] = {
    "polls": MUTANTS,
    "delivery": (*DELIVERY, *HISTORY),
    "lifetime": LIFETIME,
    "forwarding": FORWARDING,
}
"""What each machine has to find."""
EVERY_MUTANT = tuple(mutant for mutants in HUNTED.values() for mutant in mutants)
MOST_REQUESTS: Mapping[str, int] = {"polls": 10, "delivery": 15, "lifetime": 12, "forwarding": 15}
"""How many requests of the driver a shrunk run may have, by machine, the settling at its end included."""


@attrs.frozen(kw_only=True)
class Catch:
    """How one hunt ended; ``run`` is the smallest run that parts from the specification, if there is one.

    ``seconds`` is how long it took to find and to make smaller, ``found_after`` the finding alone.
    """

    mutant: Mutant
    seed: int
    examples: int
    found_after: float
    seconds: float
    run: Run | None

    @property
    def finding(self) -> str:
        """What found the fault."""
        return "missed" if self.run is None else finding(self.run)

    @property
    def requests(self) -> int:
        """How many requests the smallest run has."""
        return 0 if self.run is None else len(requests_of(self.run.steps, self.run.footer))


def machine_of(mutant: Mutant) -> str:
    """The machine that has to find the fault."""
    return next(machine for machine, mutants in HUNTED.items() if mutant in mutants)


def look_for(mutant: Mutant, *, seed: int, seconds: float) -> Catch:
    """Fuzz the service with the fault in it, by the machine that the fault is for."""
    judge_for(World())  # compile the specification before the clock starts
    machine = load_machine(machine_of(mutant))
    started = monotonic()
    with mutant.applied():
        hunted = hunt(machine, seed=seed, seconds=seconds)
    run = machine.last_run if hunted.failure is not None else None
    return Catch(
        mutant=mutant,
        seed=seed,
        examples=hunted.examples,
        found_after=hunted.seconds,
        seconds=monotonic() - started,
        run=run,
    )


def finding(run: Run) -> str:
    """The kind of the divergence, with the properties, the action or the variable that it is about."""
    divergence = run.divergence
    if divergence is None:
        return "allowed" if run.mistake is None else f"mistake: {run.mistake}"
    about = (
        ", ".join(divergence.failing)
        or ", ".join(sorted({step.action for step in divergence.owed}))
        or " ".join(filter(None, (divergence.action, divergence.variable)))
    )
    return f"{divergence.kind.value}: {about}"


def record(mutant: Mutant, run: Run) -> Path:
    """Keep a run as the scenario that kills the mutant; the footer's note says what found it."""
    header = attrs.evolve(run.header, why=f"kills the mutant {mutant.name}: {mutant.breaks}")
    footer = attrs.evolve(run.footer, note=finding(run))
    return write_trace(SCENARIOS / f"{mutant.name}.ndjson", trace_text(header, run.steps, footer))


def again(mutant: Mutant) -> Run:
    """Make the requests of the stored scenario again, of the service with the fault in it."""
    header, requests, _ = scenario(mutant)
    with mutant.applied():
        return replay(header, requests)


def scenario(mutant: Mutant) -> tuple[Header, list[Mapping[str, Any]], str]:
    """The stored run that kills the mutant: its header, its requests, and what found the fault."""
    header, steps, footer = read_trace(SCENARIOS / f"{mutant.name}.ndjson")
    assert footer is not None, "a stored scenario is whole"
    return header, requests_of(steps, footer), footer.note
