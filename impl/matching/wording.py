"""How what others have written is shown on a terminal, whatever it is made of."""

from __future__ import annotations

from typing import Final

__all__ = ["LONGEST", "one_line", "printable"]

LONGEST: Final = 600
"""How many characters a line has at most that is said of an error."""


def printable(text: str) -> str:
    """The text with everything that would not show as itself, a newline or half a character, in its escaped form."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def one_line(message: str) -> str:
    """The message in one line that is not too long."""
    line = printable(" ".join(message.split()))
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
