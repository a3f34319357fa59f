"""Where everything that the REPL says goes."""

from __future__ import annotations

from typing import TextIO

HELD = 1 << 16
"""How many characters are held back at most, so that a long replay writes in large pieces."""


class Output:
    """Writes lines; control characters that an input brought along are shown, not obeyed.

    :param at_once: whether each line is wanted as soon as it is there.
    """

    def __init__(self, stream: TextIO, at_once: bool) -> None:
        self._stream = stream
        self._most = 0 if at_once else HELD
        self._texts: list[str] = []
        self._held = 0

    def line(self, text: str) -> None:
        """One line."""
        self.block(text if text.isprintable() else _shown(text))

    def block(self, text: str) -> None:
        """One line, or many joined by newlines, that can be shown as they are."""
        self._texts.append(text)
        self._held += len(text)
        if self._held >= self._most:
            self.flush()

    def flush(self) -> None:
        """Write what is held back."""
        if self._texts:
            texts, self._texts, self._held = self._texts, [], 0
            self._stream.write("\n".join(texts) + "\n")
            self._stream.flush()


def _shown(text: str) -> str:
    """*text* with what can't be printed as escapes, and tabs as blanks."""
    text = text.replace("\t", "    ")
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
