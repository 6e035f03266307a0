"""YAML as this project's files have it, which is less than YAML.

Three rules:

1. What cannot be read is one kind of error, whatever it is made of: a scalar that is none of its tag, a name that
   stands twice in one mapping, half a character, an alias, a list in a list in a list without end.
2. A number fits into 64 bits: everything that counts here does.
3. An error has the line and column of what is wrong.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

__all__ = ["DocumentError", "load_yaml"]

DEEPEST: Final = 50
"""How many lists and mappings may stand in one another."""

_NUMBER_BITS: Final = 64
_UNREADABLE: Final = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What the constructors of the library raise of a scalar that is none of its tag."""


class DocumentError(Exception):
    """A text is no YAML of this project's files."""

    exit_status = 2


def load_yaml(text: str) -> Any:
    """Read the one document of a text as plain values.

    Raises:
        DocumentError: there is none, or what it has cannot be.
    """
    import yaml

    try:
        return yaml.load(text, Loader=_loader())  # a safe loader, and stricter
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
        raise DocumentError(f"{place}{error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise DocumentError(" ".join(str(error).split())) from error


@lru_cache(maxsize=1)
def _loader() -> Any:
    """The loader; its library is imported when something is read."""
    import yaml
    from yaml.constructor import ConstructorError

    class Loader(yaml.SafeLoader):
        """Builds plain values and refuses what this module's rules say."""

        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            event: Any = self.peek_event()  # type: ignore[no-untyped-call]
            mark: Any = event.start_mark
            if isinstance(event, yaml.AliasEvent):
                raise ConstructorError(None, None, "an alias; write the value again", mark)
            if self.depth == DEEPEST:
                raise ConstructorError(None, None, f"more than {DEEPEST} lists and mappings in one another", mark)
            self.depth += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            try:
                value: Any = super().construct_object(node, deep)
            except _UNREADABLE as error:
                shown = repr(node.value)[:60] if isinstance(node, yaml.ScalarNode) else "this"
                what = f"{shown} cannot be read as {node.tag.rpartition(':')[2]}"
                mark: Any = node.start_mark
                raise ConstructorError(None, None, what, mark) from error
            if isinstance(value, int) and value.bit_length() >= _NUMBER_BITS:
                raise ConstructorError(None, None, "a number that does not fit into 64 bits", node.start_mark)
            if isinstance(value, str) and any("\ud800" <= each <= "\udfff" for each in value):
                raise ConstructorError(None, None, "half of a surrogate pair is not text", node.start_mark)
            return value

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            found: set[tuple[str, str]] = set()
            for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
                name = (key.tag, str(key.value))
                if name in found:
                    raise ConstructorError(None, None, f"{key.value!r} stands twice in one mapping", key.start_mark)
                found.add(name)
            return super().construct_mapping(node, deep)

    return Loader
