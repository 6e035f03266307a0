"""Hunts every planted fault afresh, and prints what found it and how soon."""

from __future__ import annotations

import argparse
import secrets
import sys
from time import monotonic

from tests.mutants.catalogue import MUTANTS
from tests.mutants.hunt import MOST_REQUESTS, Catch, look_for, record

COLUMNS = "{:<52} {:<11} {:>8} {:>7} {:>8}  {}"


def main(arguments: list[str] | None = None) -> int:
    """Exit 0 if every fault was found, 1 if one was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", metavar="NAME", action="append", help="hunt only this mutant; may be given again")
    parser.add_argument("--seed", type=int, help="draw the same runs again; fresh ones otherwise")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to look for each (default: 60)")
    parser.add_argument("--record", action="store_true", help="keep the smallest runs as the stored scenarios")
    options = parser.parse_args(arguments)
    chosen = [mutant for mutant in MUTANTS if not options.only or mutant.name in options.only]
    if not chosen:
        parser.error(
            f"there is no mutant {', '.join(options.only)}; there is {', '.join(each.name for each in MUTANTS)}"
        )
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    print(f"seed {seed}")
    print(COLUMNS.format("mutant", "source", "examples", "seconds", "requests", "found by"), flush=True)
    started = monotonic()
    catches = []
    for mutant in chosen:
        catch = look_for(mutant, seed=seed, seconds=options.seconds)
        catches.append(catch)
        print(row(catch), flush=True)
        if options.record and catch.run is not None:
            record(catch)
    missed = [catch.mutant.name for catch in catches if catch.run is None]
    long = [catch.mutant.name for catch in catches if catch.requests > MOST_REQUESTS]
    print(f"{len(catches) - len(missed)} of {len(catches)} found in {monotonic() - started:.0f} s")
    if missed:
        print(f"missed: {', '.join(missed)}")
    if long:
        print(f"more than {MOST_REQUESTS} requests: {', '.join(long)}")
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
    sys.exit(main())
