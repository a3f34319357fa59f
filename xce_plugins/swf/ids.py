"""Which job ids a log has used so far, in about a byte an id."""

from __future__ import annotations

_SLACK = 64 * 2**10
_SPREAD = 8

NEW, REFUSED, ACCEPTED = 0, 1, 2
"""What became of an id's job."""


class SeenIds:
    """Ids and what became of their jobs.

    Ids that lie close together, as those of a log do, take a byte each, gaps included. An
    id far from the others, which would need a large table, goes to a dictionary.
    """

    def __init__(self) -> None:
        self._base = -1
        self._near = bytearray()
        self._far: dict[int, int] = {}
        self._count = 0

    def get(self, number: int) -> int:
        """NEW, REFUSED or ACCEPTED."""
        place = number - self._base
        near = self._near[place] if 0 <= place < len(self._near) else NEW
        return near or self._far.get(number, NEW)

    def accept(self, number: int) -> bool:
        """Mark *number* as accepted; False, and nothing done, if it was already."""
        place = number - self._base
        if 0 <= place < len(self._near) and not self._far:
            if self._near[place] == ACCEPTED:
                return False
            self._near[place] = ACCEPTED
            self._count += 1
            return True
        if self.get(number) == ACCEPTED:
            return False
        self._mark(number, ACCEPTED)
        return True

    def refuse(self, number: int) -> None:
        """Mark *number* as refused, unless it was accepted."""
        if self.get(number) == NEW:
            self._mark(number, REFUSED)

    def _mark(self, number: int, fate: int) -> None:
        if self._base < 0:
            self._base = max(0, number - _SLACK)
        self._count += 1
        place = number - self._base
        size = len(self._near)
        if size <= place < _SPREAD * self._count + _SLACK + _SLACK:
            self._near.extend(bytes(place + size // 8 + 1024 - size))
        if 0 <= place < len(self._near):
            self._near[place] = fate
            self._far.pop(number, None)
        else:
            self._far[number] = fate
