"""Options for every test of the project, whichever folder it lies in.

Three rules:

1. Where ``--fail-on-missing-tool`` is on (as it is when ``CI=true``), a test that
   would skip because a tool is missing fails instead.  Such a skip says so in its
   first words: ``pytest.skip("missing tool: …, install it with …")``.
2. Where the tests are dealt out to several processes (``-n 2``), those of one file
   stay together, for they share what is costly to make; and so do all of
   ``conformance/``, for the last of them count what the others exercised.
3. An interrupt that is ignored, as in a job of a shell's background, is heard again: the
   commands that tests start would ignore it too.
"""

import os
import signal
from collections.abc import Generator
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

pytest_plugins = ["pytester"]

MISSING_TOOL = "missing tool"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fail-on-missing-tool",
        action="store_true",
        default=os.environ.get("CI") == "true",
        help="a test that skips for want of a tool fails (default: on where CI=true)",
    )


def pytest_configure() -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class ByWhatTheyShare(LoadScopeScheduling):  # type: ignore[misc]
    """Deals the tests out to processes."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "conformance" if file.startswith("conformance/") else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByWhatTheyShare:
    return ByWhatTheyShare(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fail_if_a_tool_is_missing(report, item.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fail_if_a_tool_is_missing(report, collector.config)
    return report


def _fail_if_a_tool_is_missing(report: pytest.TestReport | pytest.CollectReport, config: pytest.Config) -> None:
    if not report.skipped or not config.getoption("--fail-on-missing-tool"):
        return
    reason = _reason(report.longrepr)
    if reason.startswith(MISSING_TOOL):
        report.outcome = "failed"
        report.longrepr = f"{reason}\nHere no tool may be missing (--fail-on-missing-tool): this skip is a failure."


def _reason(longrepr: Any) -> str:
    """The reason of a skip, out of the triple (file, line, "Skipped: reason")."""
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return str(text).removeprefix("Skipped: ")
