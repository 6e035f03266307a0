"""The command line ``conform``: a name for each verb, and one way for things to go wrong.

Two rules:

1. A verb's module is imported when the verb is used, and not for ``conform --help``:
   judging a trace from the shell must not pay for what it does not need.
2. A verb returns its exit status: 0 conforms, 1 diverged or violated, 2 asked
   wrongly, 3 a tool is missing, 4 undecided or vacuous.
"""

import importlib
from collections.abc import Sequence

import click

from conformance.cli.running import complain, run_and_leave

__all__ = ["VERBS", "complain", "conform", "main"]

VERBS: dict[str, tuple[str, str]] = {
    "all": ("conformance.cli.all:all_parts", "Do the main job: check the spec, fuzz, judge the corpus."),
    "check": ("conformance.cli.check:check", "Is this run allowed?"),
    "check-spec": ("conformance.cli.check_spec:check_spec", "Check every recorded model under TLC."),
    "doctor": ("conformance.cli.doctor:doctor", "Say which tools were found."),
    "explore": ("conformance.cli.explore:explore", "Explore a model breadth-first in Python."),
    "fuzz": ("conformance.cli.fuzz:fuzz", "Fuzz the service and judge every run."),
    "replay": ("conformance.cli.replay:replay", "Run a trace again, and explain where it parts from the spec."),
    "show": ("conformance.cli.show:show", "Show a trace."),
    "spec": ("conformance.cli.spec:spec", "Describe a module of the specification."),
}
"""Each verb, the function that it is, and its line in the list of verbs."""


class _Verbs(click.Group):
    """Looks a verb up when it is used; its line in the list needs no import."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module, _, name = VERBS[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(VERBS.items())])


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="matching-conformance", prog_name="conform")
def conform() -> None:
    """Does the running system do only what the specification allows?"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one verb and leave with its exit status."""
    run_and_leave(conform, "conform", arguments)
