"""What of the language is evaluated: found out by evaluating a sample of everything.

Two rules:

1. Nothing is claimed: each sample stands for a form, an operator or a statement of the
   configuration, and is evaluated when the question is asked.
2. What cannot be evaluated is told with the very error that it brings, and with the
   word that an exploration has for it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

import attrs

from conformance.tla.config import parse_config
from conformance.tla.errors import TlaError
from conformance.tla.model import Model
from conformance.tla.properties import classify

__all__ = ["SAMPLES", "Evaluated", "Sample", "evaluated", "sample_model"]


@attrs.frozen
class Sample:
    """A part of the language by name, and a formula of ``kind`` that uses it.

    The kinds: ``value`` of a state or a step, ``property``, ``statement`` of a configuration.
    """

    group: str
    name: str
    text: str
    kind: str = "value"


@attrs.frozen
class Evaluated:
    """A sample, and why it is not evaluated, if it is not.

    The words for that: ``unsupported``, ``unchecked`` of a temporal formula, ``error``
    where TLC does not evaluate it either.
    """

    sample: Sample
    instead: str | None = None
    word: str | None = None


_VALUES: Final[dict[str, dict[str, str]]] = {
    "logic": {
        "TRUE, FALSE": "TRUE # FALSE",
        "/\\": "TRUE /\\ TRUE",
        "\\/": "FALSE \\/ TRUE",
        "~": "~FALSE /\\ \\lnot FALSE /\\ \\neg FALSE",
        "=>": "FALSE => TRUE",
        "<=>": "TRUE <=> TRUE",
        "\\equiv": "TRUE \\equiv TRUE",
        "lists of /\\ and \\/": "/\\ TRUE\n  /\\ \\/ FALSE\n     \\/ TRUE",
        "BOOLEAN": "TRUE \\in BOOLEAN",
        "STRING": '"a" \\in STRING',
        "=": "1 = 1",
        "#, /=": "1 # 2 /\\ 1 /= 2",
        "\\A": "\\A i, j \\in 1..2, <<a, b>> \\in {<<1, 2>>} : i + a >= 2",
        "\\E": "\\E i \\in 1..2 : i = 2",
        "CHOOSE": "CHOOSE i \\in 1..3 : i > 2",
        "\\A without a set": "\\A i : i = i",
        "\\E without a set": "\\E i : i = 1",
        "CHOOSE without a set": "CHOOSE i : i = 1",
        "IF": "IF 1 = 1 THEN 1 ELSE 2",
        "CASE": "CASE 1 = 2 -> 1 [] OTHER -> 2",
        "LET": "LET a(y) == y + 1 IN a(1)",
        "LAMBDA": "Twice(LAMBDA y : y + 1, 1)",
        "RECURSIVE": "Factorial(4)",
        "labels": "lab :: 1 = 1",
        "parts of definitions": "Listed!1 /\\ Listed!first /\\ Twice(LAMBDA y : Listed!2!(y)!<<, 3) = 3 /\\ Listed!:",
    },
    "sets": {
        "\\in": "1 \\in {1}",
        "\\notin": "2 \\notin {1}",
        "\\subseteq": "{1} \\subseteq {1, 2}",
        "\\cup, \\union": "({1} \\cup {2}) \\union {3}",
        "\\cap, \\intersect": "({1} \\cap {1, 2}) \\intersect {1}",
        "\\": "{1, 2} \\ {1}",
        "SUBSET": "SUBSET {1, 2}",
        "UNION": "UNION {{1}, {2}}",
        "{x \\in S : P}": "{i \\in 1..3 : i > 1}",
        "{e : x \\in S}": "{i + 1 : i \\in 1..3}",
        "\\X": "{1} \\X {2}",
    },
    "functions": {
        "f[x]": "<<1, 2>>[2]",
        "DOMAIN": "DOMAIN <<1, 2>>",
        "[x \\in S |-> e]": "[i \\in 2..3 |-> i]",
        "[S -> T]": "[{1, 2} -> {3}]",
        "EXCEPT": "[[i \\in 2..3 |-> i] EXCEPT ![2] = @ + 1]",
        "[a |-> e]": "[a |-> 1].a",
        "[a : S]": "[a : {1}]",
        "<<a, b>>": "<<1, 2>>",
        "f[x \\in S] == e": "Plain[1]",
        "a recursive function": "Sum[3]",
    },
    "actions": {
        "x'": "x' = 1",
        "UNCHANGED": "UNCHANGED x",
        "[A]_v": "[x' = 1]_x",
        "<<A>>_v": "<<x' = 1>>_x",
        "ENABLED": "ENABLED (x' = x + 1)",
        "\\cdot": "(x' = 1) \\cdot (x' = 2)",
    },
    "INSTANCE": {"WITH": "Of!Twice(LAMBDA y : y + 1, 1)", "with parameters": "Given(2)!Fixed"},
    "Naturals, Integers": {
        "+": "1 + 1",
        "-": "1 - 1",
        "-.": "-1",
        "*": "2 * 2",
        "^": "2 ^ 2",
        "<": "1 < 2",
        ">": "2 > 1",
        "<=": "1 <= 2 /\\ 1 \\leq 2 /\\ 1 =< 2",
        ">=": "2 >= 1 /\\ 2 \\geq 1",
        "..": "1..2",
        "\\div": "5 \\div 2",
        "%": "5 % 2",
        "Nat": "1 \\in Nat",
        "Int": "-1 \\in Int",
    },
    "Sequences": {
        "Seq": "<<1>> \\in Seq({1})",
        "Len": "Len(<<1>>)",
        "\\o, \\circ": "(<<1>> \\o <<2>>) \\circ <<3>>",
        "Append": "Append(<<1>>, 2)",
        "Head": "Head(<<1>>)",
        "Tail": "Tail(<<1>>)",
        "SubSeq": "SubSeq(<<1, 2>>, 1, 1)",
        "SelectSeq": "SelectSeq(<<1, 2>>, LAMBDA y : y > 1)",
    },
    "FiniteSets": {"IsFiniteSet": "IsFiniteSet({1})", "Cardinality": "Cardinality({1})"},
    "Bags": {
        "IsABag": "IsABag(SetToBag({1}))",
        "BagToSet": "BagToSet(SetToBag({1}))",
        "SetToBag": "SetToBag({1})",
        "BagIn": "BagIn(1, SetToBag({1}))",
        "EmptyBag": "EmptyBag",
        "(+)": "SetToBag({1}) (+) SetToBag({1})",
        "(-)": "SetToBag({1}) (-) SetToBag({1})",
        "BagUnion": "BagUnion({SetToBag({1})})",
        "\\sqsubseteq": "SetToBag({1}) \\sqsubseteq SetToBag({1, 2})",
        "SubBag": "SubBag(SetToBag({1}))",
        "BagOfAll": "BagOfAll(LAMBDA y : y, SetToBag({1}))",
        "BagCardinality": "BagCardinality(SetToBag({1}))",
        "CopiesIn": "CopiesIn(1, SetToBag({1}))",
    },
    "TLC": {
        "Print": "Print(1, 2)",
        "PrintT": "PrintT(1)",
        "Assert": 'Assert(TRUE, "")',
        "JavaTime": "JavaTime",
        "TLCGet": "TLCSet(1, 2) /\\ TLCGet(1) = 2",
        "TLCGet of a count": 'TLCGet("level") + TLCGet("distinct") + TLCGet("queue") + TLCGet("diameter")',
        "TLCSet": "TLCSet(1, 2)",
        ":>": "1 :> 2",
        "@@": "(1 :> 2) @@ (2 :> 3)",
        "Permutations": "Permutations({1, 2})",
        "SortSeq": "SortSeq(<<2, 1>>, LAMBDA a, b : a < b)",
        "RandomElement": "RandomElement({1, 2})",
        "Any": "1 \\in Any",
        "ToString": "ToString(1)",
        "TLCEval": "TLCEval(1)",
    },
}

_PROPERTIES: Final = {
    "Init /\\ [][Next]_v": "x = 0 /\\ [][x' = 1]_x",
    "[]P": "[](x = 0)",
    "<>P": "<>(x = 1)",
    "~>": "(x = 0) ~> (x = 1)",
    "WF_": "WF_x(x' = 1)",
    "SF_": "SF_x(x' = 1)",
    "\\EE": "\\EE y : [](y = x)",
    "\\AA": "\\AA y : [](y = y)",
    "-+->": "(x = 0) -+-> (x = 1)",
}

_STATEMENTS: Final = {
    "SPECIFICATION": "SPECIFICATION Spec",
    "INIT, NEXT": "INIT Init NEXT Next",
    "INVARIANT": "INIT Init NEXT Next INVARIANTS Fixed2",
    "PROPERTY": "INIT Init NEXT Next PROPERTIES Stays",
    "CONSTRAINT": "INIT Init NEXT Next CONSTRAINTS Fixed2",
    "ACTION_CONSTRAINT": "INIT Init NEXT Next ACTION_CONSTRAINTS Fixed2",
    "CONSTRAINT by TLCGet": "INIT Init NEXT Next CONSTRAINT Shallow",
    "SYMMETRY": "INIT Init NEXT Next CONSTANT C = {m1, m2} SYMMETRY Alike",
    "VIEW": "INIT Init NEXT Next VIEW Seen",
    "CHECK_DEADLOCK": "INIT Init NEXT Next CHECK_DEADLOCK FALSE",
    "C = value": "INIT Init NEXT Next CONSTANT C = 3",
    "C <- operator": "INIT Init NEXT Next CONSTANT C <- Three",
    "operator <- operator": "INIT Init NEXT Next CONSTANT Fixed2 <- Three2",
    "operator <- [Module] operator": "INIT Init NEXT Next CONSTANT Twice <- [Samples] Thrice",
    "C = [Module] value": "INIT Init NEXT Next CONSTANT C = [Samples] 3",
}

SAMPLES: Final = (
    *(Sample(group, name, text) for group, each in _VALUES.items() for name, text in each.items()),
    *(Sample("temporal formulas", name, text, "property") for name, text in _PROPERTIES.items()),
    *(Sample("configuration", name, text, "statement") for name, text in _STATEMENTS.items()),
)

_HEAD = """------------------------------ MODULE Samples ------------------------------
EXTENDS Integers, Sequences, FiniteSets, Bags, TLC
CONSTANT C
VARIABLE x
Twice(F(_), y) == F(F(y))
Thrice(F(_), y) == F(F(F(y)))
RECURSIVE Factorial(_)
Factorial(n) == IF n = 0 THEN 1 ELSE n * Factorial(n - 1)
Plain[i \\in 1..2] == i
Sum[i \\in 0..3] == IF i = 0 THEN 0 ELSE i + Sum[i - 1]
Of == INSTANCE Parts WITH K <- 1
Given(K) == INSTANCE Parts
Init == x = 0
Next == x < 2 /\\ x' = x + 1
Spec == Init /\\ [][Next]_x
Fixed2 == x < 3
Three2 == x < 4
Listed == /\\ first:: 1 = 1
          /\\ \\A n \\in 1..2 : n > 0
