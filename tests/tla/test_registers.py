"""TLCGet and TLCSet: what they are where a model is explored, and that they are nothing elsewhere."""

import pytest

from conformance.tla.errors import EvaluationError
from conformance.tla.explore import EndedError, breadth_first
from conformance.tla.tlc import run
from tests.tla.conftest import Write

HEAD = "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x \\in {0, 1}\n"
RUN = "INIT Init NEXT Next "


def test_the_specification_may_end_the_search_and_that_decides_nothing(write: Write) -> None:
    body = HEAD + 'Next == x < 30 /\\ x\' \\in {x + 1, x + 2}\nStop == x > 3 => TLCSet("exit", TRUE)'
    model = write(body, RUN + "CONSTRAINT Stop")
    place = model.tree.files["Here"]
    place.with_suffix(".cfg").write_text(RUN + "CONSTRAINT Stop", encoding="utf-8")

    with pytest.raises(EndedError, match="2 states were not followed") as caught:
        breadth_first(model)
    found, tlcs = caught.value.exploration, run(place, place.with_suffix(".cfg"))  # type: ignore[attr-defined]

    assert caught.value.exit_status == 4
    assert (found.distinct, found.generated, found.depth) == (tlcs.distinct, tlcs.generated, tlcs.depth)


def test_a_search_begins_with_empty_registers_each_time(write: Write) -> None:
    body = (
        HEAD
        + "Next == UNCHANGED x /\\ TLCSet(1, 7)\nASSUME TLCSet(2, 3) /\\ TLCGet(2) = 3\nInv == x = 0 \\/ TLCGet(1) = 7"
    )
    model = write(body, RUN + "INVARIANT Inv")

    for _ in range(2):
        with pytest.raises(EvaluationError, match=r"TLCGet\(1\) is undefined"):
            breadth_first(model)


def test_a_name_that_tlc_does_not_count_is_undefined(write: Write) -> None:
    model = write(HEAD + 'Next == UNCHANGED x\nE == TLCGet("generated")', RUN)

    with pytest.raises(EvaluationError, match=r'TLCGet\("generated"\) is undefined'):
        model.evaluate("E")


@pytest.mark.parametrize("asked", ['TLCGet("level") > 0', "TLCSet(1, x)"])
def test_a_state_that_is_judged_alone_has_no_registers(write: Write, asked: str) -> None:
    model = write(HEAD + f"Next == UNCHANGED x\nInv == {asked}", RUN + "INVARIANT Inv")

    with pytest.raises(EvaluationError, match="only while a model is explored"):
        model.check_state((0,))


def test_the_time_of_a_search_is_counted_in_seconds(write: Write) -> None:
    model = write(HEAD + 'Next == UNCHANGED x /\\ TLCGet("duration") \\in 0..60', RUN)

    assert breadth_first(model).verdict == "ok"
