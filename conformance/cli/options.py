"""Kinds of values that several commands take."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final

import click

__all__ = ["SECONDS"]


class _Seconds(click.FloatRange):
    """A time that ends: more than nothing, and a number."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if not isfinite(found):
            self.fail(f"{value} is no number of seconds; for a long time name a large one", param, ctx)
        return found


SECONDS: Final = _Seconds(min=0, min_open=True)
