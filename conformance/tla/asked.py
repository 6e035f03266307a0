"""What a configuration may ask of definitions, and what one says of a state without a next one.

One rule: what TLC does not begin with is refused before anything is evaluated; what
speaks of a next state where there is none is refused only when it is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from conformance.tla.compile.program import Program
from conformance.tla.config import Config
from conformance.tla.errors import EvaluationError, SpecError
from conformance.tla.tree import Definition, Node

__all__ = ["alone", "looks_ahead", "refusal", "refuse_next", "refuse_parameters", "refuse_states"]


def refuse_parameters(config: Config, definition: Callable[[str], Definition]) -> None:
    """A `SpecError` where a name whose truth or value is asked takes arguments."""
    for name in config.asked:
        if params := definition(name).params:
            raise SpecError(f"{config.name} asks for {name}, which takes {len(params)} arguments and may take none")


def refuse_states(config: Config, program: Program) -> None:
    """A `SpecError` where a constant is given a value that hangs on the state."""
    know = program.know
    for constant in know.tree.constants:
        uid = know.operators.get(constant.name)
        if uid is not None and constant.arity == 0 and know.reads_of(uid, know.root, False):
            operator = know.tree.definitions[uid].name
            raise SpecError(
                f"{config.name} replaces the constant {constant.name} by {operator}, which hangs on the state"
            )


def refuse_next(config: Config, program: Program, following: Definition | None) -> None:
    """A `SpecError` where there is no next-state relation, or NEXT names one that hangs on no state."""
    if following is None:
        raise SpecError(f"{config.name} names no next-state relation; give SPECIFICATION or NEXT")
    if config.next and not program.know.reads_of(following.uid, program.know.root, False):
        raise SpecError(f"the next-state relation {config.next} speaks of no variable")


def looks_ahead(program: Program, node: Node) -> bool:
    """Whether an expression of the root module reads the next state."""
    return any(primed for _, primed in program.know.reads(node, program.know.root))


def alone(program: Program, name: str, definition: Definition, *, truth: bool) -> Callable[[Any, Any], Any]:
    """The truth or the value of a definition, as a function of (state, None).

    One that speaks of the next state has none: an `EvaluationError` says so when it is asked.
    """
    assert definition.body is not None
    if looks_ahead(program, definition.body):
        return refusal(program, name, definition.body)
    return program.action(definition) if truth else program.expression(definition)


def refusal(program: Program, name: str, node: Node) -> Callable[..., NoReturn]:
    """A function that has no value whatever it is asked of."""
    place = program.know.tree.location(node[1])
    error = EvaluationError(f"{name} speaks of the next state, and is asked of one state", place)

    def refuse(*_: Any) -> NoReturn:
        raise error

    return refuse
