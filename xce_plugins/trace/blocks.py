"""Lines as blocks: what comes again in line after line is looked at once, not in each."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from xce_repl.interface import Block, as_block

KEPT = 20_000
"""How many names are remembered as plain."""


class Plain:
    """The names that are known to be plain, see :func:`xce_repl.interface.as_block`."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def block(
        self, lines: list[str], names: Collection[str], others: Iterable[str] = ()
    ) -> list[str]:
        """*lines* as one block if all that is in them is plain, else as they are.

        :param names: what comes again and again.
        :param others: what does not. With the names it is all that is in the lines, beside
            numbers and what is plain anyway.
        """
        if not lines or not (self._known.issuperset(names) or self._learn(names)):
            return lines
        return [Block("\n".join(lines))] if all(map(is_plain, others)) else lines

    def _learn(self, names: Collection[str]) -> bool:
        """Whether those of *names* that are not known are plain; these are known from now on."""
        unknown = set(names) - self._known
        plain = set(filter(is_plain, unknown))
        if len(self._known) + len(plain) > KEPT:
            self._known.clear()
        if len(plain) <= KEPT:
            self._known |= plain
        return len(plain) == len(unknown)


def is_plain(text: str) -> bool:
    """Whether there is nothing in *text* but printable ASCII."""
    return isinstance(as_block([text])[0], Block)
