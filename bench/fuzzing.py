"""What does the referee cost the fuzz?  The same runs are drawn with it and without it, in turn."""

from __future__ import annotations

from time import process_time

from bench.measure import Measurement
from conformance.cli.fuzz import hunt
from conformance.machines.polls import PollRegistrationMachine

__all__ = ["measure"]

ROUNDS = 6
EXAMPLES = 100
AT_MOST = 1.3


class Unjudged(PollRegistrationMachine):
    """The same machine, whose runs nobody judges."""

    judged = False


def measure() -> list[Measurement]:
    """One row; times are of the processor, summed over the rounds."""
    hunt(PollRegistrationMachine, seed=99, examples=EXAMPLES)
    judged = unjudged = 0.0
    requests = steps = 0
    for seed in range(ROUNDS):
        started = process_time()
        with_referee = hunt(PollRegistrationMachine, seed=seed, examples=EXAMPLES)
        between = process_time()
        without = hunt(Unjudged, seed=seed, examples=EXAMPLES)
        judged += between - started
        unjudged += process_time() - between
        assert with_referee.failure is None
        assert with_referee.requests == without.requests
        requests += with_referee.requests
        steps += with_referee.steps
    return [
        Measurement(
            name="fuzz with the referee",
            ours="judged",
            ours_seconds=judged,
            theirs="unjudged",
            theirs_seconds=unjudged,
            at_most=AT_MOST,
            note=f"{requests / judged:,.0f} requests and {steps / judged:,.0f} judged steps a second",
        )
    ]
