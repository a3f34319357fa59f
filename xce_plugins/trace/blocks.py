"""Lines as blocks: what comes again in line after line is looked at once, not in each."""

from __future__ import annotations

from collections.abc import Collection

from xce_repl.interface import Block, is_plain

KEPT = 20_000
"""How many names are remembered as plain."""


class Plain:
    """The names that are known to be plain, see :func:`xce_repl.interface.is_plain`."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def block(
        self, lines: list[str], names: Collection[str], others: Collection[str] = ()
    ) -> list[str]:
        """*lines* as one block if all that is in them is plain, else as they are.

        :param names: what comes again and again.
        :param others: what does not. With the names it is all that is in the lines, beside
            numbers and what is plain anyway.
        """
        if lines and self._all_plain(names) and is_plain(others):
            return [Block("\n".join(lines))]
        return lines

    def _all_plain(self, names: Collection[str]) -> bool:
        """Whether all *names* are plain; they are known from now on if they are."""
        if self._known.issuperset(names):
            return True
        unknown = set(names) - self._known
        if not is_plain(unknown):
            return False
        if len(self._known) + len(unknown) > KEPT:
            self._known.clear()
        if len(unknown) <= KEPT:
            self._known |= unknown
        return True
