"""Random expressions and random modules, asked of this evaluator and of TLC; what they disagree about.

Two rules:

1. Python answers first; TLC is then asked whether each answer is its own, all of them in
   one run.  A run that TLC ends early for another reason is a disagreement.
2. What is told of a disagreement is enough to draw it again: the seed, the number, the text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import attrs

from conformance.tla.errors import EvaluationError
from conformance.tla.model import Model
from conformance.tla.tlc import Verdict, run
from conformance.tla.values import format_value
from tests.tla.generator import CONFIG, HEADER, expressions

__all__ = ["COUNT", "SEED", "Asked", "Disagreement", "ask_tlc", "evaluated", "write_module"]

SEED = int(os.environ.get("TLA_SEED", "20"))
"""What is drawn; ``TLA_SEED=7 pytest tests/tla/test_differential.py`` draws others."""
COUNT = int(os.environ.get("TLA_COUNT", "3000"))
"""How many expressions are drawn; ``TLA_COUNT``."""


@attrs.frozen
class Asked:
    """An expression and what this evaluator says of it: a value as a literal, or a refusal."""

    number: int
    text: str
    value: str | None
    refusal: str | None = None


@attrs.frozen
class Disagreement:
    """An expression of which TLC says otherwise."""

    asked: Asked
    theirs: str

    def __str__(self) -> str:
        again = f"TLA_SEED={SEED} TLA_COUNT={COUNT}"
        lines = [f"expression {self.asked.number} of {again}", self.asked.text]
        return "\n  ".join([*lines, f"here {self.asked.value}", f"TLC  {self.theirs}"])


def write_module(folder: Path, name: str, lines: list[str]) -> Path:
    """A module that holds the header of the expressions and these lines, and its configuration."""
    module = folder / f"{name}.tla"
    module.write_text("\n".join([f"---- MODULE {name} ----", HEADER.rstrip(), *lines, "====", ""]), encoding="utf-8")
    module.with_suffix(".cfg").write_text(CONFIG, encoding="utf-8")
    return module


def evaluated(folder: Path, seed: int, count: int) -> list[Asked]:
    """Random expressions with their values; those whose value hangs on TLC's history are left out."""
    made = expressions(seed, count)
    module = write_module(folder, "Drawn", [f"E{number} == {text}" for number, text in enumerate(made)])
    model = Model.load(module, module.with_suffix(".cfg"))
    found = []
    for number, text in enumerate(made):
        before = len(model.program.order.undetermined)
        try:
            asked = Asked(number, text, format_value(model.evaluate(f"E{number}")))
        except EvaluationError as error:
            asked = Asked(number, text, None, str(error))
        if len(model.program.order.undetermined) == before:
            found.append(asked)
    return found


def ask_tlc(folder: Path, asked: list[Asked]) -> tuple[Verdict, Disagreement | None]:
    """TLC's verdict on the values, and the first of them that is not its own."""
    lines = [f"ASSUME ({one.text}) = {one.value}" for one in asked]
    module = write_module(folder, "Agrees", lines)
    verdict = run(module, module.with_suffix(".cfg"), timeout_s=240)
    if verdict.verdict == "ok":
        return verdict, None
    told = " ".join(map(str, verdict.errors)) or " ".join(message.text for message in verdict.messages)
    place = re.search(r"[Aa]ssumption line (\d+)", told + " ".join(message.text for message in verdict.messages))
    if place is None:
        return verdict, Disagreement(Asked(-1, "", None), told)
    one = asked[int(place[1]) - 2 - HEADER.rstrip().count("\n") - 1]
    return verdict, Disagreement(one, _value_of(folder, one))


def _value_of(folder: Path, asked: Asked) -> str:
    module = write_module(folder, "Alone", [f'ASSUME PrintT(<<"value", {asked.text}>>)'])
    verdict = run(module, module.with_suffix(".cfg"), timeout_s=60)
    return " ".join(verdict.printed) or " ".join(map(str, verdict.errors))
