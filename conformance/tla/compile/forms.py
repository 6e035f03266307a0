"""Which of SANY's built-in operators give a truth, pair sets, or are worth evaluating once.

One rule: an operator stands here under every spelling that SANY gives it.
"""

__all__ = ["HOISTED", "PAIRS", "TRUTHS"]

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
