"""What does the referee cost the fuzz?  The same runs are drawn with it and without it, in turn.

One rule: the median of many short rounds is the answer, so that a machine that
stumbles in one of them does not decide.
"""

from __future__ import annotations

from time import process_time

from bench.measure import Measurement
from conformance.cli.fuzz import hunt
from conformance.machines.polls import PollRegistrationMachine

__all__ = ["measure"]

ROUNDS = 21
EXAMPLES = 40
WARM_UP = 100
AT_MOST = 1.3


class Unjudged(PollRegistrationMachine):
    """The same machine, whose runs nobody judges."""

    judged = False


def measure() -> list[Measurement]:
    """One row; times are of the processor, those of the round in the middle."""
    hunt(PollRegistrationMachine, seed=99, examples=WARM_UP)
    rounds: list[tuple[float, float]] = []
    requests = steps = 0
    for seed in range(ROUNDS):
        started = process_time()
        with_referee = hunt(PollRegistrationMachine, seed=seed, examples=EXAMPLES)
        between = process_time()
        without = hunt(Unjudged, seed=seed, examples=EXAMPLES)
        rounds.append((between - started, process_time() - between))
        assert with_referee.failure is None
        assert with_referee.requests == without.requests
        requests += with_referee.requests
        steps += with_referee.steps
    judged, unjudged = sorted(rounds, key=lambda times: times[0] / times[1])[ROUNDS // 2]
    spent = sum(times[0] for times in rounds)
    return [
        Measurement(
            name="fuzz with the referee",
            ours="judged",
            ours_seconds=judged,
            theirs="unjudged",
            theirs_seconds=unjudged,
            at_most=AT_MOST,
            note=f"{requests / spent:,.0f} requests and {steps / spent:,.0f} judged steps a second",
        )
    ]
