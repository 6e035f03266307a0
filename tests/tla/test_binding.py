"""Values that a configuration gives to definitions, of the root module and of single modules: as TLC gives them."""

from pathlib import Path

import pytest

from conformance.tla.errors import DepthError
from conformance.tla.explore import breadth_first
from conformance.tla.model import Model
from conformance.tla.tlc import run

INNER = "EXTENDS Naturals\nD == 1\nE == D + 10\nF(n) == n\nG == F(1) + 10\n"
ROOTS = {
    "beside one of its own": "D == 2\nI == INSTANCE Inner\nAll == <<D, I!D, I!E>>",
    "under a substitution": "I == INSTANCE Given WITH K <- 4\nSix == 6\nAll == <<I!D, I!E>>",
    "through an instance": "Six == 6\nI == INSTANCE Inner\nAll == <<I!D, I!E, I!G>>",
    "instanced as its own": "INSTANCE Inner\nAll == <<D, E, G>>",
    "with parameters": "D(n) == n\nAll == <<D(1 \\div 0), 3>>",
    "extended": "Zero == 0\nAll == <<D, E, G, Zero>>",
}
ROWS = [
    ("under a substitution", "D = [Given] 5", "<<5, 15>>"),
    ("under a substitution", "D <- [Given] Six", "<<6, 16>>"),
    ("under a substitution", "K = [Given] 5", "<<4, 14>>"),
    ("through an instance", "D <- [Inner] Six", "<<6, 16, 11>>"),
    ("beside one of its own", "D = [Inner] 5", "<<2, 5, 15>>"),
    ("beside one of its own", "D = [Outer] 5", "<<5, 1, 11>>"),
    ("beside one of its own", "D = 5", "<<5, 1, 11>>"),
    ("through an instance", "D = [Nowhere] 5", "<<1, 11, 11>>"),
    ("through an instance", "Nothing = [Inner] 5", "<<1, 11, 11>>"),
    ("through an instance", "F = [Inner] 5", "<<1, 11, 15>>"),
    ("through an instance", 'D = [Inner] {m, "s"} E = [Inner] 3', '<<{m, "s"}, 3, 11>>'),
    ("instanced as its own", "D = [Inner] 5", "<<5, 15, 11>>"),
    ("instanced as its own", "D = [Outer] 5", "<<5, 15, 11>>"),
    ("with parameters", "D = [Outer] 5", "<<5, 3>>"),
    ("with parameters", "D = 5", "<<5, 3>>"),
    ("extended", "D = [Inner] 5 Zero = 7", "<<5, 15, 11, 7>>"),
    ("extended", "D = [Outer] 5 Nat = [Naturals] 1", "<<5, 15, 11, 0>>"),
]


@pytest.mark.parametrize(("root", "config", "expected"), ROWS)
def test_a_definition_has_the_value_that_tlc_gives_it(
    root: str, config: str, expected: str, tools: None, tmp_path: Path
) -> None:
    """The text of the value is a definition of the module, so that TLC compares the values."""
    extended = ", Inner" if root == "extended" else ""
    (tmp_path / "Inner.tla").write_text(f"---- MODULE Inner ----\n{INNER}====\n", encoding="utf-8")
    given = "EXTENDS Naturals\nCONSTANT K\nD == K\nE == D + 10\n"
    (tmp_path / "Given.tla").write_text(f"---- MODULE Given ----\n{given}====\n", encoding="utf-8")
    module, cfg = tmp_path / "Outer.tla", tmp_path / "Outer.cfg"
    lines = [f"---- MODULE Outer ----\nEXTENDS Integers{extended}\nCONSTANT m", ROOTS[root], f"Given == {expected}"]
    module.write_text("\n".join([*lines, "ASSUME All = Given", "====", ""]), encoding="utf-8")
    cfg.write_text(f"CONSTANTS m = m {config}\n", encoding="utf-8")
    model = Model.load(module, cfg)

    assert model.evaluate("All") == model.evaluate("Given")
    assert run(module, cfg).verdict == "ok"


@pytest.mark.parametrize("declared", ["Op(b) == ~b", "CONSTANT Op(_)"])
def test_what_comes_back_to_itself_through_what_replaces_it_is_an_error_and_not_an_endless_compilation(
    declared: str, tools: None, tmp_path: Path
) -> None:
    module, cfg = tmp_path / "Round.tla", tmp_path / "Round.cfg"
    lines = [declared, "VARIABLE x", "Again(b) == Op(b)", "Init == x = FALSE", "Next == x' = Op(x)"]
    module.write_text("\n".join(["---- MODULE Round ----", *lines, "====", ""]), encoding="utf-8")
    cfg.write_text("INIT Init NEXT Next CONSTANT Op <- Again\n", encoding="utf-8")

    with pytest.raises(DepthError, match="a recursion does not end"):
        breadth_first(Model.load(module, cfg))
    assert run(module, cfg).verdict == "error"


def test_a_replaced_operator_may_be_asked_by_what_replaces_it(tools: None, tmp_path: Path) -> None:
    module, cfg = tmp_path / "Round.tla", tmp_path / "Round.cfg"
    lines = ["EXTENDS Naturals", "VARIABLE x", "Op(n) == n", "Down(n) == IF n = 0 THEN 7 ELSE Op(n - 1)"]
    lines += ["Init == x = 3", "Next == x < 5 /\\ x' = Op(x)", "Inv == x \\in {3, 7}"]
    module.write_text("\n".join(["---- MODULE Round ----", *lines, "====", ""]), encoding="utf-8")
    cfg.write_text("INIT Init NEXT Next CONSTANT Op <- Down INVARIANT Inv\n", encoding="utf-8")
    found, tlcs = breadth_first(Model.load(module, cfg), deadlock=False), run(module, cfg, check_deadlock=False)

    assert (found.verdict, found.distinct, found.generated) == ("ok", tlcs.distinct, tlcs.generated) == ("ok", 2, 2)
