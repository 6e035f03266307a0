"""``conform doctor``: which tools were found, and what of the language is evaluated."""

import json
import re
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import attrs
import click

from conformance.tla.errors import ToolMissingError
from conformance.tla.process import run_process
from conformance.tla.toolchain import find_jar, find_java, java_command

__all__ = ["Finding", "doctor", "findings"]


@attrs.frozen
class Finding:
    """One thing that was looked for: where it is and which version, or what to do about it."""

    name: str
    found: bool
    where: str
    version: str = ""


@click.command()
@click.option("--language", "about_language", is_flag=True, help="Say what of TLA+ is evaluated, and what is not.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def doctor(about_language: bool, as_json: bool) -> int:
    """Say which tools were found.

    Exit 3 if one is missing; its line then holds the command that brings it.  With
    --language a sample of each part of TLA+ and of TLC's configuration is evaluated, and
    what cannot be is listed with what happens instead.
    """
    if about_language:
        _tell_language(as_json)
        return 0
    found = findings()
    if as_json:
        tools = {each.name: attrs.asdict(each) for each in found}
        click.echo(json.dumps({"tools": tools}, indent=2, sort_keys=True))
    else:
        for each in found:
            mark = "ok     " if each.found else "missing"
            click.echo(f"{mark}  {each.name:<8} {each.version:<24} {each.where}".rstrip())
        click.echo("What of TLA+ is evaluated in Python: conform doctor --language")
    return 0 if all(each.found for each in found) else 3


def _tell_language(as_json: bool) -> None:
    from conformance.tla.language import evaluated

    groups: dict[str, list[str]] = {}
    others: list[dict[str, str]] = []
    for each in evaluated():
        names = groups.setdefault(each.sample.group, [])
        if each.instead is None or each.word is None:
            names.append(each.sample.name)
        else:
            name = {"group": each.sample.group, "name": each.sample.name}
            others.append({**name, "instead": each.instead, "verdict": each.word})
    if as_json:
        told = {"evaluated": groups, "not_evaluated": others}
        click.echo(json.dumps({"language": told}, indent=2, ensure_ascii=False))
        return
    for group, names in groups.items():
        click.echo(f"{group:<20} {'   '.join(names)}")
    click.echo("\nNot evaluated; conform explore says unsupported or error, with its place, or leaves it unchecked:")
    for other in others:
        click.echo(f"{other['group']:<20} {other['name']:<20} {other['verdict']:<12} {other['instead']}")


def findings() -> list[Finding]:
    """Python, the distribution, Java, TLC and the database library, in this order."""
    return [
        Finding("python", True, sys.executable, ".".join(str(part) for part in sys.version_info[:3])),
        _package("matching-conformance", "conform", "pip install matching-conformance"),
        _tool("java", find_java, _java_version),
        _tool("tlc", find_jar, _tlc_version),
        _package("SQLAlchemy", "database", "pip install 'matching-conformance[service]'"),
    ]


def _package(distribution: str, name: str, remedy: str) -> Finding:
    try:
        return Finding(name, True, distribution, version(distribution))
    except PackageNotFoundError:
        return Finding(name, False, f"bring it with: {remedy}")


def _tool(name: str, find: Callable[[], Path], read_version: Callable[[], str]) -> Finding:
    try:
        where = find()
        return Finding(name, True, str(where), read_version())
    except ToolMissingError as error:
        return Finding(name, False, str(error))


def _java_version() -> str:
    with tempfile.TemporaryDirectory(prefix="conform-doctor-") as folder:
        finished = run_process([str(find_java()), "-version"], folder=Path(folder), timeout_s=30)
    lines = [*finished.complaints, *finished.output]
    found = next((match for line in lines if (match := re.search(r'version "([^"]+)"', line))), None)
    if found is None:
        raise ToolMissingError(f"{find_java()} does not run as Java does; correct CONFORM_JAVA or unset it")
    return found[1]


def _tlc_version() -> str:
    with tempfile.TemporaryDirectory(prefix="conform-doctor-") as folder:
        command = java_command("tlc2.TLC", ["-help"], scratch=Path(folder), heap_mb=64)
        finished = run_process(command, folder=Path(folder), timeout_s=30)
    found = next((match for line in finished.output if (match := re.search(r"TLC2 Version (\S+)", line))), None)
    if found is None:
        raise ToolMissingError(f"{find_jar()} holds no TLC; correct TLA2TOOLS_JAR or unset it")
    return found[1]
