"""Entries of which many are alike, kept together: a scan of 1,000 hosts is one object.

Who reads a record sees the entries one by one; what it costs to capture and keep them goes by
the verdicts that differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple, overload

from xce_core.model.rows import Row
from xce_plugins.trace.model import Entry, HostSeen, PositionSeen

RowFields = tuple[str, int, int, int, int, str, str]
"""The fields of a :class:`Row`."""


Finding = tuple[int, str, str, tuple[RowFields, ...]]
"""What hosts that are alike have in common: kinds, phase and detail of :class:`HostSeen`, and
the rows that stand behind each of them."""


class HostsSeen(NamedTuple):
    """The hosts that a position looked at.

    :param hosts: their names, in order.
    :param places: for each of them which of the *findings* it is.
    :param lines: how many entries it stands for; the last host may have lost rows.
    """

    hosts: tuple[str, ...]
    places: tuple[int, ...]
    findings: tuple[Finding, ...]
    lines: int

    def entries(self) -> Iterator[Entry]:
        """One by one."""
        return islice(self._entries(), self.lines)

    def _entries(self) -> Iterator[Entry]:
        for host, place in zip(self.hosts, self.places, strict=True):
            kinds, phase, detail, rows = self.findings[place]
            yield HostSeen(host, kinds, phase, detail)
            for row in rows:
                yield Row(*row)


Seen = tuple[int, int, int, int, int, tuple[tuple[str, str, int], ...]]
"""What positions one after the other have in common: how many they are, the numbers of hosts
looked at with a selection mismatch, a shortfall, an exceeded limit, or claimed already (one more
for each position after the first), and the limits of :class:`PositionSeen`."""


class PositionsSeen(NamedTuple):
    """A run of like positions, as in :class:`PositionSeen`.

    :param first: number of the first.
    :param hosts: for each position the host found.
    :param seen: what they saw, for one position after the other.
    """

    first: int
    tasks: int
    hosts: tuple[str, ...]
    seen: tuple[Seen, ...]
    error: str

    @property
    def lines(self) -> int:
        """How many entries it stands for."""
        return len(self.hosts)

    def first_lines(self, count: int) -> PositionsSeen:
        """The first *count* of the positions."""
        seen: list[Seen] = []
        left = count
        for positions, mismatched, short, over, claimed, limits in self.seen:
            if left > 0:
                seen.append((min(positions, left), mismatched, short, over, claimed, limits))
            left -= positions
        return PositionsSeen(self.first, self.tasks, self.hosts[:count], tuple(seen), self.error)

    def entries(self) -> Iterator[Entry]:
        """One by one."""
        number = self.first
        hosts = iter(self.hosts)
        for positions, mismatched, short, over, claimed, limits in self.seen:
            for before, host in zip(range(claimed, claimed + positions), hosts, strict=False):
                counts = (1 if host else 0, mismatched, short, over, before, 0)
                yield PositionSeen(number, self.tasks, host, counts, limits, self.error)
                number += 1


Part = Entry | HostsSeen | PositionsSeen


def lines_of(part: Part) -> int:
    """How many entries *part* stands for."""
    return part.lines if isinstance(part, HostsSeen | PositionsSeen) else 1


class Entries(Sequence[Entry]):
    """The entries of a record.

    Equal to any that has the same entries, however they are packed.

    :ivar parts: as they are packed.
    """

    __slots__ = ("_count", "parts")

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = tuple(parts)
        self._count: int | None = None

    def __iter__(self) -> Iterator[Entry]:
        return chain.from_iterable(
            part.entries() if isinstance(part, HostsSeen | PositionsSeen) else (part,)
            for part in self.parts
        )

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(map(lines_of, self.parts))
        return self._count

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        if isinstance(index, slice):
            return Entries(tuple(self)[index])
        return tuple(self)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entries) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
