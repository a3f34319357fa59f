"""Where everything that the REPL says goes."""

from __future__ import annotations

from typing import TextIO

HELD = 1 << 16
"""How many characters are held back at most, so that a long replay writes in large pieces."""

_PLAIN = bytes(range(0x20, 0x7F)) + b"\n"


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
        self._hold(text if text.isprintable() else _shown(text))

    def lines(self, text: str) -> None:
        """Many lines at once, joined by newlines."""
        if not _is_plain(text):
            text = "\n".join(
                line if line.isprintable() else _shown(line) for line in text.split("\n")
            )
        self._hold(text)

    def _hold(self, text: str) -> None:
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


def _is_plain(text: str) -> bool:
    """Whether there is nothing but ASCII that can be printed; some ten times as fast as asking
    each character whether it is printable.
    """
    return text.isascii() and not text.encode().translate(None, _PLAIN)


def _shown(text: str) -> str:
    """*text* with what can't be printed as escapes, and tabs as blanks."""
    text = text.replace("\t", "    ")
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
