"""Lines as blocks: what comes again in line after line is looked at once, not in each."""

from __future__ import annotations

from collections.abc import Collection

from xce_repl.interface import Block, as_block

KEPT = 100_000
"""How many texts are remembered as plain."""


class Plain:
    """The texts that are known to be plain, see :func:`xce_repl.interface.as_block`."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def block(self, lines: list[str], texts: Collection[str]) -> list[str]:
        """*lines* as one block if all *texts* are plain, else as they are.

        :param texts: all that is in the lines, beside numbers and what is plain anyway.
        """
        if self._known.issuperset(texts) or self._plain(texts):
            return [Block("\n".join(lines))] if lines else []
        return lines

    def _plain(self, texts: Collection[str]) -> bool:
        """Look at those texts that are not known."""
        if len(self._known) >= KEPT:
            self._known.clear()
        unknown = [text for text in texts if text not in self._known]
        plain = [text for text in unknown if isinstance(as_block([text])[0], Block)]
        self._known.update(plain)
        return len(plain) == len(unknown)