Three == 3
Stays == [][x' > x]_x
Alike == Permutations(C)
Seen == x % 2
Shallow == TLCGet("level") < 2
"""
_PARTS = """------------------------------- MODULE Parts -------------------------------
EXTENDS Naturals
CONSTANT K
Twice(F(_), y) == F(F(y))
Fixed == K + 1
=============================================================================
"""


def evaluated() -> list[Evaluated]:
    """Every sample, evaluated here and now; needs Java, to read the samples."""
    with tempfile.TemporaryDirectory(prefix="conform-language-") as folder:
        model = sample_model(Path(folder))
        return [_evaluated(model, number, sample) for number, sample in enumerate(SAMPLES)]


def sample_model(folder: Path) -> Model:
    """A model that defines each sample as ``Sample`` and its number; ``folder`` is for its text."""
    lines = [
        f"Sample{number} ==\n  {sample.text}" for number, sample in enumerate(SAMPLES) if sample.kind != "statement"
    ]
    (folder / "Parts.tla").write_text(_PARTS, encoding="utf-8")
    (folder / "Samples.tla").write_text(_HEAD + "\n".join(lines) + "\n" + "=" * 77 + "\n", encoding="utf-8")
    return Model.load(folder / "Samples.tla", parse_config("INIT Init NEXT Next CONSTANT C = 3"))


def _evaluated(model: Model, number: int, sample: Sample) -> Evaluated:
    from conformance.tla.explore import breadth_first

    try:
        if sample.kind == "value":
            model.evaluate(f"Sample{number}", (0,), (1,))
        elif sample.kind == "statement":
            text = sample.text if "CONSTANT C " in sample.text else sample.text + " CONSTANT C = 3"
            breadth_first(Model(model.tree, parse_config(text)), deadlock=False)
        else:
            body = model.definition(f"Sample{number}").body
            assert body is not None
            if classify(body, model.program.know.root, model.program.know).temporal:
                return Evaluated(sample, "left to TLC; an exploration lists it under unchecked_properties", "unchecked")
    except TlaError as error:
        return Evaluated(sample, error.message, error.verdict)
    return Evaluated(sample)
