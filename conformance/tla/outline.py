"""A module as its author wrote it: sections, definitions, and the reading of each.

SANY's tree has no comments, so this is read from the text, and needs no Java.

Three rules:

1. The reading of a name is the comment on its line, or else the comment directly above.
2. A divider followed by a comment of its own line begins a section of that title.
3. What a definition is (action, invariant, step property, liveness, refinement) follows
   from what Next names and from the suffixes that the house style prescribes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from conformance.tla.errors import SpecError
from conformance.tla.text import read_source

__all__ = ["Item", "Outline", "outline"]

_DEFINITION = re.compile(r"^(?P<name>[A-Za-z_]\w*)(?P<parameters>\([^=]*?\))?\s*==(?P<rest>.*)$")
_DECLARES = re.compile(r"^(?P<kind>CONSTANTS?|VARIABLES?)\b(?P<rest>.*)$")
_ASSUME = re.compile(r"^ASSUME\b\s*(?:(?P<name>\w+)\s*==\s*)?(?P<rest>.*)$")
_TITLE = re.compile(r"^\(\*\s*(?P<title>[^*].*?)\s*\*\)$")
_NAME = re.compile(r"(?<!!)\b[A-Za-z_]\w*\b(?!!)")
_OF_INSTANCE = re.compile(r"\b([A-Za-z_]\w*)!([A-Za-z_]\w*)")
_INSTANCE = re.compile(r"\bINSTANCE\s+(?P<module>\w+)")
_SUBSTITUTED = re.compile(r"\b(\w+)\s*<-")
_PRIMED = re.compile(r"\b(\w+)'\s*(?:=|\\in)")
_DIVIDER = re.compile(r"^-{4,}$")
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|\\\*\s?(?P<line>.*)$|\(\*(?P<block>.*?)\*\)')


@attrs.frozen
class Item:
    """A name, what it means, and where it stands.

    ``signature`` is its parameters as written, ``changes`` the variables that it primes, itself or through what it
    applies of its own module and of those beside it that this one has instances of.
    """

    name: str
    reading: str
    line: int
    kind: str
    section: str = ""
    signature: str = ""
    changes: tuple[str, ...] = ()


@attrs.frozen
class Outline:
    """Everything in a module that has a name, in the order of the text."""

    module: str
    path: Path
    prose: tuple[str, ...]
    extends: tuple[str, ...]
    items: tuple[Item, ...]

    def of(self, *kinds: str) -> list[Item]:
        return [item for item in self.items if item.kind in kinds]


def outline(path: Path) -> Outline:
    """Read the module in a file."""
    lines = read_source(path).splitlines()
    if not any(re.match(rf"\s*-{{4,}}\s*MODULE\s+{re.escape(path.stem)}\s*-{{4,}}", line) for line in lines):
        raise SpecError(f"{path} holds no module {path.stem}: a line such as ---- MODULE {path.stem} ---- begins it")
    named = _named_by_next(lines)
    declared = list(_declarations(lines))
    variables = [item.name for item in declared if item.kind == "variable"]
    text = _Text(path, _bodies(lines))
    items = [*declared, *_assumptions(lines), *_definitions(lines, named, variables, text)]
    return Outline(
        module=path.stem,
        path=path,
        prose=_prose(lines),
        extends=_extends(lines),
        items=tuple(sorted(items, key=lambda item: item.line)),
    )


def _prose(lines: Sequence[str]) -> tuple[str, ...]:
    """The text of the box under the module's name, without its frame."""
    found: list[str] = []
    for line in lines[1:]:
        if not line.startswith("(*"):
            break
        text = line.rstrip().removeprefix("(*").removesuffix("*)")
        found.append("" if not text.strip("*") else text.rstrip().removeprefix(" "))
    return tuple("\n".join(found).strip("\n").split("\n")) if found else ()


def _extends(lines: Sequence[str]) -> tuple[str, ...]:
    for line in lines:
        if line.startswith("EXTENDS"):
            return tuple(name.strip() for name in _code(line).removeprefix("EXTENDS").split(",") if name.strip())
    return ()


def _declarations(lines: Sequence[str]) -> Iterator[Item]:
    """Constants and variables; a comment belongs to every name on its line."""
    kind = ""
    for number, line in enumerate(lines, start=1):
        text = line
        if begins := _DECLARES.match(line):
            kind = "constant" if begins["kind"].startswith("CONSTANT") else "variable"
            text = begins["rest"]
        elif not line.strip() or not line.startswith(" "):
            kind = ""
        if kind:
            for name in re.findall(r"[A-Za-z_]\w*(?:\([^)]*\))?", _code(text)):
                yield Item(name, _comment(line), number, kind)


