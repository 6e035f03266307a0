"""Computes the matrix of spec mutants: what does each mutant break?

Three rules:

1. One pass a mutant: the Python explorer goes on behind a violation and notes every
   invariant and step property that fails anywhere.
2. TLC has the last word on one cell of each row, and on every temporal property.
3. The mutated module lives in a private folder; the specification is never touched.
"""

import contextlib
import multiprocessing
import re
import shutil
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import attrs

from conformance.spec_mutants import Matrix, Mutant, Outcome, Plan
from conformance.tla.config import parse_config
from conformance.tla.errors import EvaluationError
from conformance.tla.model import Model
from conformance.tla.text import read_source
from conformance.tla.tlc import needed_modules, run

__all__ = ["Survey", "compute", "only_property", "plant", "survey", "workers"]

MAX_STATES = 40_000
TIMEOUT_S = 300.0
AGAIN_S = 0.2

_SECTION = re.compile(
    r"^\s*(SPECIFICATION|INIT|NEXT|CONSTANTS?|INVARIANTS?|PROPERT(?:Y|IES)|SYMMETRY|VIEW|CONSTRAINTS?"
    r"|ACTION_CONSTRAINTS?|CHECK_DEADLOCK)\b"
)


@attrs.frozen
class Survey:
    """Everything that fails in the states that were reached."""

    failed: tuple[str, ...]
    states: int
    complete: bool
    deadlock: bool
    error: str | None


def compute(
    plan: Plan,
    *,
    modules: Collection[str] = (),
    recorded: Matrix | None = None,
    jobs: int = 2,
    on_result: Callable[[Outcome], None] = lambda outcome: None,
) -> Matrix:
    """The matrix, computed afresh: whole, or the rows of some modules beside those that are recorded."""
    chosen = frozenset(modules or plan.modules())
    old = recorded or Matrix({}, ())
    digests = plan.digests()
    rows = {outcome.name: outcome for outcome in old.outcomes}
    with workers(jobs) as pool:
        waiting = [pool.submit(_outcome, plan, mutant) for mutant in plan.mutants if mutant.module in chosen]
        for future in waiting:
            outcome = rows[future.result().name] = future.result()
            on_result(outcome)
    told = {name: digests[name] if name in chosen else old.digests.get(name, "") for name in digests}
    return Matrix(told, tuple(rows[mutant.name] for mutant in plan.mutants if mutant.name in rows))


@contextlib.contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that work for this one, and stop at once where it is asked to."""
    pool = ProcessPoolExecutor(max_workers=jobs, initializer=_end_when_told)
    others = set(multiprocessing.active_children())
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        while mine := set(multiprocessing.active_children()) - others:
            for each in mine:
                each.terminate()  # what it has taken from the queue already it begins, and is told again
                each.join(AGAIN_S)
        raise
    pool.shutdown()


def _end_when_told() -> None:
    """An interrupt from the terminal reaches every process; the first one says who is to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda signum, frame: sys.exit())


def plant(plan: Plan, mutant: Mutant, folder: Path) -> Path:
    """Copy what the mutant's model needs into ``folder``, with the change made; returns the model's module."""
    subject = plan.subject(mutant)
    for path in needed_modules(plan.models / f"{subject.model}.tla"):
        text = read_source(path)
        if path.stem == mutant.module:
            assert text.count(mutant.find) == 1, f"the anchor of {mutant.name} must stand in its module once"
            text = text.replace(mutant.find, mutant.replace)
        (folder / path.name).write_text(text, encoding="utf-8")
    for config in subject.configs:
        shutil.copyfile(plan.models / config, folder / config)
    return folder / f"{subject.model}.tla"


def survey(model: Model, *, max_states: int = MAX_STATES) -> Survey:
    """Go through the reachable states, past every violation, and note what fails."""
    failed: set[str] = set()
    deadlock = False
    error: str | None = None
    seen = dict.fromkeys(model.initial_states())
    for state in seen:
        failed.update(model.check_initial(state))
    queue = deque(seen)
    while queue:
        state = queue.popleft()
        try:
            failed.update(model.check_state(state))
            successors = dict.fromkeys(target for _, target in model.successors(state))
            for target in successors:
                failed.update(model.check_step_properties(state, target))
        except EvaluationError as caught:
            error = error or str(caught)
            continue
        deadlock = deadlock or not successors
        fresh = [target for target in successors if target not in seen]
        if len(seen) < max_states:
            seen.update(dict.fromkeys(fresh))
            queue.extend(fresh)
    order = [*model.invariants, *model.step_properties]
    names = tuple(name for name in order if name in failed)
    return Survey(names, len(seen), len(seen) < max_states, deadlock, error)


def only_property(config: str, name: str, *, invariant: bool) -> str:
    """A cfg's text with this one invariant or property instead of all of them."""
    kept: list[str] = []
    section = ""
    for line in config.split("\n"):
        if begins := _SECTION.match(line):
            section = begins[1]
        if not section.startswith(("INVARIANT", "PROPERT")):
            kept.append(line)
    return "\n".join([*kept, f"{'INVARIANT' if invariant else 'PROPERTY'} {name}", ""])


def _outcome(plan: Plan, mutant: Mutant) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="conform-mutant-") as name:
        folder = Path(name)
        module = plant(plan, mutant, folder)
        subject = plan.subject(mutant)
        model = Model.load(module, folder / subject.config)
        found = survey(model)
        confirmed = _confirm(module, folder / subject.config, found)
        killed_by = list(found.failed)
        if mutant.liveness:
            broken = _broken_liveness(module, [folder / config for config in subject.liveness])
            killed_by += broken
            confirmed = confirmed or (broken[0] if broken else None)
    return Outcome(
        name=mutant.name,
        killed_by=tuple(killed_by),
        states=found.states,
        complete=found.complete,
        deadlock=found.deadlock,
        error=found.error,
        confirmed=confirmed,
    )


def _confirm(module: Path, config: Path, found: Survey) -> str | None:
    """Ask TLC about the first failure alone; its name if TLC sees it too."""
    text = read_source(config)
    invariants = parse_config(config).invariants
    one = config.with_name("One.cfg")
    if found.failed:
        name = found.failed[0]
        one.write_text(only_property(text, name, invariant=name in invariants), encoding="utf-8")
        verdict = run(module, one, check_deadlock=False, timeout_s=TIMEOUT_S, short=True)
        return name if (verdict.verdict, verdict.violated) == ("safety", name) else None
    if found.error is not None or found.deadlock:
        verdict = run(module, config, timeout_s=TIMEOUT_S, short=True)
        expected = "error" if found.error is not None else "deadlock"
        return expected if verdict.verdict == expected else None
    return None


def _broken_liveness(module: Path, configs: Sequence[Path]) -> list[str]:
    """The temporal properties of the cfgs that TLC, asked about each alone, finds violated."""
    broken: list[str] = []
    for config in configs:
        text = read_source(config)
        one = config.with_name("One.cfg")
        for name in parse_config(config).properties:
            one.write_text(only_property(text, name, invariant=False), encoding="utf-8")
            if name not in broken and run(module, one, check_deadlock=False, timeout_s=TIMEOUT_S).verdict == "liveness":
                broken.append(name)
    return broken
