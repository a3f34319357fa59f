"""Which job ids a log has used so far, in about a byte an id."""

from __future__ import annotations

from xce_core.model.id_table import IdTable

NEW, REFUSED, ACCEPTED = 0, 1, 2
"""What became of an id's job; one that was refused may be accepted later."""


class SeenIds:
    """Ids and what became of their jobs."""

    def __init__(self) -> None:
        self._fates = IdTable()

    def get(self, number: int) -> int:
        """NEW, REFUSED or ACCEPTED."""
        return min(self._fates.get(number), ACCEPTED)

    def accept(self, number: int) -> bool:
        """Mark *number* as accepted; False, and nothing done, if it was already."""
        return self._fates.add(number, ACCEPTED) < ACCEPTED

    def refuse(self, number: int) -> None:
        """Mark *number* as refused, unless it was accepted."""
        self._fates.add(number, REFUSED)
