"""The same requests make the same bytes, whatever the order of hashes; another seed makes others."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import hashlib, sys
from conformance.cli.fuzz import hunt
from conformance.machines.polls import PollRegistrationMachine
from conformance.scenarios import play, read_scenario, scenario_files
from conformance.trace.writer import trace_text

digest = hashlib.sha256()

class Machine(PollRegistrationMachine):
    def teardown(self):
        simulation = getattr(self, "simulation", None)
        super().teardown()
        if simulation is not None:
            run = simulation.recorded()
            digest.update(trace_text(run.header, run.steps, run.footer).encode())

for path in scenario_files():
    run = play(read_scenario(path))
    digest.update(trace_text(run.header, run.steps, run.footer).encode())
found = hunt(Machine, seed=int(sys.argv[1]), examples=25)
assert found.examples == 25
print(digest.hexdigest())
"""


def digest_of(seed: int, hash_seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(seed)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def reference() -> str:
    return digest_of(7, "0")


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_same_seed_makes_the_same_bytes_under_any_order_of_hashes(reference: str, hash_seed: str) -> None:
    assert digest_of(7, hash_seed) == reference


def test_another_seed_makes_other_bytes(reference: str) -> None:
    assert digest_of(8, "0") != reference
