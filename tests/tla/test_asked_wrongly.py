"""Configurations that ask for what cannot be asked: refused in one line, wherever TLC refuses them."""

from pathlib import Path

import pytest

from conformance.tla.errors import SpecError, TlaError, UnsupportedError
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model
from conformance.tla.tlc import run

MODULE = """---- MODULE Asked ----
EXTENDS Naturals
CONSTANTS N, Op(_)
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Spec == Init /\\ [][Next]_x
SmallInv == x < 9
TinyInv == x < 2
Above(k) == x > k
Alike(k) == k
Both(k, l) == k + l
Now == x
Then == x'
NearlyProp == [][x' # 3]_x
Always == [](x < 9)
Five == 5
NFive == N = 5
Stay == TRUE
Ahead == x' = 0 /\\ x = 0
Nobody == {}
====
"""
RUN = "INIT Init NEXT Next CONSTANTS N = 3 Op <- Alike "
REFUSED = [
    (RUN + "INVARIANT Above", "asks for Above, which takes 1 arguments"),
    (RUN + "PROPERTY Above", "asks for Above, which takes 1 arguments"),
    (RUN + "CONSTRAINT Above", "asks for Above, which takes 1 arguments"),
    ("INIT Init NEXT Above CONSTANTS N = 3 Op <- Alike", "asks for Above, which takes 1 arguments"),
    ("SPECIFICATION Above CONSTANTS N = 3 Op <- Alike", "asks for Above, which takes 1 arguments"),
    ("SPECIFICATION SmallInv CONSTANTS N = 3 Op <- Alike", "SmallInv is not of the form Init"),
    ("SPECIFICATION NearlyProp CONSTANTS N = 3 Op <- Alike", "NearlyProp is not of the form Init"),
    (RUN + "INVARIANT Always", "Always is temporal"),
    (RUN + "INVARIANT Then", "Then speaks of the next state"),
    (RUN + "INVARIANT NFive", "NFive is FALSE in every state"),
    (RUN + "PROPERTY NFive", "NFive is FALSE in every state"),
    (RUN + "CONSTRAINT NFive", "NFive is FALSE in every state"),
    (RUN + "ACTION_CONSTRAINT NFive", "NFive is FALSE in every state"),
    (RUN + "CONSTRAINT Then", "Then speaks of the next state, and is asked of one state"),
    (RUN + "VIEW Then", "Then speaks of the next state, and is asked of one state"),
    (RUN + "SYMMETRY Nobody", "SYMMETRY is the empty set"),
    ("INIT Ahead NEXT Next CONSTANTS N = 3 Op <- Alike", "the initial predicate speaks of the next state"),
    ("INIT Init NEXT Stay CONSTANTS N = 3 Op <- Alike", "the next-state relation Stay speaks of no variable"),
    ("INIT Init NEXT Next CONSTANTS N <- Now Op <- Alike", "replaces the constant N by Now, which hangs on the state"),
    ("INIT Init NEXT Next CONSTANTS N = 3 Op <- Both", "replaces Op, which takes 1 arguments, by Both, which takes 2"),
    (RUN + "SmallInv <- Above", "replaces SmallInv, which takes 0 arguments, by Above, which takes 1"),
    (RUN + "SmallInv <- TinyInv TinyInv <- SmallInv", "replaces something by SmallInv after it replaced SmallInv"),
]
ANSWERED = [
    (RUN + "Unknown = 4 x = 5", "ok"),
    (RUN + "SmallInv <- TinyInv INVARIANT SmallInv", "safety"),
    (RUN + "SmallInv <- TinyInv CONSTRAINT SmallInv INVARIANT TinyInv", "safety"),
    (RUN + "Init <- SmallInv", "error"),
    ("INIT Init NEXT Next CONSTANTS N = 3 Op <- Above INVARIANT Stay", "ok"),
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    module = tmp_path / "Asked.tla"
    module.write_text(MODULE, encoding="utf-8")
    return module, tmp_path / "Asked.cfg"


def _verdict(module: Path, config: Path) -> str:
    try:
        return breadth_first(Model.load(module, config)).verdict
    except UnsupportedError:
        return "unsupported"
    except TlaError:
        return "error"


@pytest.mark.parametrize(("text", "told"), REFUSED, ids=[text for text, _ in REFUSED])
def test_what_cannot_be_asked_is_refused_with_a_reason(
    text: str, told: str, tools: None, files: tuple[Path, Path]
) -> None:
    files[1].write_text(text, encoding="utf-8")

    with pytest.raises(TlaError) as caught:
        breadth_first(Model.load(*files))

    assert told in caught.value.message
    assert not isinstance(caught.value, UnsupportedError)


@pytest.mark.slow
@pytest.mark.parametrize("text", [text for text, _ in REFUSED])
def test_tlc_refuses_it_too(text: str, tools: None, files: tuple[Path, Path]) -> None:
    files[1].write_text(text, encoding="utf-8")

    assert run(*files).verdict == "error"


@pytest.mark.parametrize(("text", "verdict"), ANSWERED, ids=[text for text, _ in ANSWERED])
def test_what_tlc_answers_is_answered(text: str, verdict: str, tools: None, files: tuple[Path, Path]) -> None:
    """A value for an unknown name stays unused; what replaces a definition is asked in its place."""
    files[1].write_text(text, encoding="utf-8")

    assert _verdict(*files) == verdict
    assert run(*files).verdict == verdict


def test_a_model_of_numbers_of_python_is_given_no_unknown_constant(tools: None, files: tuple[Path, Path]) -> None:
    files[1].write_text(RUN, encoding="utf-8")

    with pytest.raises(SpecError, match="gives a value to M, which Asked does not declare"):
        Model.load(*files, constants={"M": 4})
