"""``conform check-spec``: what differs from the record is said, and nothing proves itself by matching nothing."""

import json
from pathlib import Path

import attrs
import pytest

from conformance.cli import main
from conformance.spec_runs import actions_of, as_recorded, coverage_problems, differences
from conformance.specs import Registry, RegistryError, Row, load_registry, question, save_registry
from conformance.tla.tlc import Complaint, Coverage, TraceState, Verdict, run

COMPLETE = Row(module="MCToy", config="MCToy.cfg", distinct=5, depth=3)
REACHED = Row(module="MCToy", config="MCToyEnd.cfg", verdict="safety", violated="NeverEnds", length=2)
TWO_STATES = (TraceState(None, {"x": 0}), TraceState("Step", {"x": 1}))


def toy(folder: Path, rows: str, **configs: str) -> Registry:
    """A specification of one module, ``Toy``, with the given rows and cfgs."""
    models = folder / "models"
    models.mkdir()
    (folder / "Toy.tla").write_text("---- MODULE Toy ----\n====\n", encoding="utf-8")
    (models / "MCToy.tla").write_text("---- MODULE MCToy ----\nEXTENDS Toy\n====\n", encoding="utf-8")
    for name, text in configs.items():
        (models / f"{name}.cfg").write_text(text, encoding="utf-8")
    (folder / "models.yaml").write_text(rows, encoding="utf-8")
    return load_registry(folder / "models.yaml")


ROW = """- module: MCToy
  config: MCToy.cfg  # Does it hold?
  verdict: ok
  distinct: 5
  depth: 3
  edges: true
  pairs: true
"""
ASKS = "\\* Does it hold?\nINIT Init\nNEXT Next\nINVARIANT TypeOK\n"


# --- a run against its row ---


def test_a_run_as_recorded_differs_in_nothing() -> None:
    assert differences(COMPLETE, Verdict(verdict="ok", distinct=5, depth=3)) == []


def test_another_verdict_is_told_with_what_was_violated() -> None:
    verdict = Verdict(verdict="safety", violated="SmallInv", counterexample=TWO_STATES)

    assert differences(COMPLETE, verdict) == ["ok is recorded, safety is found (SmallInv)"]


def test_an_error_is_told_in_its_own_words() -> None:
    verdict = Verdict(verdict="error", errors=(Complaint("no such operator"),))

    assert differences(COMPLETE, verdict) == ["ok is recorded, error is found (no such operator)"]


def test_other_counts_are_told_apart() -> None:
    assert differences(COMPLETE, Verdict(verdict="ok", distinct=6, depth=4)) == [
        "distinct states: 5 recorded, 6 found",
        "depth: 3 recorded, 4 found",
    ]


def test_a_run_that_proves_nothing_differs_from_every_record() -> None:
    """CASES 25."""
    verdict = Verdict(
        verdict="ok", distinct=5, depth=3, vacuous=True, warnings=("liveness under CONSTRAINT is vacuous",)
    )

    assert differences(COMPLETE, verdict) == ["the run proves nothing: liveness under CONSTRAINT is vacuous"]


def test_a_situation_that_is_no_longer_reached_differs() -> None:
    """CASES 53."""
    assert differences(REACHED, Verdict(verdict="ok", distinct=5, depth=3)) == ["safety is recorded, ok is found"]


@pytest.mark.parametrize(("actions", "said"), [("Step \\/ End", []), ("Step", ["safety is recorded, ok is found"])])
def test_a_situation_is_no_longer_reached_where_its_action_is_deleted(
    tools: None, tmp_path: Path, actions: str, said: list[str]
) -> None:
    """CASES 53: the situation is what happened, and not what would enable it."""
    registry = toy(tmp_path, ROW, MCToyEnd="\\* Can it end?\nINIT Init\nNEXT Next\nINVARIANT NeverEnds\n")
    lines = [
        "VARIABLES x, done",
        "Init == x = 0 /\\ done = FALSE",
        "Step == x < 2 /\\ x' = x + 1 /\\ UNCHANGED done",
        "End == x > 0 /\\ done' = TRUE /\\ UNCHANGED x",
        f"Next == {actions}",
        "NeverEnds == ~done",
    ]
    (tmp_path / "Toy.tla").write_text("\n".join(["---- MODULE Toy ----", "EXTENDS Naturals", *lines, "===="]))
    row = attrs.evolve(REACHED, length=3)
    verdict = run(registry.module_path(row), registry.config_path(row), check_deadlock=False)

    assert differences(row, verdict) == said


