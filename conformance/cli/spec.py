"""``conform spec``: a module of the specification, told as a description of the protocol."""

import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from conformance.specs import Row
    from conformance.tla.outline import Item, Outline

__all__ = ["spec"]

WIDTH = 110

_CHAPTERS = (
    ("invariants", "what is true of every state", ("invariant",)),
    ("step properties", "what is true of every step", ("step property",)),
    ("liveness", "what must come about", ("liveness",)),
    ("refinement", "what this is an implementation of", ("refinement",)),
)


@click.command()
@click.argument("module")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def spec(module: str, as_json: bool) -> int:
    """Describe a module of the specification.

    MODULE is a name, such as PollRegistration, or a path.  Constants, variables,
    actions, invariants, step properties, liveness and the questions asked of its
    models, each with its reading and the line where it stands.
    """
    from conformance.cli.modules import find_module
    from conformance.tla.outline import outline

    found = outline(find_module(module))
    rows = _questions(found.module)
    if as_json:
        click.echo(json.dumps(_as_json(found, rows), indent=2, ensure_ascii=False))
    else:
        for line in _lines(found, rows):
            click.echo(line)
    return 0


def _questions(module: str) -> list[tuple[str, "Row"]]:
    """The questions of the recorded models that are about a module."""
    from conformance.specs import load_registry, question

    registry = load_registry()
    rows = [row for row in registry.rows if row.subject == module and registry.config_path(row).is_file()]
    return [(question(registry.config_path(row)) or row.name, row) for row in rows]


def _lines(found: "Outline", rows: Sequence[tuple[str, "Row"]]) -> Iterator[str]:
    yield f"{found.module}   {found.path.name}" + (f"   extends {', '.join(found.extends)}" if found.extends else "")
    yield ""
    yield from found.prose
    yield from _chapter("constants", "what a model binds", found.of("constant"))
    yield from _chapter("assumptions", "what is taken for granted of them", found.of("assumption"))
    yield from _chapter("variables", "what a state is", found.of("variable"))
    yield from _chapter("the beginning", "", [item for item in found.items if item.name == "Init"])
    sections = dict.fromkeys(item.section for item in found.of("action"))
    for section in sections:
        title, _, gloss = (section or "actions").partition(":")
        actions = [item for item in found.of("action") if item.section == section]
        yield from _chapter(title.strip().lower(), gloss.strip(), actions)
    for title, gloss, kinds in _CHAPTERS:
        yield from _chapter(title, gloss, found.of(*kinds))
    if rows:
        yield from _heading("questions", "asked of its models, with the recorded answer [and the model]")
        for asked, row in rows:
            yield from _entry(_answer(row), f"{asked}  [{row.name}]", 0)


def _answer(row: "Row") -> str:
    if row.violated is None:
        return f"holds, {row.distinct:,} states" if row.distinct is not None else row.verdict
    if row.violated.startswith("Never"):
        return f"yes, in {row.length} states"
    return f"{row.verdict}, {row.violated}"


def _chapter(title: str, gloss: str, items: Sequence["Item"]) -> Iterator[str]:
    if not items:
        return
    yield from _heading(title, gloss)
    for item in items:
        reading = item.reading or item.signature or "(no reading)"
        name = item.name + (item.signature if item.kind != "assumption" else "")
        yield from _entry(name, reading, item.line, changes=item.changes if item.kind == "action" else ())


def _heading(title: str, gloss: str) -> list[str]:
    return ["", f"{title}" + (f" — {gloss}" if gloss else "")]


def _entry(name: str, reading: str, line: int, changes: Sequence[str] = ()) -> Iterator[str]:
    place = f"  [{line}]" if line else ""
    wrapped = textwrap.wrap(reading + place, WIDTH - 34) or [""]
    if len(name) > 28:
        yield f"  {name}"
    else:
        yield f"  {name:<30}  {wrapped.pop(0)}"
    if changes:
        wrapped += textwrap.wrap(f"changes {', '.join(changes)}", WIDTH - 34)
    for text in wrapped:
        yield f"{'':34}{text}"


def _as_json(found: "Outline", rows: Sequence[tuple[str, "Row"]]) -> dict[str, Any]:
    kinds = {
        "constants": ("constant",),
        "assumptions": ("assumption",),
        "variables": ("variable",),
        "actions": ("action",),
        "invariants": ("invariant",),
        "step_properties": ("step property",),
        "liveness": ("liveness",),
        "refinements": ("refinement",),
        "definitions": ("definition", "instance", "specification", "situation"),
    }
    chapters = {
        name: [
            {
                "name": item.name,
                "parameters": _parameters(item),
                "reading": item.reading,
                "line": item.line,
                "section": item.section,
                "changes": list(item.changes),
            }
            for item in found.of(*wanted)
        ]
        for name, wanted in kinds.items()
    }
    return {
        "module": found.module,
        "extends": list(found.extends),
        "prose": list(found.prose),
        **chapters,
        "questions": [
            {"model": row.name, "question": asked, "verdict": row.verdict, "property": row.violated}
            for asked, row in rows
        ],
    }


def _parameters(item: "Item") -> list[str]:
    if item.kind == "assumption":
        return []
    return [name.strip() for name in item.signature.strip("()").split(",") if name.strip()]
