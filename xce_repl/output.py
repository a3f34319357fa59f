"""Where everything that the REPL says goes."""

from __future__ import annotations

from typing import TextIO

LINES_HELD = 500
"""How many lines are held back at most, so that a long replay writes in large pieces."""


class Output:
    """Writes lines; control characters that an input brought along are shown, not obeyed.

    :param at_once: whether each line is wanted as soon as it is there.
    """

    def __init__(self, stream: TextIO, at_once: bool) -> None:
        self._stream = stream
        self._most = 1 if at_once else LINES_HELD
        self._lines: list[str] = []
        self._held = 0

    def line(self, text: str) -> None:
        """One line."""
        self._hold(text if text.isprintable() else _shown(text), 1)

    def lines(self, text: str) -> None:
        """Many lines at once, joined by newlines."""
        if not text.replace("\n", "").isprintable():
            text = "\n".join(map(_shown, text.split("\n")))
        self._hold(text, text.count("\n") + 1)

    def _hold(self, text: str, lines: int) -> None:
        self._lines.append(text)
        self._held += lines
        if self._held >= self._most:
            self.flush()

    def flush(self) -> None:
        """Write what is held back."""
        if self._lines:
            lines, self._lines, self._held = self._lines, [], 0
            self._stream.write("\n".join(lines) + "\n")
            self._stream.flush()


def _shown(text: str) -> str:
    """*text* with what can't be printed as escapes, and tabs as blanks."""
    text = text.replace("\t", "    ")
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
