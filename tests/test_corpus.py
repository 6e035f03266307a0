"""The recorded scenarios are what the service does today, byte for byte."""

from pathlib import Path

import pytest

from conformance.scenarios import read_scenario, scenario_files
from conformance.trace.errors import TraceError
from tests.corpus import ACCEPTED, recorded_text


@pytest.mark.parametrize("path", scenario_files(), ids=lambda path: path.stem)
def test_the_recorded_scenario_is_what_the_service_does_today(path: Path) -> None:
    recorded = (ACCEPTED / f"{path.stem}.ndjson").read_text(encoding="utf-8")

    assert recorded_text(path) == recorded, "record anew with: python -m tests.corpus"


def test_a_script_that_is_no_scenario_is_refused_with_its_name(tmp_path: Path) -> None:
    script = tmp_path / "broken.yaml"
    script.write_text("title: nothing else\n", encoding="utf-8")

    with pytest.raises(TraceError, match=r"broken\.yaml is no scenario"):
        read_scenario(script)


def test_a_script_with_a_misspelt_part_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "misspelt.yaml"
    script.write_text("title: t\nstory: s\nrequests: []\nactiv: false\n", encoding="utf-8")

    with pytest.raises(TraceError, match="activ, which a scenario does not know"):
        read_scenario(script)
