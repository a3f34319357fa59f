"""What is left of one thing: on each host (a column), or in the cluster (a counter)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from xce_core.model.limits import Limit


class Same(Sequence[int]):
    """A total that is the same for every host, without a place for each."""

    __slots__ = ("_count", "total")

    def __init__(self, total: int, count: int) -> None:
        self.total = total
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return Same(self.total, len(range(self._count)[index]))
        if not -self._count <= index < self._count:
            raise IndexError(index)  # which is what ends a loop over it
        return self.total


def _classes(totals: Sequence[int]) -> dict[int, int]:
    """The hosts of each total, as masks."""
    if isinstance(totals, Same):
        return {totals.total: (1 << len(totals)) - 1}
    classes: dict[int, int] = {}
    for index, total in enumerate(totals):
        classes[total] = classes.get(total, 0) | 1 << index
    return classes


class Column:
    """What each host has left of a resource, or of a limit that counts by host.

    Hosts with the same amount left form a class, kept as a bit mask: finding the hosts with
    enough left, or changing many hosts at once, costs by the classes and not by the hosts.

    :param resource: the resource it is about, or the one that the limit caps.
    :param totals: total of each host, by host index.
    :param limit: the limit, and its scope instance, if it is one.
    :param exempt: mask of the hosts that the limit does not concern.
    """

    __slots__ = ("classes", "exempt", "instance", "limit", "resource", "totals")

    def __init__(
        self,
        resource: str,
        totals: Sequence[int],
        limit: Limit | None = None,
        instance: str = "",
        exempt: int = 0,
    ) -> None:
        self.resource = resource
        self.totals = totals
        self.limit = limit
        self.instance = instance
        self.exempt = exempt
        self.classes = _classes(totals)

    def at_least(self, amount: int) -> int:
        """The mask of the hosts that have *amount* left."""
        hosts = self.exempt
        for left, members in self.classes.items():
            if left >= amount:
                hosts |= members
        return hosts

    def take(self, hosts: int, amount: int) -> None:
        """Take *amount* from each of *hosts*; a negative amount gives it back."""
        classes = self.classes
        moved = []
        for left, members in classes.items():
            part = members & hosts
            if part:
                moved.append((left, part))
                hosts ^= part
                if not hosts:
                    break
        for left, part in moved:
            stay = classes[left] ^ part
            if stay:
                classes[left] = stay
            else:
                del classes[left]
            left -= amount
            classes[left] = classes.get(left, 0) | part

    def left(self, index: int) -> int:
        """What the host of this index has left; negative after a reconstructed dispatch."""
        bit = 1 << index
        return next(left for left, members in self.classes.items() if members & bit)

    def concerns(self, index: int) -> bool:
        """False for a host that the limit does not concern."""
        return not self.exempt >> index & 1


class Counter:
    """What the cluster as a whole has of a shared resource, or under a limit.

    :param resource: the resource it is about, or the one that the limit caps.
    """

    __slots__ = ("instance", "limit", "resource", "total", "used")

    def __init__(
        self, resource: str, total: int, limit: Limit | None = None, instance: str = ""
    ) -> None:
        self.resource = resource
        self.total = total
        self.used = 0
        self.limit = limit
        self.instance = instance

    @property
    def left(self) -> int:
        """What is left; negative after a reconstructed dispatch."""
        return self.total - self.used