def test_another_violation_does_not_stand_for_the_named_one() -> None:
    """CASES 53."""
    verdict = Verdict(verdict="safety", violated="TypeOK", counterexample=TWO_STATES)

    assert differences(REACHED, verdict) == ["property: NeverEnds recorded, TypeOK found"]


def test_the_length_of_the_counterexample_is_part_of_the_record() -> None:
    verdict = Verdict(verdict="safety", violated="NeverEnds", counterexample=TWO_STATES[:1])

    assert differences(REACHED, verdict) == ["length: 2 recorded, 1 found"]


def test_counts_are_recorded_of_complete_models_and_lengths_of_violated_ones() -> None:
    complete = as_recorded(COMPLETE, Verdict(verdict="ok", distinct=7, depth=2))
    violated = as_recorded(COMPLETE, Verdict(verdict="safety", violated="A", distinct=7, counterexample=TWO_STATES))

    assert (complete.distinct, complete.depth, complete.length) == (7, 2, None)
    assert (violated.distinct, violated.violated, violated.length) == (None, "A", 2)


# --- coverage ---


def test_coverage_without_a_recognised_row_is_a_failure() -> None:
    """CASES 52."""
    assert coverage_problems("MCToy", ["Step"], [{}]) == [
        "MCToy: no row of TLC's coverage was recognised, so no action is known to be taken"
    ]


def test_an_action_that_is_never_taken_is_a_failure() -> None:
    """CASES 52."""
    runs = [{"Step": Coverage(1, 2), "Stop": Coverage(0, 0)}]

    assert coverage_problems("MCToy", ["Step", "Stop"], runs) == ["MCToy: never taken in any run: Stop"]


def test_an_action_may_be_taken_in_another_run_of_the_module() -> None:
    runs = [{"Step": Coverage(1, 2), "Stop": Coverage(0, 0)}, {"Stop": Coverage(0, 1)}]

    assert coverage_problems("MCToy", ["Step", "Stop"], runs) == []


def test_an_action_that_next_does_not_name_is_a_failure() -> None:
    """CASES 52."""
    assert coverage_problems("MCToy", ["Step"], [{"Step": Coverage(1, 1), "Next": Coverage(1, 1)}]) == [
        "MCToy: TLC covers Next, which Next does not name"
    ]


def test_a_row_that_takes_a_part_of_next_is_held_to_the_whole(tools: None, tmp_path: Path) -> None:
    registry = toy(tmp_path, ROW, MCToy="\\* Does it hold?\nINIT Init\nNEXT NextPart\n")
    lines = [
        "VARIABLE x",
        "Init == x = 0",
        "Step == x' = 1",
        "Stop == x' = 0",
        "Next == Step \\/ Stop",
        "NextPart == Step",
    ]
    (tmp_path / "Toy.tla").write_text("\n".join(["---- MODULE Toy ----", *lines, "===="]), encoding="utf-8")

    assert actions_of(registry, registry.rows[0]) == {"Step", "Stop"}


# --- the registry ---


def test_the_recorded_models_of_the_specification_are_in_order() -> None:
    assert load_registry().problems() == []


def test_a_registry_in_order_has_no_problems(tmp_path: Path) -> None:
    assert toy(tmp_path, ROW, MCToy=ASKS).problems() == []


def test_a_cfg_without_a_row_is_a_problem(tmp_path: Path) -> None:
    registry = toy(tmp_path, ROW, MCToy=ASKS, MCToyOther=ASKS)

    assert registry.problems() == ["MCToyOther.cfg has no row in models.yaml; run: conform check-spec --record"]


def test_a_cfg_that_asks_no_question_is_a_problem(tmp_path: Path) -> None:
    registry = toy(tmp_path, ROW, MCToy="INIT Init\nNEXT Next\n")

    assert registry.problems() == ["MCToy.cfg: the first line must be a comment that asks a question"]


def test_a_situation_must_be_the_only_invariant_of_its_cfg(tmp_path: Path) -> None:
    """CASES 53."""
    registry = toy(tmp_path, ROW, MCToy="\\* Can it end?\nINIT Init\nNEXT Next\nINVARIANTS TypeOK NeverEnds\n")

    assert registry.problems() == [
        "MCToy.cfg: NeverEnds must be the only invariant, or another violation could stand for it"
    ]


