"""What does the referee cost the fuzz?  The same runs are drawn with it and without it, in turn.

One rule: the median of many short rounds is the answer, so that a machine that
stumbles in one of them does not decide.
"""

from __future__ import annotations

from time import process_time

from bench.measure import Measurement
from conformance.cli.fuzz import hunt
from conformance.machines.delivery import DeliveryMachine
from conformance.machines.polls import PollRegistrationMachine

__all__ = ["measure"]

ROUNDS = 11
EXAMPLES = 20
WARM_UP = 60
AT_MOST = 2.0


class UnjudgedPolls(PollRegistrationMachine):
    """The same machine, whose runs nobody judges."""

    judged = False


class UnjudgedDelivery(DeliveryMachine):
    """The same machine, whose runs nobody judges."""

    judged = False


def measure() -> list[Measurement]:
    """A row for each machine; times are of the processor, those of the round in the middle."""
    return [
        _measure("polls", PollRegistrationMachine, UnjudgedPolls),
        _measure("delivery", DeliveryMachine, UnjudgedDelivery),
    ]


def _measure(name: str, machine: type[PollRegistrationMachine], unjudged: type[PollRegistrationMachine]) -> Measurement:
    hunt(machine, seed=99, examples=WARM_UP)
    rounds: list[tuple[float, float]] = []
    requests = steps = 0
    for seed in range(ROUNDS):
        started = process_time()
        with_referee = hunt(machine, seed=seed, examples=EXAMPLES)
        between = process_time()
        without = hunt(unjudged, seed=seed, examples=EXAMPLES)
        rounds.append((between - started, process_time() - between))
        assert with_referee.failure is None
        assert with_referee.requests == without.requests
        requests += with_referee.requests
        steps += with_referee.steps
    judged, unjudged_seconds = sorted(rounds, key=lambda times: times[0] / times[1])[ROUNDS // 2]
    spent = sum(times[0] for times in rounds)
    return Measurement(
        name=f"fuzz {name} with the referee",
        ours="judged",
        ours_seconds=judged,
        theirs="unjudged",
        theirs_seconds=unjudged_seconds,
        at_most=AT_MOST,
        note=f"{requests / spent:,.0f} requests and {steps / spent:,.0f} judged steps a second",
    )
