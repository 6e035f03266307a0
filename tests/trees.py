"""Ships the syntax trees of ``spec/`` anew, so that judging by it needs no Java; it is for after a change of spec/."""

import argparse
from pathlib import Path

from conformance.paths import spec_directory
from conformance.tla.sany import ship_tree

__all__ = ["main", "modules"]


def modules() -> list[Path]:
    """The modules whose trees are shipped."""
    return sorted(spec_directory().glob("*.tla"))


def main(arguments: list[str] | None = None) -> int:
    """Ship every tree, and print the names of the files."""
    argparse.ArgumentParser(prog="python -m tests.trees", description=__doc__).parse_args(arguments)
    for module in modules():
        print(ship_tree(module).name)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
