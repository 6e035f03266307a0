"""``conform spec`` and ``conform explore``."""

import json
from pathlib import Path

import pytest

from conformance.cli import main

MODULE = """---- MODULE Toy ----
EXTENDS Naturals
VARIABLES x
Init == x = 0
Step == x < 3 /\\ x' = x + 1
Turn == x = 3 /\\ x' = 0
Next == Step \\/ Turn
Spec == Init /\\ [][Next]_x
SmallInv == x < 4
TinyInv == x < 2
EndProp == <>(x = 3)
====
"""


def conform(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    output = capsys.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, output.out, output.err


@pytest.fixture
def toy(tools: None, tmp_path: Path) -> Path:
    path = tmp_path / "Toy.tla"
    path.write_text(MODULE, encoding="utf-8")
    return path


def asked(toy: Path, question: str) -> list[str]:
    config = toy.with_suffix(".cfg")
    config.write_text(f"SPECIFICATION Spec\n{question}\n", encoding="utf-8")
    return ["explore", str(toy)]


def test_every_name_of_the_specification_has_a_reading(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(conform(["spec", "PollRegistration", "--json"], capsys)[1])
    chapters = ("constants", "assumptions", "variables", "actions", "invariants", "step_properties", "liveness")

    assert [item["name"] for chapter in chapters for item in told[chapter] if not item["reading"]] == []
    assert len(told["actions"]) > 20


def test_a_module_is_told_in_its_own_words(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = conform(["spec", "PollRegistration"], capsys)

    assert status == 0
    assert "A worker's poll waits at a partition" in output
    assert "CallerLeaves(p)" in output


def test_a_module_that_is_not_there_is_a_mistake_that_lists_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, error = conform(["spec", "Nothing"], capsys)

    assert status == 2
    assert "There is no module Nothing" in error
    assert "PollRegistration" in error


def test_a_complete_model_agrees_with_tlc(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = conform([*asked(toy, "INVARIANT SmallInv"), "--against-tlc"], capsys)

    assert status == 0
    assert "Toy: ok, 4 states, 5 generated, depth 4" in output
    assert "TLC says the same" in output


def test_a_module_of_assumptions_alone_agrees_with_tlc(
    tools: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = tmp_path / "Sums.tla"
    module.write_text("---- MODULE Sums ----\nEXTENDS Naturals\nASSUME 1 + 1 = 2\n====\n", encoding="utf-8")
    module.with_suffix(".cfg").write_text("", encoding="utf-8")
    status, output, _ = conform(["explore", str(module), "--against-tlc"], capsys)

    assert status == 0
    assert "TLC says the same" in output


def test_a_violated_invariant_is_told_step_by_step(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = conform([*asked(toy, "INVARIANT TinyInv"), "--json", "--against-tlc"], capsys)
    told = json.loads(output)

    assert (status, told["verdict"], told["property"]) == (1, "safety", "TinyInv")
    assert [(step["action"], step["state"]) for step in told["counterexample"]] == [
        (None, {"x": "0"}),
        ("Step", {"x": "1"}),
        ("Step", {"x": "2"}),
    ]
    assert told["differences_from_tlc"] == []


def test_a_temporal_property_is_listed_as_unchecked(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = conform([*asked(toy, "PROPERTY EndProp"), "--json"], capsys)

    assert status == 4
    assert json.loads(output)["unchecked_properties"] == ["EndProp"]


def test_a_module_without_a_cfg_asks_for_one(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, error = conform(["explore", str(toy)], capsys)

    assert status == 2
    assert "name one with --config" in error


def test_an_error_in_the_middle_of_a_search_tells_its_place_and_the_counts_so_far(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toy.write_text(MODULE.replace("x' = x + 1", "x' = x + <<1, 1>>[x + 1]"), encoding="utf-8")
    status, output, error = conform([*asked(toy, "INVARIANT SmallInv"), "--json"], capsys)
    told = json.loads(output)

    assert (status, told["verdict"]) == (2, "error")
    assert (told["distinct"], told["generated"], told["depth"]) == (3, 3, 3)
    assert told["location"] == {"module": "Toy", "line": 5, "column": 27}
    assert told["chain"] == ["Toy.tla:5:1"]
    assert [row["state"]["x"] for row in told["counterexample"]] == ["0", "1", "2"]
    assert error.startswith("conform: Toy.tla:5:27: ")


def test_what_is_not_evaluated_here_is_no_error_of_the_specification(
    toy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = MODULE.replace("EXTENDS Naturals", "EXTENDS Naturals, TLC").replace(
        "x' = x + 1", "x' = x + 1 /\\ x \\in Any"
    )
    toy.write_text(text, encoding="utf-8")
    status, output, error = conform([*asked(toy, ""), "--json"], capsys)
    told = json.loads(output)

    assert (status, told["verdict"]) == (2, "unsupported")
    assert told["location"]["line"] == 5
    assert "Any is not evaluated here" in error


def test_a_choice_that_hangs_on_the_order_of_names_is_told(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy.write_text(MODULE.replace("x' = x + 1", 'x\' = IF "a" = CHOOSE n \\in {"a", "b"} : TRUE THEN x + 1 ELSE x'))
    _, output, _ = conform([*asked(toy, ""), "--json"], capsys)
    _, read, _ = conform(asked(toy, ""), capsys)

    assert json.loads(output)["order_dependent"] == ["Toy.tla:5:32"]
    assert "chosen by the order in which names stand in the text: the CHOOSE at Toy.tla:5:32" in read


def test_a_module_without_bounds_leads_to_its_model(tools: None, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, error = conform(["explore", "Matching"], capsys)

    assert status == 2
    assert "Nat cannot be enumerated" in error
    assert "explore MCMatching\n" in error


def test_a_question_names_the_model_that_answers_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, output, _ = conform(["spec", "PollRegistration"], capsys)

    assert "Can two polls wait for the same kind of task?  [MCPollRegistrationTwoWait]" in output


def test_a_recorded_model_is_explored_by_its_name(tools: None, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = conform(["explore", "MCPollRegistrationTwoWait", "--json"], capsys)
    told = json.loads(output)

    assert (status, told["module"], told["property"]) == (1, "MCPollRegistration", "NeverTwoWait")


def test_a_search_that_reaches_its_limit_decides_nothing(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, error = conform([*asked(toy, ""), "--max-states", "2", "--json"], capsys)

    assert status == 4
    assert (json.loads(output)["verdict"], json.loads(output)["distinct"]) == ("undecided", 2)
    assert error == "conform: there are more than 2 states; give smaller bounds, or a larger limit\n"


def test_assumptions_alone_are_a_model_without_states(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy.write_text("---- MODULE Toy ----\nEXTENDS Naturals\nASSUME 1 + 1 = 2\n====\n", encoding="utf-8")
    toy.with_suffix(".cfg").write_text("", encoding="utf-8")
    status, output, _ = conform(["explore", str(toy), "--json"], capsys)
    told = json.loads(output)

    assert (status, told["verdict"], told["assumptions"]) == (0, "ok", 1)
    assert (told["distinct"], told["generated"], told["depth"]) == (0, 0, 1)


def test_a_view_is_applied_and_tlc_says_the_same(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy.write_text(MODULE.replace("SmallInv", "Parity == x % 2\nSmallInv"), encoding="utf-8")
    status, output, _ = conform([*asked(toy, "VIEW Parity"), "--against-tlc", "--json"], capsys)
    told = json.loads(output)

    assert (status, told["distinct"], told["differences_from_tlc"]) == (0, 2, [])