def _assumptions(lines: Sequence[str]) -> Iterator[Item]:
    for number, line in enumerate(lines, start=1):
        if found := _ASSUME.match(_code(line)):
            name = found["name"] or "ASSUME"
            yield Item(name, _reading(lines, number), number, "assumption", signature=found["rest"].strip())


def _definitions(
    lines: Sequence[str], named: frozenset[str], variables: Sequence[str], text: "_Text"
) -> Iterator[Item]:
    section = ""
    for number, line in enumerate(lines, start=1):
        title = _TITLE.match(line)
        if title and number > 1 and _DIVIDER.match(lines[number - 2].strip()):
            section = title["title"]
        found = _DEFINITION.match(_code(line))
        if found is None:
            continue
        body = text.bodies[found["name"]]
        primed = text.primed(found["name"])
        yield Item(
            name=found["name"],
            reading=_reading(lines, number),
            line=number,
            kind=_kind(found["name"], body, named),
            section=section,
            signature=found["parameters"] or "",
            changes=tuple(name for name in variables if name in primed),
        )


def _bodies(lines: Sequence[str]) -> dict[str, str]:
    """What each name of the module is defined to be."""
    return {
        found["name"]: found["rest"] + " " + " ".join(_body(lines, number))
        for number, line in enumerate(lines, start=1)
        if (found := _DEFINITION.match(_code(line)))
    }


@attrs.frozen(eq=False)
class _Text:
    """What the names of one module are defined to be, and where those stand that it has instances of."""

    path: Path
    bodies: Mapping[str, str]
    _parts: dict[str, "_Text | None"] = attrs.field(factory=dict, init=False)

    def primed(self, name: str) -> set[str]:
        """What a definition gives a next value, and so does whatever it applies."""
        primed: set[str] = set()
        reached, beyond = {name}, [name]
        while beyond:
            body = self.bodies[beyond.pop()]
            primed.update(_PRIMED.findall(body))
            for instance, applied in _OF_INSTANCE.findall(body):
                primed |= self._primed_by(instance, applied)
            further = self.bodies.keys() & set(_NAME.findall(body)) - reached
            reached |= further
            beyond.extend(further)
        return primed

    def _primed_by(self, instance: str, applied: str) -> set[str]:
        """The variables that the module and the instance share by name, of those that the instance primes."""
        body = self.bodies.get(instance, "")
        if (found := _INSTANCE.search(body)) is None:
            return set()
        part = self._part(found["module"])
        if part is None or applied not in part.bodies:
            return set()
        return part.primed(applied) - {*_SUBSTITUTED.findall(body)}

    def _part(self, module: str) -> "_Text | None":
        if module not in self._parts:
            path = self.path.with_name(f"{module}.tla")
            self._parts[module] = _Text(path, _bodies(read_source(path).splitlines())) if path.is_file() else None
        return self._parts[module]


def _kind(name: str, body: str, named: frozenset[str]) -> str:
    if name in named:
        return "action"
    if name.startswith("Never"):
        return "situation"
    if name.startswith("Refines"):
        return "refinement"
    if name.endswith("Inv") or name == "TypeOK":
        return "invariant"
    if name.endswith("Prop"):
        return "step property" if "[][" in body else "liveness"
    if name in ("Init", "Next", "Fairness") or name.endswith("Spec"):
        return "specification"
    if "INSTANCE" in body.split():
        return "instance"
    return "definition"


def _named_by_next(lines: Sequence[str]) -> frozenset[str]:
    """The names that end the disjuncts of Next."""
    for number, line in enumerate(lines, start=1):
        if re.match(r"^Next\s*==", line):
            body = [_code(line).partition("==")[2], *_body(lines, number)]
            disjuncts = re.split(r"\\/", " ".join(body))
            calls = [re.sub(r"\(.*", "", text.rpartition(" : ")[2]).strip() for text in disjuncts]
            return frozenset(name for name in calls if re.fullmatch(r"[A-Za-z_]\w*", name))
    return frozenset()


def _body(lines: Sequence[str], number: int) -> Iterator[str]:
    """The lines of a definition after its first, without comments."""
    for line in lines[number:]:
        if line.strip() and not line.startswith(" "):
            return
        yield _code(line)


def _reading(lines: Sequence[str], number: int) -> str:
    own = _comment(lines[number - 1])
    if own:
        return own
    above = lines[number - 2].strip() if number > 1 else ""
    under_divider = number > 2 and _DIVIDER.match(lines[number - 3].strip())
    return _comment(above) if not _code(above).strip() and not under_divider else ""


def _comment(line: str) -> str:
    for match in _COMMENT.finditer(line):
        said = match["line"] if match["line"] is not None else match["block"]
        if said is not None:
            return said.strip(" *")
    return ""


def _code(line: str) -> str:
    """The line without its comments; strings stay."""
    return _COMMENT.sub(lambda match: match[0] if match[0].startswith('"') else "", line)
