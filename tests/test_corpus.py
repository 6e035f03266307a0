"""The recorded scenarios are what the service does today, byte for byte."""

import re
from pathlib import Path

import pytest

from conformance.scenarios import read_scenario, scenario_files
from conformance.trace.errors import TraceError
from tests.broken import accepted_stories, faulty_runs, rejected_texts
from tests.corpus import ACCEPTED, REJECTED, recorded_text


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_the_recorded_scenario_is_what_the_service_does_today(path: Path) -> None:
    recorded = (ACCEPTED / f"{path.stem}.ndjson").read_text(encoding="utf-8")

    assert recorded_text(path) == recorded, "record anew with: python -m tests.corpus"


def kept(folder: Path) -> dict[str, str]:
    """The kept traces of that folder, by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.ndjson")}


def test_the_stories_that_are_kept_are_what_the_specification_tells_today() -> None:
    stories = accepted_stories()

    assert {name: text for name, text in kept(ACCEPTED).items() if name in stories} == stories


def test_every_rejected_trace_but_the_empty_one_is_made_anew_as_it_is_kept() -> None:
    rejected = kept(REJECTED)

    assert rejected.pop("format-empty") == ""
    assert rejected == rejected_texts() | faulty_runs()


def test_every_accepted_run_has_its_story() -> None:
    assert set(kept(ACCEPTED)) == {path.stem for path in scenario_files()} | set(accepted_stories())


def test_a_script_that_is_no_scenario_is_refused_with_its_name(tmp_path: Path) -> None:
    script = tmp_path / "broken.yaml"
    script.write_text("title: nothing else\n", encoding="utf-8")

    with pytest.raises(TraceError, match=r"broken\.yaml is no scenario"):
        read_scenario(script)


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("activ: false", "activ, which a scenario does not know"),
        ("active: 5", "5 as active; it is true or false"),
        ("settle: 'no'", "'no' as settle; it is true or false"),
        ("title: [t]", "as title; it is a text"),
        ("requests: {do: poll}", "as requests; it is a list"),
        ("active: 2020-99-99", "line 4, column 9: '2020-99-99' cannot be read as timestamp"),
        ("active: !!int x", "line 4, column 9: 'x' cannot be read as int"),
        ("active: !!int '_'", "cannot be read as int"),
        ("active: !!bool x", "'x' cannot be read as bool"),
        ("active: 0x_", "'0x_' cannot be read as int"),
        ("active: !!timestamp x", "'x' cannot be read as timestamp"),
        (f"active: {'9' * 5000}", "cannot be read as int"),
        (f"active: 0x{'9' * 5000}", "a number that does not fit into 64 bits"),
        (f"active: {2**64}", "a number that does not fit into 64 bits"),
        (f"hosts: {'[' * 100_000}", "more than 50 lists and mappings in one another"),
        (f"hosts:\n{'- ' * 10_000}x", "more than 50 lists and mappings in one another"),
        ("hosts: [h1]\nhosts: [h2]", "line 5, column 1: 'hosts' stands twice in one mapping"),
        ("requests: [{do: load, do: unload}]", "'do' stands twice in one mapping"),
        ("hosts: &a [*a]", "an alias; write the value again"),
        ('hosts: ["\\ud800"]', "half of a surrogate pair is not text"),
        ('title: "\\udfff"', "half of a surrogate pair is not text"),
        ("hosts: [h1", "expected ',' or ']'"),
        ("clusters: [there]", "the setup has the clusters there and not 'here', this one"),
        ("active: false\nclusters: [here, moon]", "and not 'there', where the namespace is active"),
    ],
)
def test_a_script_with_a_wrong_part_is_refused(tmp_path: Path, part: str, said: str) -> None:
    parts = {"title": "title: t", "story": "story: s", "requests": "requests: []", part.partition(":")[0]: part}
    script = tmp_path / "wrong.yaml"
    script.write_text("\n".join(parts.values()), encoding="utf-8")

    with pytest.raises(TraceError, match=re.escape(said)) as refused:
        read_scenario(script)

    assert "\n" not in str(refused.value)
