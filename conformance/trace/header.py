"""The first line of a trace, and the last.

Two rules:

1. The header says what the run shows and where it comes from.  It says nothing of
   how it is to be judged: a run cannot choose the constants that forgive it.
   ``setup`` is for the target that runs it again, and no judge reads it.
2. Modules are named, never paths.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from conformance.trace.errors import TraceError
from conformance.trace.strict import canonical

__all__ = ["ENDS", "FORMAT", "Footer", "Header", "read_requests", "refuse_others"]

FORMAT: Final = "matching-trace/1"
ENDS: Final = ("quiescent", "stopped", "failed")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def _each_a_tuple(observes: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {module: tuple(names) for module, names in observes.items()}


@attrs.frozen(kw_only=True)
class Header:
    """What a run shows, and where it comes from."""

    observes: Mapping[str, Sequence[str]] = attrs.field(converter=_each_a_tuple)
    """For each module the variables that the run shows."""
    target: str = "simulation"
    producer: str = "matching-conformance"
    why: str = ""
    setup: Mapping[str, Any] = attrs.field(factory=dict)

    @property
    def module(self) -> str:
        """The module that is observed, by which a trace is named; ``Trace`` where it is not one."""
        (module,) = self.observes if len(self.observes) == 1 else ("Trace",)
        return module

    def as_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "format": FORMAT,
            "observes": {module: list(self.observes[module]) for module in sorted(self.observes)},
            "target": self.target,
            "producer": self.producer,
            "why": self.why,
        }
        if self.setup:
            document["setup"] = canonical(dict(self.setup))
        return document

    @classmethod
    def from_json(cls, document: Any) -> Header:
        if not isinstance(document, dict) or "format" not in document:
            raise TraceError(f'the first line is not a header; it must be an object with "format":"{FORMAT}"')
        if document["format"] != FORMAT:
            raise TraceError(f"the format is {document['format']!r}, and this reads {FORMAT!r}")
        refuse_others(document, ("format", "observes", "target", "producer", "why", "setup"), "the header")
        return cls(
            observes=_observes(document.get("observes")),
            target=_text(document, "target"),
            producer=_text(document, "producer"),
            why=_text(document, "why"),
            setup=_object(document.get("setup", {}), "the header's setup"),
        )


@attrs.frozen(kw_only=True)
class Footer:
    """How a run ended; ``requests`` are those that the driver made after the last step."""

    end: str
    requests: tuple[Mapping[str, Any], ...] = ()
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"end": self.end}
        if self.requests:
            document["requests"] = [canonical(dict(each)) for each in self.requests]
        if self.note:
            document["note"] = self.note
        return document

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Footer:
        refuse_others(document, ("end", "requests", "note"), "the footer")
        if document["end"] not in ENDS:
            raise TraceError(f"the footer's end is {document['end']!r}; it is one of {', '.join(ENDS)}")
        return cls(
            end=document["end"],
            requests=read_requests(document.get("requests", []), "the footer's requests"),
            note=_text(document, "note"),
        )


def _observes(document: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(document, dict) or not document:
        raise TraceError('the header lacks "observes": for each module the list of the variables that the run shows')
    found: dict[str, tuple[str, ...]] = {}
    for module, names in document.items():
        if not _NAME.match(module):
            raise TraceError(f"the header observes {module!r}, which is not the name of a module; paths are not names")
        if not isinstance(names, list) or not all(isinstance(name, str) and _NAME.match(name) for name in names):
            raise TraceError(f"the header's list for {module} is not a list of variables")
        if len(set(names)) != len(names):
            raise TraceError(f"the header's list for {module} names a variable twice")
        found[module] = tuple(names)
    owners: dict[str, str] = {}
    for module, names in found.items():
        for name in names:
            if name in owners:
                raise TraceError(f"the header lists {name} for {owners[name]} and for {module}; it has one owner")
            owners[name] = module
    return found


def refuse_others(document: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    """Refuse every name that is not known; a misspelt column must not be overlooked."""
    others = sorted(set(document) - set(known))
    if others:
        raise TraceError(f"{where} has {', '.join(map(repr, others))}, which is not known; it has {', '.join(known)}")


def _text(document: dict[str, Any], name: str) -> str:
    found = document.get(name, "")
    if not isinstance(found, str):
        raise TraceError(f"{name!r} is not a text")
    return found


def _object(document: Any, where: str) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise TraceError(f"{where} is not an object")
    return document


def read_requests(document: Any, where: str) -> tuple[dict[str, Any], ...]:
    """The requests of a driver: objects that say in "do" what was asked."""
    if not isinstance(document, list) or not all(isinstance(each, dict) and "do" in each for each in document):
        raise TraceError(f'{where} are not a list of objects, each with a "do"')
    return tuple(document)
