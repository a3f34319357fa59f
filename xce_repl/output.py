"""Where everything that the REPL says goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO


class Output:
    """Writes lines; control characters that an input brought along are shown, not obeyed."""

    def __init__(self, stream: TextIO) -> None:
        self._write: Callable[[str], object] = stream.write
        self.flush: Callable[[], None] = stream.flush

    def line(self, text: str) -> None:
        """One line."""
        if not text.isprintable():
            text = "".join(c if c.isprintable() else _shown(c) for c in text)
        self._write(text + "\n")


def _shown(character: str) -> str:
    """A character that can't be printed, as an escape; a tab as blanks."""
    if character == "\t":
        return "    "
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
