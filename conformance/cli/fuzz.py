"""``conform fuzz``: draw runs, judge each, and shrink the first that leaves the specification.

Four rules:

1. The seed is the report and is printed first.  It decides every run; the clock only
   decides how many there are.
2. Runs are drawn in rounds, each with a seed of its own made from the seed and the
   number of the round.
3. A run that fails is made smaller request by request, not by drawing it anew: the
   requests name what they mean, so that one can go and the others stay the same.
4. A run that fails is kept under ``traces/found`` before anything is said about it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import secrets
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import attrs
import click

from conformance.cli.options import SECONDS
from conformance.cli.stopping import asked_to_stop

if TYPE_CHECKING:
    from conformance.machines.polls import PollRegistrationMachine

__all__ = ["MACHINES", "Hunt", "fuzz", "hunt", "load_machine"]

MACHINES = {
    "polls": "conformance.machines.polls:PollRegistrationMachine",
    "delivery": "conformance.machines.delivery:DeliveryMachine",
    "lifetime": "conformance.machines.lifetime:PartitionLifetimeMachine",
    "forwarding": "conformance.machines.forwarding:ForwardingMachine",
}
"""The machines by name; the other capabilities bring theirs."""

ROUND_EXAMPLES = 50
STEPS = 50


@attrs.frozen(kw_only=True)
class Hunt:
    """How a hunt went: what was drawn, and the smallest run that failed, if one did."""

    seed: int
    examples: int
    requests: int
    steps: int
    actions: dict[str, int]
    seconds: float
    failure: str | None


def load_machine(name: str) -> type[PollRegistrationMachine]:
    """Import the machine of that name."""
    module, _, attribute = MACHINES[name].partition(":")
    machine: type[PollRegistrationMachine] = getattr(import_module(module), attribute)
    return machine


def hunt(
    machine: type[PollRegistrationMachine],
    *,
    seed: int,
    seconds: float | None = None,
    examples: int | None = None,
    progress: Any = None,
    stop: Callable[[], bool] = lambda: False,
) -> Hunt:
    """Draw runs until one fails or the budget is spent; the failure is in ``machine.last_run``.

    ``seconds`` and ``examples`` (the number of runs) are budgets for drawing, and so is what the answer
    says of both; making the failure smaller comes on top.  At least one run is drawn.  ``stop`` is asked
    between two runs, and ends either.
    """
    from hypothesis import Phase, settings
    from hypothesis import core as hypothesis_core
    from hypothesis.stateful import run_state_machine_as_test

    from conformance.machines.polls import BudgetSpent, ConformanceError
    from conformance.machines.profiles import COMMON
    from conformance.machines.smaller import smaller

    # What is loaded by now stays; the collector need not look at it in every round.
    gc.collect()
    gc.freeze()
    started = monotonic()

    def spent(drawn: int) -> bool:
        if machine.last_run is not None:
            return False  # the run that failed is made once more
        late = drawn > 0 and seconds is not None and monotonic() - started >= seconds
        return late or stop() or (examples is not None and drawn >= examples)

    machine.start_counting(spent)
    failure: str | None = None
    forced = hypothesis_core.global_force_seed
    try:
        number = 0
        while failure is None and not machine.spent(machine.examples):
            drawn = machine.examples
            # Hypothesis takes the seed of a state machine from this variable only.
            hypothesis_core.global_force_seed = seed * 1_000_003 + number  # type: ignore[assignment]
            number += 1
            rules = settings(
                **COMMON,
                max_examples=ROUND_EXAMPLES,
                stateful_step_count=STEPS,
                database=None,
                derandomize=False,  # the seed decides, where Hypothesis would see a CI and choose one itself
                phases=[Phase.generate],
                print_blob=False,
            )
            try:
                run_state_machine_as_test(machine, settings=rules)
            except ConformanceError as error:
                failure = str(error)
            except BudgetSpent:
                pass
            if progress is not None:
                progress(machine.examples - drawn)
    finally:
        hypothesis_core.global_force_seed = forced
        gc.unfreeze()
    drawn, found_after = machine.examples, monotonic() - started
    if failure is not None and machine.last_run is not None:
        machine.last_run = run = smaller(machine.last_run, is_enough=stop)
        failure = run.divergence.headline if run.divergence is not None else run.mistake
    return Hunt(
        seed=seed,
        examples=drawn,
        requests=machine.requests.total(),
        steps=machine.actions.total(),
        actions=dict(sorted(machine.actions.items())),
        seconds=found_after,
        failure=failure,
    )


@click.command(short_help="Fuzz the service and judge every run.")
@click.argument("machine", type=click.Choice(sorted(MACHINES)))
@click.option(
    "--target",
    type=click.Choice(["simulation", "grpc"]),
    default="simulation",
    show_default=True,
    help="What is fuzzed: the simulated cluster or, for forwarding, two hosts that call each other over gRPC.",
)
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Draw these runs again; fresh ones otherwise.")
@click.option("--seconds", type=SECONDS, default=None, help="How long to draw.")
@click.option("--examples", type=click.IntRange(min=1), default=None, help="How many runs to draw.")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Where a failing run is kept; traces/found otherwise.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def fuzz(
    machine: str,
    target: str,
    seed: int | None,
    seconds: float | None,
    examples: int | None,
    keep: Path | None,
    as_json: bool,
) -> int:
    """Fuzz MACHINE: draw runs of the service, judge every step, and shrink the first run that is not allowed.

    Without --seconds and --examples it draws for a minute.  A run counts when it is
    begun: one that Hypothesis gives up half-way, and one that fails, is among the
    --examples, and the runs that make a failure smaller are not.  Exit 0 when every run
    was allowed, 1 when one was not; it is kept, and the command that runs it again
    is printed.  On grpc a run is not made smaller, and the exit status is 4 when nobody
    can tell whether it is allowed, or when no hop was made.
    """
    from tqdm import tqdm

    from conformance.paths import traces_directory
    from conformance.targets.simulation import judge_for
    from conformance.targets.world import World
    from conformance.trace.writer import refuse_unwritable

    if target == "grpc" and machine != "forwarding":
        raise click.UsageError(f"two hosts over gRPC are there for forwarding; leave --target out for {machine}")
    if seconds is None and examples is None:
        seconds = 60.0
    keep = keep or traces_directory() / "found"
    with contextlib.suppress(OSError):
        keep.mkdir(parents=True, exist_ok=True)
    refuse_unwritable(keep / "run.ndjson")
    seed = secrets.randbelow(2**31) if seed is None else seed
    if not as_json:
        click.echo(f"seed {seed}")
    if target == "grpc":
        from conformance.cli.fuzz_hosts import fuzz_hosts

        return fuzz_hosts(seed, seconds, examples, keep, as_json=as_json)
    chosen = load_machine(machine)
    judge_for(World())  # compile the specification before the clock starts
    with asked_to_stop() as stop, tqdm(total=examples, unit=" runs", disable=None, leave=False) as bar:
        found = hunt(chosen, seed=seed, seconds=seconds, examples=examples, progress=bar.update, stop=stop)
    if found.failure is None:
        stop.act()
    run = chosen.last_run if found.failure is not None else None
    kept: Path | None = None
    if run is not None:
        from conformance.machines.failures import keep_run

        kept = keep_run(run, keep)
    if as_json:
        trace = None if kept is None else str(kept)
        click.echo(json.dumps({"machine": machine, **attrs.asdict(found), "trace": trace}, indent=2))
    elif run is None:
        never = sorted(set(_actions()) - set(found.actions))
        click.echo(
            f"ok: {found.examples} runs, {found.requests} requests, {found.steps} judged steps"
            f" in {found.seconds:.0f} s, every one allowed"
        )
        click.echo(f"never taken: {', '.join(never)}" if never else f"all {len(found.actions)} actions were taken")
    else:
        assert kept is not None
        _tell(run, found, kept)
    return 0 if run is None else 1


def _actions() -> list[str]:
    from conformance.targets.simulation import judge_for
    from conformance.targets.world import World

    return list(judge_for(World()).model.actions)


def _tell(run: Any, found: Hunt, kept: Path) -> None:
    from conformance.machines.failures import tell_run

    click.echo(tell_run(run, kept))
    click.echo(f"found after {found.examples} runs, {found.seconds:.1f} s   seed {found.seed}")
