"""Whole models: the states, the labelled edges and the counts are TLC's, and no step besides."""

from itertools import product
from pathlib import Path

import attrs
import pytest

from conformance.tla.explore import Exploration, breadth_first
from conformance.tla.graph import Dump, read_dump
from conformance.tla.model import Model
from conformance.tla.tlc import Verdict, run

MODULES = Path(__file__).parent / "modules"

CONFIGS = {
    "Shapes": "SPECIFICATION Spec\nCONSTANT Limit = 2\nINVARIANTS SmallInv BoxInv\nPROPERTY QueueProp\n",
    "Parts": "SPECIFICATION Spec\nCONSTANT Hand = {l, r}\nINVARIANT InRangeInv\n",
    "Polls": (
        "SPECIFICATION Spec\nINVARIANTS TypeOK WaitingIsRegisteredInv TakenOnceInv\nPROPERTY GenerationGrowsProp\n"
        "CONSTANTS Poll = {p1, p2} Task = {t1, t2} Host = {h1} Partition = {q1} Generation = {0, 1}\n"
    ),
    "Alone": "INIT Init\nNEXT Next\n",
    "Wrapped": "SPECIFICATION Spec\n",
    "Indexed": "INIT Init\nNEXT Next\nCONSTANT Hand = {l, r}\n",
    "Tokens": "INIT Init\nNEXT Next\nCONSTANTS None = None p_1 = p_1 Proc = {b, a}\n",
    "Replaced": (
        'INIT Init\nNEXT Next\nCONSTANTS Start <- StartHere Step <- StepHere Nat <- Few Names = {"b", "a"}\n'
        'Top <- [Limits]TopHere Banned = "b"\n'
    ),
    "Named": "INIT Init\nNEXT Next\nINVARIANT Low\n",
    **dict.fromkeys(
        ("Able", "Arms", "Fields", "Given", "Lets", "Lines", "Primes", "Recursion", "Starts"),
        "INIT Init\nNEXT Next\n",
    ),
}


@attrs.frozen
class Both:
    """What both say of one model."""

    model: Model
    ours: Exploration
    verdict: Verdict
    dump: Dump


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def both(request: pytest.FixtureRequest, tools: None, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Both:
    folder = tmp_path_factory.mktemp("graph")
    config = folder / f"{request.param}.cfg"
    config.write_text(CONFIGS[request.param], encoding="utf-8")
    module = MODULES / f"{request.param}.tla"
    verdict = run(module, config, check_deadlock=False, dump=folder / "graph.dot", timeout_s=120)
    model = Model.load(module, config)
    ours = breadth_first(model, deadlock=False, edges=True)
    return Both(model, ours, verdict, read_dump(folder / "graph.dot", model.variables))


def test_the_counts_are_those_of_tlc(both: Both) -> None:
    ours, theirs = both.ours, both.verdict

    assert (ours.distinct, ours.generated, ours.depth) == (theirs.distinct, theirs.generated, theirs.depth)


def test_the_states_are_those_of_tlc(both: Both) -> None:
    assert set(both.ours.states) == both.dump.states


def test_the_labelled_edges_are_those_of_tlc(both: Both) -> None:
    states = both.ours.states

    assert {(states[a], name, states[b]) for a, name, b in both.ours.edges} == both.dump.edges


def test_no_pair_of_states_is_a_step_unless_tlc_has_the_edge(both: Both) -> None:
    states = sorted(both.dump.states, key=repr)[:150]
    known = set(states)
    found = {(a, step.action, b) for a, b in product(states, states) for step in both.model.check_step(a, b)}

    assert found == {edge for edge in both.dump.edges if edge[0] in known and edge[2] in known}


def test_the_named_action_allows_each_of_its_steps(both: Both) -> None:
    model = both.model
    refused = [
        (step, state)
        for state in both.ours.states
        for step, following in model.successors(state)
        if not model.allows(step.action, step.args, state, following)
    ]

    assert refused == []


def test_every_action_is_taken(both: Both) -> None:
    assert [name for name, times in both.ours.taken if not times] == []
