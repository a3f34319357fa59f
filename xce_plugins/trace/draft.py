"""A record in the making: entries up to the bound, counts beyond it."""

from __future__ import annotations

from xce_core.model.jobs import Seconds
from xce_plugins.trace.model import (
    KINDS,
    Ending,
    Entry,
    Fault,
    Level,
    Record,
    Selection,
    Totals,
    Undecided,
    Unit,
)

FAULTS_KEPT = 10
"""How many faults of plugins a record names."""

NOT_CAPTURED = Undecided("not captured", "")
"""The ending of a record whose outcome could not be written down."""


class Draft:
    """What is known so far of one selection.

    :ivar room: how many entries may still be added.
    :ivar ending: how the selection ended.
    """

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
        self._hosts = [0] * len(KINDS)
        self._head = (job, session, time, position, level, bound, selection)
        self._entries: list[Entry] = []
        self._omitted = 0
        self._faults: list[Fault] = []

    def add(self, entry: Entry) -> None:
        """Add an entry, or count it if there is no room."""
        if self.room:
            self.room -= 1
            self._entries.append(entry)
        else:
            self._omitted += 1

    def add_all(self, entries: list[Entry]) -> None:
        """Add entries as far as there is room, and count the others."""
        fitting = min(self.room, len(entries))
        self.room -= fitting
        self._entries += entries[:fitting] if fitting < len(entries) else entries
        self._omitted += len(entries) - fitting

    def leave_out(self, count: int) -> None:
        """Count entries that were not even made."""
        self._omitted += count

    def count_hosts(self, counts: tuple[int, ...]) -> None:
        """Add to the host evaluations, for each of the kinds."""
        hosts = self._hosts
        for place, count in enumerate(counts):
            hosts[place] += count

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
            tuple(self._hosts),
        )
        return Record(
            *self._head,
            tuple(self._entries),
            self._omitted,
            totals,
            tuple(self._faults),
            self.ending,
            self.units,
        )
