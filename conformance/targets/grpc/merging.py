"""One trace of what two hosts have told and what clients saw.

Six rules:

1. A step of a host stands at the moment at which it was told: until then nobody else can have noticed it, since
   whatever a step sends is sent afterwards, and all processes read one clock.
2. A step of the store took effect some time between the step that asked for it and the moment at which it was told.
   It is of no host: which of two hosts' steps was first, the database knows.
3. What a client received replaces what its host told of the answer.  Clients that got none take the host's word.
4. Of the state nothing is shown but who owns the partitions, and where the namespace is active: neither changes.
   What managers hold, what is durable and what is on its way is whatever the specification makes of the steps.
5. What nobody can tell is left out, as nobody owes it: that a hop is lost, and that a call is forgotten.
6. Ids of hops lose the name of the life in which they were drawn: each host has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import attrs

from conformance.probe import ids_of
from conformance.targets.grpc.hosts import Told
from conformance.targets.grpc.requests import HOSTS, MEMBERS, as_json
from conformance.targets.grpc.run import Record
from conformance.refinement.partition_lifetime import owners_of
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep
from matching.namespace import HERE

__all__ = ["merged"]

OBSERVES: Final = {"PartitionLifetime": ("clusters", "owners")}

_LIFE: Final = re.compile(r"(.+)-[0-9a-f]{32}-([0-9]+)")

_BY_MANAGER: Final = {
    "Claim": ("TakeLease", "FenceClaim", "LoseClaim"),
    "ClaimAgain": ("TakeLease", "FenceClaim", "LoseClaim"),
}
