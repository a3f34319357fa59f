"""A record in the making: entries up to the bound, counts beyond it."""

from __future__ import annotations

from operator import add

from xce_core.model.jobs import Seconds
from xce_plugins.trace.ending_model import Ending, Undecided
from xce_plugins.trace.model import KINDS, Entry, Fault, Level, Record, Selection, Totals, Unit
from xce_plugins.trace.packed import Entries, HostsSeen, Part, PositionsSeen

FAULTS_KEPT = 10
"""How many faults of plugins a record names."""

NO_HOSTS = (0,) * len(KINDS)
"""No host evaluations, for each of the kinds."""

NOT_CAPTURED = Undecided("not captured", "")
"""The ending of a record whose outcome could not be written down."""


class Draft:
    """What is known so far of one selection.

    :ivar room: how many entries may still be added.
    :ivar ending: how the selection ended.
    """

    __slots__ = (
        "_faults", "_head", "_hosts", "_omitted", "_parts", "all_discarded", "ending", "job",
        "level", "none_generated", "none_placed", "plans_discarded", "plans_tried", "room",
        "session", "units",
    )  # fmt: skip

    def __init__(
        self,
        job: str,
        session: int,
        time: Seconds,
        position: int,
        level: Level,
        bound: int,
        selection: Selection | None,
    ) -> None:
        self.job = job
        self.session = session
        self.level = level
        self.room = bound
        self.ending: Ending = NOT_CAPTURED
        self.units: tuple[Unit, ...] = ()
        self.plans_tried = self.plans_discarded = 0
        self.none_generated = self.all_discarded = self.none_placed = 0
        self._hosts = NO_HOSTS
        self._head = (job, session, time, position, level, bound, selection)
        self._parts: list[Part] = []
        self._omitted = 0
        self._faults: list[Fault] = []

    def add(self, entry: Entry) -> None:
        """Add an entry, or count it if there is no room."""
        if self.room:
            self.room -= 1
            self._parts.append(entry)
        else:
            self._omitted += 1

    def add_lines(self, part: HostsSeen | PositionsSeen, lines: int) -> None:
        """Add what stands for so many entries; there is room for them."""
        self.room -= lines
        self._parts.append(part)

    def leave_out(self, count: int) -> None:
        """Count entries that were not even made."""
        self._omitted += count

    def count_hosts(self, counts: tuple[int, ...]) -> None:
        """Add to the host evaluations, for each of the kinds."""
        hosts = self._hosts
        self._hosts = counts if hosts is NO_HOSTS else tuple(map(add, hosts, counts))

    def fault(self, plugin: str, hook: str, error: str) -> None:
        """A plugin raised; the first few are kept, each kind once."""
        fault = Fault(plugin, hook, error)
        if fault not in self._faults and len(self._faults) < FAULTS_KEPT:
            self._faults.append(fault)

    def record(self) -> Record:
        """All of it, frozen."""
        totals = Totals(
            self.plans_tried,
            self.plans_discarded,
            self.none_generated,
            self.all_discarded,
            self.none_placed,
            self._hosts,
        )
        return Record(
            *self._head,
            Entries(self._parts),
            self._omitted,
            totals,
            tuple(self._faults),
            self.ending,
            self.units,
        )
