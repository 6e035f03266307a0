"""What the service may not do, found in its syntax tree.

Three rules, for the reasons that STYLE names determinism:

1. The running event loop is the only clock, a given ``Random`` the only chance,
   and there are no threads; only ``adapters/`` may reach past that.
2. Nobody calls ``asyncio.wait_for``: what it does when cancellation and result
   meet in one tick differs between Python versions.
3. Nothing iterates over a set, whose order changes from run to run.
"""

import ast
from collections.abc import Iterator

import attrs

__all__ = ["Finding", "chance_clock_and_threads", "iterated_sets", "sleeps", "waits_with_wait_for"]

_MODULES = {
    "_thread": "threads",
    "concurrent": "threads",
    "multiprocessing": "other processes",
    "queue": "threads",
    "secrets": "chance of its own",
    "threading": "threads",
    "time": "a clock of its own",
}
_CALLS = {
    "asyncio.to_thread": "threads",
    "date.today": "a clock of its own",
    "datetime.now": "a clock of its own",
    "datetime.today": "a clock of its own",
    "datetime.utcnow": "a clock of its own",
    "os.urandom": "chance of its own",
    "uuid.uuid1": "chance of its own",
    "uuid.uuid4": "chance of its own",
}
_METHODS = {"run_in_executor": "threads", "call_soon_threadsafe": "threads"}
_SETS = {"set", "frozenset"}
_ORDERED_FROM = {"list", "tuple", "enumerate", "iter", "next", "zip", "map", "filter"}


@attrs.frozen
class Finding:
    """One place that breaks a rule."""

    line: int
    what: str


def chance_clock_and_threads(tree: ast.AST) -> Iterator[Finding]:
    """Every reach for time, chance or threads that the service is not given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from _imported(node.lineno, [alias.name for alias in node.names])
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from _imported(node.lineno, [node.module])
            yield from _attributes(node.lineno, [f"{node.module}.{alias.name}" for alias in node.names])
        elif isinstance(node, ast.Attribute):
            yield from _attributes(node.lineno, [ast.unparse(node)])
        elif isinstance(node, ast.Call) and _callee(node).split(".")[-1] == "Random" and not node.args:
            yield Finding(node.lineno, f"{ast.unparse(node)} is chance without a seed")


def waits_with_wait_for(tree: ast.AST) -> Iterator[Finding]:
    """Every ``wait_for`` of asyncio, however it was imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "asyncio.wait_for":
            yield Finding(node.lineno, "asyncio.wait_for")
        elif isinstance(node, ast.ImportFrom) and node.module == "asyncio":
            yield from (Finding(node.lineno, "asyncio.wait_for") for alias in node.names if alias.name == "wait_for")


def sleeps(tree: ast.AST) -> Iterator[Finding]:
    """Every ``time.sleep``: a test waits for what it wants, not for a while."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "time.sleep":
            yield Finding(node.lineno, "time.sleep")
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            yield from (Finding(node.lineno, "time.sleep") for alias in node.names if alias.name == "sleep")


def iterated_sets(tree: ast.AST) -> Iterator[Finding]:
    """Every loop over a set that is written out where it is looped over."""
    for node in ast.walk(tree):
        looped: list[ast.expr] = []
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            looped = [node.iter]
        elif isinstance(node, ast.Call) and _callee(node) in _ORDERED_FROM:
            looped = list(node.args)
        elif isinstance(node, ast.Starred):
            looped = [node.value]
        yield from (Finding(each.lineno, f"iterates over {ast.unparse(each)}") for each in looped if _is_set(each))


def _is_set(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor):
        return _is_set(node.left) or _is_set(node.right)
    return isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Call) and _callee(node) in _SETS)


def _callee(node: ast.Call) -> str:
    return ast.unparse(node.func)


def _imported(line: int, modules: list[str]) -> Iterator[Finding]:
    for module in modules:
        top = module.split(".")[0]
        if top in _MODULES:
            yield Finding(line, f"import of {module}: {_MODULES[top]}")


def _attributes(line: int, names: list[str]) -> Iterator[Finding]:
    for dotted in names:
        owner, _, last = dotted.rpartition(".")
        short = f"{owner.split('.')[-1]}.{last}"
        if short in _CALLS:
            yield Finding(line, f"{dotted}: {_CALLS[short]}")
        elif last in _METHODS:
            yield Finding(line, f"{dotted}: {_METHODS[last]}")
        elif owner == "random" and last != "Random":
            yield Finding(line, f"{dotted}: chance of its own")
