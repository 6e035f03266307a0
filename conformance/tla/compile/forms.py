"""Which of SANY's built-in operators give a truth, pair sets, are worth evaluating once, or have no value.

One rule: an operator stands here under every spelling that SANY gives it.
"""

__all__ = ["HOISTED", "PAIRS", "TRUTHS", "VALUELESS"]

TRUTHS = frozenset(
    [
        "=",
        "/=",
        "#",
        "\\in",
        "\\notin",
        "\\subseteq",
        "\\land",
        "\\lor",
        "=>",
        "\\equiv",
        "<=>",
        "\\lnot",
        "~",
        "\\neg",
        "$ConjList",
        "$DisjList",
        "$BoundedForall",
        "$BoundedExists",
        "UNCHANGED",
        "$SquareAct",
        "$AngleAct",
        "ENABLED",
    ]
)
VALUELESS = {
    "\\cdot": "the composition of actions (\\cdot) is not evaluated, here or by TLC",
    "$UnboundedForall": "\\A without a set has no truth that can be found; bound it",
    "$UnboundedExists": "\\E without a set has no truth that can be found; bound it",
}
"""What TLC stops at where it meets it, and what is said there."""
PAIRS = {"\\union": "cup", "\\cup": "cup", "\\intersect": "cap", "\\cap": "cap", "\\": "diff"}
HOISTED = frozenset(
    [
        "$CartesianProd",
        "$SetOfFcns",
        "$SetOfRcds",
        "SUBSET",
        "UNION",
        "$SetEnumerate",
        "\\union",
        "\\cup",
        "\\intersect",
        "\\cap",
        "\\",
        "$SetOfAll",
        "$SubsetOf",
        "$FcnConstructor",
        "$RcdConstructor",
        "$Tuple",
        "$RecursiveFcnSpec",
        "$NonRecursiveFcnSpec",
    ]
)
