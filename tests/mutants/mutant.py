"""A named change of the service, put in place for a while and taken out again.

Three rules:

1. A change is made in the source of one function, in this process: no file is
   copied and none is written.
2. The anchor that it replaces stands in that function exactly once, or nothing
   is changed at all: a mutant that no longer bites must not look alive.
3. The original comes back, whatever happens in between.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from importlib import import_module
from typing import Any

import attrs

__all__ = ["AnchorError", "Mutant"]


class AnchorError(Exception):
    """The function has changed: the anchor is not in it, or more than once."""


@attrs.frozen(kw_only=True)
class Mutant:
    """One fault, as a change of one function of the service.

    ``target`` is ``module:name`` as in an entry point, ``find`` and ``replace`` are
    pieces of the function's source, indented as a function outside of a class is.
    """

    name: str
    source: str
    breaks: str
    target: str
    find: str
    replace: str

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Run the service with this fault.

        Raises:
            AnchorError: the anchor does not stand in the function exactly once.
        """
        holder, attribute, original = self._located()
        setattr(holder, attribute, self._compiled(_function(original)))
        try:
            yield
        finally:
            setattr(holder, attribute, original)

    def occurrences(self) -> int:
        """How often the anchor stands in the function."""
        return _source(_function(self._located()[2])).count(self.find)

    def _located(self) -> tuple[Any, str, Any]:
        """What holds the function, under which name, and the function as it is held."""
        module, _, path = self.target.partition(":")
        *outer, attribute = path.split(".")
        holder = reduce(getattr, outer, import_module(module))
        return holder, attribute, inspect.getattr_static(holder, attribute)

    def _compiled(self, function: Any) -> Any:
        source = _source(function)
        if source.count(self.find) != 1:
            raise AnchorError(
                f"mutant {self.name}: its anchor stands {source.count(self.find)} times in {self.target};"
                " change the anchor so that it stands there once"
            )
        made: dict[str, Any] = {}
        code = compile(source.replace(self.find, self.replace), f"<mutant {self.name}>", "exec", dont_inherit=True)
        exec(code, function.__globals__, made)
        return made[function.__name__]


def _function(held: Any) -> Any:
    """The function itself; its source has its decorators, so that it is decorated again."""
    if isinstance(held, property):
        return held.fget
    return held.__func__ if isinstance(held, classmethod) else held


def _source(function: Any) -> str:
    return textwrap.dedent(inspect.getsource(function))
