"""``conform all`` ends with one table, and nothing that was not judged looks like success."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import all as main_job
from conformance.cli.all import Part, all_parts, format_table
from conformance.paths import traces_directory


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, int]:
    """A corpus of one trace of each kind; the exit status of each verb, and of each trace, is chosen here."""
    chosen = {"check-spec": 0, "fuzz": 0, "good.ndjson": 0, "bad.ndjson": 1}
    for trace in ("accepted/good.ndjson", "rejected/bad.ndjson"):
        (tmp_path / "corpus" / trace).parent.mkdir(parents=True)
        (tmp_path / "corpus" / trace).touch()

    def program(arguments: list[str]) -> list[str]:
        known = [Path(each).name for each in arguments if Path(each).name in chosen]
        return ["sh", "-c", f"exit {chosen[known[0]]}"]

    monkeypatch.setattr(main_job, "traces_directory", lambda: tmp_path)
    monkeypatch.setattr(main_job, "_program", program)
    return chosen


def status_of(arguments: list[str]) -> int:
    printed = CliRunner().invoke(all_parts, ["--json", *arguments], standalone_mode=False)
    return int(printed.return_value)


def test_a_job_whose_parts_all_conform_conforms(verdicts: dict[str, int]) -> None:
    assert status_of([]) == 0


def test_a_divergence_outweighs_a_missing_tool(verdicts: dict[str, int]) -> None:
    verdicts.update({"check-spec": 3, "fuzz": 1})

    assert status_of([]) == 1


def test_a_part_that_crashes_is_no_success(verdicts: dict[str, int]) -> None:
    verdicts["fuzz"] = 77

    assert status_of([]) == 1


def test_a_judge_that_crashes_has_rejected_nothing(verdicts: dict[str, int]) -> None:
    verdicts["bad.ndjson"] = 70

    assert status_of([]) == 1


def test_a_run_that_must_be_rejected_and_is_accepted_is_a_divergence(verdicts: dict[str, int]) -> None:
    verdicts["bad.ndjson"] = 0

    assert status_of([]) == 1


def test_a_broken_trace_counts_as_rejected(verdicts: dict[str, int]) -> None:
    verdicts["bad.ndjson"] = 2

    assert status_of([]) == 0


def test_a_corpus_without_traces_is_undecided(verdicts: dict[str, int], tmp_path: Path) -> None:
    (tmp_path / "corpus/accepted/good.ndjson").unlink()

    assert status_of([]) == 4


def several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statuses: dict[str, int], crash: int) -> list[list[str]]:
    """Add four traces that must be accepted; give what each program will be asked, of which one may end in a crash."""
    for name in ("b", "c", "d", "e"):
        (tmp_path / f"corpus/accepted/{name}.ndjson").touch()
    asked: list[list[str]] = []

    def program(arguments: list[str]) -> list[str]:
        names = [Path(each).stem for each in arguments if "accepted" in each]
        if not names:
            return ["sh", "-c", "exit 1" if "rejected" in arguments[-1] else "exit 0"]
        asked.append(names)
        each = [statuses.get(name, 0) for name in names]
        documents = json.dumps({"traces": [{"exit_status": status} for status in each]})
        return ["sh", "-c", f"echo '{documents}'; exit {crash if crash in each else max(each)}"]

    monkeypatch.setattr(main_job, "_program", program)
    return asked


def test_many_runs_are_judged_in_one_program_and_each_alone_where_it_crashes(
    verdicts: dict[str, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = several(tmp_path, monkeypatch, {"b": 1, "c": 70}, crash=70)

    printed = CliRunner().invoke(all_parts, ["--json"], standalone_mode=False)

    assert printed.return_value == 1
    assert sorted(asked, key=len) == [["c"], ["e"], ["c", "e"], ["b", "d", "good"]]
    complaints = [line.split(",")[0] for line in printed.stderr.splitlines() if "must be" in line]
    assert complaints == ["b.ndjson must be accepted", "c.ndjson must be accepted"]


def test_a_tool_that_is_missing_for_one_of_many_runs_has_rejected_nothing(
    verdicts: dict[str, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    several(tmp_path, monkeypatch, {"c": 3}, crash=70)

    printed = CliRunner().invoke(all_parts, ["--json"], standalone_mode=False)

    assert printed.return_value == 3
    assert "c.ndjson must be accepted, and is not judged, for want of a tool" in printed.stderr


def test_what_is_judged_in_one_program_is_what_each_run_would_be_told_by_itself() -> None:
    corpus = traces_directory() / "corpus"
    names = (
        "accepted/sync-match",
        "rejected/story-delivered-twice",
        "rejected/format-empty",
        "rejected/format-torn-line",
    )
    traces = [corpus / f"{name}.ndjson" for name in names]

    together = main_job._judge(traces)

    assert together == {trace: main_job._judge([trace])[trace] for trace in traces}
    assert len(set(together.values())) > 2


def test_json_tells_each_part_with_its_status(verdicts: dict[str, int]) -> None:
    printed = CliRunner().invoke(all_parts, ["--json"], standalone_mode=False)

    assert [part["status"] for part in json.loads(printed.stdout)["parts"]] == [0, 0, 0, 0, 0, 0, 0]


def test_the_table_ends_with_what_the_parts_come_to() -> None:
    table = format_table([Part(name="model-check", status=0, answer="conforms", seconds=40.2)], status=0)

    assert table.splitlines()[-1].split() == ["conforms", "40", "s"]
