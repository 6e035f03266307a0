"""The syntax trees that are shipped with ``spec/``; ``python -m tests.trees`` ships them anew."""

from pathlib import Path

from conformance.paths import spec_directory
from conformance.tla.sany import ship_tree

__all__ = ["modules"]


def modules() -> list[Path]:
    """The modules whose trees are shipped."""
    return sorted(spec_directory().glob("*.tla"))


if __name__ == "__main__":
    for module in modules():
        print(ship_tree(module).name)
