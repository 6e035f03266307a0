"""What can go wrong with a specification, and where.

Two rules:

1. Every error owns its exit status: 2 for what was asked wrongly, 3 for a tool
   that is missing; and the word for a model that could not be explored because of
   it.  None of them is a verdict about a run.
2. An error that has a place says it first, as ``Module.tla:12:5``; the chain
   tells through which definitions the evaluation came there, innermost first.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

__all__ = [
    "FAULTS",
    "DepthError",
    "EndlessError",
    "EvaluationError",
    "Location",
    "SpecError",
    "TlaError",
    "ToolMissingError",
    "UnassignedError",
    "UnsupportedError",
    "UnsupportedValueError",
]


@attrs.frozen(order=True)
class Location:
    """A stretch of a module's text; lines and columns count from 1."""

    module: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.module}.tla:{self.line}:{self.column}"


class TlaError(Exception):
    """Any refusal of this package."""

    exit_status = 2
    verdict = "error"

    def __init__(self, message: str, location: Location | None = None, chain: Sequence[Location] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.chain: tuple[Location, ...] = tuple(chain)

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location is not None else self.message


class EvaluationError(TlaError):
    """The specification asks for a value that does not exist; TLC would stop here too."""


class EndlessError(EvaluationError):
    """The elements are asked for of a set that has no end."""


class DepthError(EvaluationError):
    """A recursion that does not end, or goes deeper than the stack."""


FAULTS = (EvaluationError, RecursionError)
"""What an evaluation raises where the specification, and not this package, is at fault."""


class UnassignedError(EvaluationError):
    """A state in which a variable has no value: it was found, and counts as generated."""


class UnsupportedError(TlaError):
    """The specification uses a part of the language that is not evaluated here."""

    verdict = "unsupported"


class UnsupportedValueError(UnsupportedError, EvaluationError):
    """A value that TLC has and that is not evaluated here: an error where it is asked for, and nowhere else."""


class SpecError(TlaError):
    """A module or a configuration that cannot be read."""


class ToolMissingError(TlaError):
    """Java or the TLA+ tools were not found."""

    exit_status = 3
