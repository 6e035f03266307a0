"""What ``conform doctor --language`` says: samples of everything, evaluated when it is asked."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.tla.compile.builtins import CONSTANT_SETS, NATIVES
from conformance.tla.compile.forms import HOISTED, PAIRS, TRUTHS
from conformance.tla.language import SAMPLES, evaluated, sample_model
from conformance.tla.model import Model

LIBRARY = {"Naturals", "Integers", "Sequences", "FiniteSets", "Bags", "TLC"}


@pytest.fixture(scope="module")
def samples(tools: None, tmp_path_factory: pytest.TempPathFactory) -> Model:
    return sample_model(tmp_path_factory.mktemp("samples"))


def names_used(model: Model) -> set[str]:
    return {name for definition in model.tree.definitions.values() for name in named(model, definition.body)}


def named(model: Model, node: Any) -> Iterator[str]:
    """Every built-in form and every definition that a tree names."""
    if isinstance(node, list | tuple):
        if len(node) > 2 and node[0] == "b":
            yield node[2]
        elif len(node) > 2 and node[0] == "d" and node[2] in model.tree.definitions:
            yield model.tree.definitions[node[2]].name
        for part in node:
            yield from named(model, part)


def test_every_form_and_operator_that_is_compiled_has_a_sample(samples: Model) -> None:
    compiled = {*TRUTHS, *PAIRS, *HOISTED, *NATIVES, *CONSTANT_SETS}
    used = names_used(samples)
    # SANY tells some operators under another of their spellings; those stand in the text.
    spelled = {name for name in compiled if any(name in sample.text for sample in SAMPLES)}

    assert len(compiled & used) > 60
    assert compiled - used - spelled == set()


def test_every_operator_of_the_standard_modules_has_a_sample(samples: Model) -> None:
    tree = samples.tree
    defined = {
        tree.definitions[uid].name
        for name, uid in tree.visible.items()
        if (tree.definitions[uid].native or tree.location(tree.definitions[uid].where).module) in LIBRARY
    }

    assert len(defined) > 50
    assert defined - names_used(samples) == set()


def test_what_is_not_evaluated_is_told_by_name_and_nothing_else_is(
    tools: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["doctor", "--language", "--json"])
    told = json.loads(capsys.readouterr().out)["language"]

    assert left.value.code == 0
    assert len(told["evaluated"]["logic"]) > 15
    assert sum(map(len, told["evaluated"].values())) + len(told["not_evaluated"]) == len(SAMPLES)
    assert [each["name"] for each in told["not_evaluated"] if each["group"] in ("sets", "functions")] == []
    assert all(each["instead"] for each in told["not_evaluated"])


def test_a_reader_is_told_too(tools: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["doctor", "--language"])
    output = capsys.readouterr().out

    assert "\\cdot" in output.partition("Not evaluated")[2]
    assert "SubSeq" in output.partition("Not evaluated")[0]


def test_the_same_samples_are_evaluated_whenever_they_are_asked(tools: None) -> None:
    first, second = evaluated(), evaluated()

    assert [each.instead for each in first] == [each.instead for each in second]
