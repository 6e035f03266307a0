"""Hunts every planted fault afresh, and prints what found it and how soon."""

from __future__ import annotations

import secrets
from time import monotonic

import click

from conformance.cli.options import SECONDS
from conformance.cli.running import run_and_leave
from tests.mutants.hunt import EVERY_MUTANT, MOST_REQUESTS, Catch, again, finding, look_for, machine_of, record
from tests.mutants.mutant import Mutant

COLUMNS = "{:<52} {:<11} {:>8} {:>7} {:>8}  {}"
NAMES = [mutant.name for mutant in EVERY_MUTANT]


@click.command()
@click.option("--only", type=click.Choice(NAMES), metavar="NAME", multiple=True, help="Hunt this one (several times).")
@click.option("--seed", type=click.IntRange(min=0), help="Draw these runs again; fresh ones otherwise.")
@click.option("--seconds", type=SECONDS, default=60.0, show_default=True, help="How long to look for each.")
@click.option("--record", "keeps", is_flag=True, help="Keep the smallest runs as the stored scenarios.")
@click.option("--again", "anew", is_flag=True, help="Play the stored scenarios, and keep how they are told now.")
def mutants(only: tuple[str, ...], seed: int | None, seconds: float, keeps: bool, anew: bool) -> int:
    """Hunt every planted fault of the service afresh, and print what found it and how soon.

    Exit 0 if every fault was found, 1 if one was missed.
    """
    chosen = [mutant for mutant in EVERY_MUTANT if not only or mutant.name in only]
    return tell_again(chosen) if anew else hunt_all(chosen, seed, seconds, keeps)


def tell_again(chosen: list[Mutant]) -> int:
    """Keep the stored scenarios as they are told now; one that finds nothing any more stays as it is."""
    missed = []
    for mutant in chosen:
        run = again(mutant)
        if finding(run) == "allowed":
            missed.append(mutant.name)
        else:
            record(mutant, run)
    click.echo(f"{len(chosen) - len(missed)} of {len(chosen)} found again")
    if missed:
        click.echo(f"missed: {', '.join(missed)}")
    return 1 if missed else 0


def hunt_all(chosen: list[Mutant], seed: int | None, seconds: float, keeps: bool) -> int:
    seed = secrets.randbelow(2**31) if seed is None else seed
    click.echo(f"seed {seed}")
    click.echo(COLUMNS.format("mutant", "source", "examples", "seconds", "requests", "found by"))
    started = monotonic()
    catches = []
    for mutant in chosen:
        catch = look_for(mutant, seed=seed, seconds=seconds)
        catches.append(catch)
        click.echo(row(catch))
        if keeps and catch.run is not None:
            record(mutant, catch.run)
    missed = [catch.mutant.name for catch in catches if catch.run is None]
    long = [catch.mutant.name for catch in catches if catch.requests > MOST_REQUESTS[machine_of(catch.mutant)]]
    click.echo(f"{len(catches) - len(missed)} of {len(catches)} found in {monotonic() - started:.0f} s")
    if missed:
        click.echo(f"missed: {', '.join(missed)}")
    if long:
        click.echo(f"too many requests: {', '.join(long)}")
    return 1 if missed else 0


def row(catch: Catch) -> str:
    """One line of the table."""
    return COLUMNS.format(
        catch.mutant.name,
        catch.mutant.source,
        catch.examples,
        f"{catch.seconds:.1f}",
        catch.requests if catch.run is not None else "-",
        catch.finding,
    )


if __name__ == "__main__":
    run_and_leave(mutants, "python -m tests.mutants")
