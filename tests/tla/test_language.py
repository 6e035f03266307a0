"""What ``conform doctor --language`` says: samples of everything, evaluated when it is asked."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.tla.compile.builtins import CONSTANT_SETS, NATIVES
from conformance.tla.compile.forms import HOISTED, PAIRS, TRUTHS
from conformance.tla.language import SAMPLES, Sample, evaluated, sample_model
from conformance.tla.model import Model
from conformance.tla.tlc import run

LIBRARY = {"Naturals", "Integers", "Sequences", "FiniteSets", "Bags", "TLC"}


USED = {"value": "ACTION_CONSTRAINT", "property": "PROPERTY"}
"""The statement of a configuration that uses a sample of a kind."""
STATUSES = {"unsupported": 2, "error": 2, "unchecked": 4}


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


def using(sample: Sample, folder: Path) -> tuple[Path, Path]:
    """The samples as a module, and a configuration that uses one of them."""
    sample_model(folder)
    used = f"INIT Init NEXT Next CONSTANT C = 3 {USED.get(sample.kind)} Sample{SAMPLES.index(sample)}"
    config = folder / "Samples.cfg"
    config.write_text(f"{sample.text if sample.kind == 'statement' else used} CHECK_DEADLOCK FALSE", encoding="utf-8")
    return folder / "Samples.tla", config


def explored(sample: Sample, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, Any]:
    """The word that an exploration has for a sample, and its exit status."""
    module, _ = using(sample, folder)
    with pytest.raises(SystemExit) as left:
        main(["explore", str(module), "--json"])
    told = json.loads(capsys.readouterr().out)
    return "unchecked" if told["unchecked_properties"] else told["verdict"], left.value.code


def test_an_exploration_has_for_each_sample_the_word_that_is_told(
    tools: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {each.sample: each.word for each in evaluated() if each.word is not None}
    found = {sample: explored(sample, tmp_path, capsys) for sample in told}

    assert len(told) > 5
    assert found == {sample: (word, STATUSES[word]) for sample, word in told.items()}


@pytest.mark.slow
def test_what_is_called_an_error_here_is_one_for_tlc(tools: None, tmp_path: Path) -> None:
    told = [each.sample for each in evaluated() if each.word == "error"]
    found = {sample.name: run(*using(sample, tmp_path)).verdict for sample in told}

    assert "\\cdot" in found
    assert set(found.values()) == {"error"}


def test_a_reader_is_told_too(tools: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["doctor", "--language"])
    output = capsys.readouterr().out

    assert "\\cdot" in output.partition("Not evaluated")[2]
    assert "SubSeq" in output.partition("Not evaluated")[0]


def test_the_same_samples_are_evaluated_whenever_they_are_asked(tools: None) -> None:
    first, second = evaluated(), evaluated()

    assert [each.instead for each in first] == [each.instead for each in second]
