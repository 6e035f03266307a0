"""A reason: the clauses that were false, each with its place and the values that made it so."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from conformance.tla.errors import Location

__all__ = ["Clause", "Reason"]


@attrs.frozen
class Clause:
    """A conjunct that does not hold."""

    text: str
    location: Location
    values: tuple[tuple[str, str], ...] = ()
    witness: tuple[tuple[str, str], ...] = ()
    of_next: bool = False
    error: str | None = None

    @property
    def lines(self) -> list[str]:
        about = f" with {', '.join(f'{n} = {v}' for n, v in self.witness)}" if self.witness else ""
        made = [f"{self.text}  ({self.location}){about}"]
        made += [f"  {name} is {value}" for name, value in self.values]
        if self.error is not None:
            made.append(f"  {self.error}")
        return made


@attrs.frozen
class Reason:
    """Why an invariant fails, or an action does not allow a step; without clauses it does not."""

    subject: str
    clauses: tuple[Clause, ...]

    @property
    def conjunct(self) -> str:
        return self.clauses[0].text if self.clauses else ""

    @property
    def location(self) -> Location | None:
        return self.clauses[0].location if self.clauses else None

    @property
    def witness(self) -> Mapping[str, str]:
        return dict(self.clauses[0].witness) if self.clauses else {}

    @property
    def guards(self) -> tuple[Clause, ...]:
        """The false conjuncts that speak of the state before only."""
        return tuple(clause for clause in self.clauses if not clause.of_next)

    @property
    def lines(self) -> list[str]:
        return [line for clause in self.clauses for line in clause.lines]

    def __str__(self) -> str:
        return "\n".join([f"{self.subject}:", *(f"  {line}" for line in self.lines)])