def test_a_situation_must_be_recorded_as_violated(tmp_path: Path) -> None:
    """CASES 53."""
    registry = toy(tmp_path, ROW, MCToy="\\* Can it end?\nINIT Init\nNEXT Next\nINVARIANT NeverEnds\n")

    assert registry.problems() == ["MCToy: NeverEnds must be reachable, so the row must say that it is violated"]


def test_a_module_without_a_compared_model_is_a_problem(tmp_path: Path) -> None:
    registry = toy(tmp_path, ROW.replace("  edges: true\n  pairs: true\n", ""), MCToy=ASKS)

    assert registry.problems() == [
        "Toy: no row has `edges: true`, so the evaluator is not compared with TLC on it",
        "Toy: no row has `pairs: true`, so its steps are not judged over all pairs of states",
    ]


def test_a_compared_model_must_be_small(tmp_path: Path) -> None:
    registry = toy(tmp_path, ROW.replace("distinct: 5", "distinct: 301"), MCToy=ASKS)

    assert registry.problems() == ["MCToy: `pairs: true` is for models that complete with at most 300 states"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("- module: [", "is not YAML"),
        ("module: MCToy", "must be a list of rows"),
        (ROW + "  states: 5\n", "there is no key states"),
        (ROW.replace("distinct: 5", "distinct: five"), "distinct cannot be 'five'"),
        (ROW.replace("verdict: ok", "verdict: fine"), "fine is no verdict"),
        (ROW.replace("ok", "safety"), "distinct and depth are recorded of models that complete only"),
        (ROW + ROW, "has two rows for MCToy.cfg"),
        ("- module: MCToy\n", "module and config are needed"),
    ],
)
def test_a_row_that_is_not_as_a_row_must_be_is_an_error(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(RegistryError, match=said):
        toy(tmp_path, rows, MCToy=ASKS)


def test_what_is_written_is_what_was_read(tmp_path: Path) -> None:
    text = "# About these rows.\n\n" + ROW
    registry = toy(tmp_path, text, MCToy=ASKS)
    save_registry(registry, registry.rows)

    assert registry.path.read_text(encoding="utf-8") == text


def test_models_are_chosen_by_cfg_by_name_or_by_module(tmp_path: Path) -> None:
    registry = toy(tmp_path, ROW, MCToy=ASKS)

    assert [registry.select([name])[0].name for name in ("MCToy.cfg", "MCToy", "Toy")] == ["MCToy"] * 3


def test_a_model_that_is_not_there_is_an_error_that_lists_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=r"there is no model Nope in models\.yaml; the models are: MCToy"):
        toy(tmp_path, ROW, MCToy=ASKS).select(["Nope"])


def test_the_question_is_the_first_lines_comment(tmp_path: Path) -> None:
    config = tmp_path / "A.cfg"
    config.write_text("\\* Does it hold?\n", encoding="utf-8")

    assert question(config) == "Does it hold?"


# --- the command ---


def conform(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    output = capsys.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, output.out, output.err


def test_one_model_is_run_and_told_in_json(tools: None, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = conform(["check-spec", "MCPollRegistrationPairsTask", "--json"], capsys)
    told = json.loads(output)

    assert status == 0
    assert told["as_recorded"]
    assert [row["model"] for row in told["rows"]] == ["MCPollRegistrationPairsTask"]


def test_an_unknown_model_is_one_line_and_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, error = conform(["check-spec", "Nope"], capsys)

    assert (status, output) == (2, "")
    assert error.startswith("conform: there is no model Nope in models.yaml")
    assert error.count("\n") == 1


def test_a_missing_java_is_one_line_and_status_3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONFORM_JAVA", "/nowhere/java")
    status, _, error = conform(["check-spec", "MCPollRegistrationPairsTask"], capsys)

    assert status == 3
    assert error == "conform: CONFORM_JAVA names /nowhere/java, which is not a file; correct it or unset it\n"


def test_doctor_says_what_is_missing_and_leaves_with_status_3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TLA2TOOLS_JAR", "/nowhere/tla2tools.jar")
    status, output, _ = conform(["doctor", "--json"], capsys)

    assert status == 3
    assert not json.loads(output)["tools"]["tlc"]["found"]


def test_a_verb_that_does_not_exist_is_a_mistake_of_the_caller(capsys: pytest.CaptureFixture[str]) -> None:
    assert conform(["prove"], capsys)[0] == 2
