"""A run as it was recorded, whatever target made it."""

from __future__ import annotations

import attrs

from conformance.judge import Divergence
from conformance.trace.header import Footer, Header
from conformance.trace.step import TraceStep

__all__ = ["Run"]


@attrs.frozen(kw_only=True)
class Run:
    """A run as it was recorded, with the first place where it left the specification."""

    header: Header
    steps: list[TraceStep]
    footer: Footer
    divergence: Divergence | None
    mistake: str | None = None
    """What asyncio would only have logged: a bug that no caller saw as an answer."""

    @property
    def end(self) -> str:
        """How the run ended, as the footer says."""
        return self.footer.end
