"""Deep recursion and large values: what is held, what is refused, and that nothing ends the process."""

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.tla.errors import DepthError, EvaluationError
from conformance.tla.explore import StateLimitError, breadth_first
from conformance.tla.model import Model
from conformance.tla.values import FALSE, TRUE
from tests.tla.conftest import Write

DEEP = 100_000
RECURSIVE = f"""EXTENDS Integers, Sequences, FiniteSets
VARIABLE x
RECURSIVE Plain(_), Lazily(_, _), Even(_), Odd(_), Any(_), Built(_)
Plain(n) == IF n = 0 THEN 0 ELSE 1 + Plain(n - 1)
Lazily(n, e) == IF n = 0 THEN 1 ELSE Lazily(n - 1, IF n = 7 THEN e \\div 1 ELSE e)
Even(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)
Odd(n) == IF n = 0 THEN FALSE ELSE Even(n - 1)
Any(n) == n = 0 \\/ \\E m \\in {{n - 1}} : Any(m)
Built(n) == IF n = 0 THEN {{}} ELSE {{y \\in {{1}} : Built(n - 1) # {{2}}}}
count[n \\in Nat] == IF n = 0 THEN 0 ELSE 1 + count[n - 1]
table[n \\in 0..{DEEP}] == IF n = 0 THEN 0 ELSE 1 + table[n - 1]
"""
WORTH = {
    f"Plain({DEEP}) = {DEEP}": True,
    f"Lazily({DEEP}, 5) = 1": True,
    f"Odd({DEEP})": False,
    "Any(10000)": True,
    f"Built({DEEP}) = {{1}}": True,
    f"count[{DEEP}] = {DEEP}": True,
    f"table[{DEEP}] = {DEEP}": True,
}
ENDLESS = ["Plain(-1) = 0", "Any(-1)", "Built(-1) = {}"]
LARGE = {
    "(\\A i \\in 1..100000 : i \\in S) /\\ Cardinality(S) = 100000": True,
    "(\\E i \\in S : i * 2 = 200000) /\\ f[100000] = 100001": True,
    "[f EXCEPT ![5] = 1][5] = 1 /\\ DOMAIN f = S": True,
    "S \\subseteq Nat /\\ f \\in [S -> Nat]": True,
    "{<<i, f[i]>> : i \\in S} = {<<i, i + 1>> : i \\in S}": True,
}


REFUSED = [
    "(SUBSET (1..40)) = {}",
    "Cardinality(0..2147483647) = 1",
    "{s \\in [1..10 -> 1..10] : TRUE} = {}",
    "{s[1] : s \\in [1..10 -> 1..10]} = {}",
    "{i + 1 : i \\in 0..2147483647} = {}",
    "{i \\in 0..2147483647 : TRUE} = {}",
    "{i + 1 : i \\in 1..1000001} = {}",
    "[i \\in 0..2147483647 |-> i] = x",
]
UNLISTED = "Cardinality(SUBSET (1..25)) = 33554432 /\\ {3, 9} \\in SUBSET (1..40) /\\ 5 \\in 0..2147483647"
FORMULAS = [*WORTH, *LARGE, *ENDLESS, *REFUSED, UNLISTED]
LIMIT = "no set of more than 1000000 elements|an interval of more than 4000000 numbers is not listed"


def deep(write: Write, formula: str) -> Model:
    """A model of which the initial state, the step and the invariant ask for the formula; one module holds them all."""
    lines = [RECURSIVE + "S == 1..100000\nf == [i \\in S |-> i + 1]"]
    for number, text in enumerate(FORMULAS):
        lines.append(f"Asked{number} == {text}\nInit{number} == x = Asked{number}")
        lines.append(f"Next{number} == x' = Asked{number}\nInv{number} == x = Asked{number}")
    number = FORMULAS.index(formula)
    return write("\n".join(lines), f"INIT Init{number} NEXT Next{number} INVARIANT Inv{number}")


@pytest.mark.parametrize("formula", [*WORTH, *LARGE])
def test_what_goes_deep_or_is_large_has_its_value_wherever_it_is_asked(write: Write, formula: str) -> None:
    model = deep(write, formula)
    found = breadth_first(model)
    (state,) = model.initial_states()

    assert (found.verdict, found.distinct, found.generated) == ("ok", 1, 2)
    assert bool(state[0]) is (WORTH | LARGE)[formula]


@pytest.mark.parametrize("formula", WORTH)
def test_the_judge_goes_as_deep(write: Write, formula: str) -> None:
    other, state = deep(write, formula), (0,)
    (first,) = other.initial_states()

    assert other.allows(f"Next{FORMULAS.index(formula)}", (), state, first)
    assert [following for _, following in other.successors(state)] == [first]
    assert other.check_state(first) == []
    assert other.check_state((FALSE if first[0] is TRUE else TRUE,)) == list(other.invariants)


@pytest.mark.parametrize("formula", ENDLESS)
def test_a_recursion_that_does_not_end_is_an_error_with_its_place(write: Write, formula: str) -> None:
    with pytest.raises(DepthError, match="goes too deep") as explored:
        breadth_first(deep(write, formula))

    assert explored.value.location is not None


def test_the_judge_tells_a_recursion_that_does_not_end(write: Write) -> None:
    with pytest.raises(DepthError, match="goes too deep") as judged:
        deep(write, ENDLESS[1]).check_state((0,))

    assert judged.value.location is not None


@pytest.mark.parametrize("formula", REFUSED)
def test_a_set_that_is_too_large_to_be_listed_is_refused_with_the_limit(write: Write, formula: str) -> None:
    with pytest.raises(EvaluationError, match=LIMIT):
        breadth_first(deep(write, formula))


def test_a_large_set_is_counted_and_asked_without_being_listed(write: Write) -> None:
    assert breadth_first(deep(write, UNLISTED)).verdict == "ok"


def test_a_search_that_is_too_large_stops_at_its_limit(write: Write) -> None:
    model = write("EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1", "INIT Init NEXT Next")

    with pytest.raises(StateLimitError, match="more than 1000 states"):
        breadth_first(model, max_states=1000)


POOR = """
import resource, sys
from pathlib import Path
from conformance.tla.errors import DepthError
from conformance.tla.model import Model

model = Model.load(Path(sys.argv[1]))
with open("/proc/self/statm") as told:
    here = int(told.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (here + (48 << 20), resource.RLIM_INFINITY))
try:
    model.evaluate(sys.argv[2])
except DepthError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells and limits a process's memory so")
def test_a_process_without_memory_for_a_large_stack_is_told_that_it_goes_too_deep(write: Write, tmp_path: Path) -> None:
    deep(write, ENDLESS[0])
    told = subprocess.run(
        [sys.executable, "-c", POOR, str(tmp_path / "Here.tla"), "Asked0"], capture_output=True, text=True, timeout=60
    )

    assert "goes too deep" in told.stdout
    assert told.stderr == ""
