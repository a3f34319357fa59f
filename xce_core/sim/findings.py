"""What was noticed while a workload log was read, counted by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from xce_core.sim.workload import InputError, Tally

OnFault = Callable[[str, InputError], None]
"""Given the cause and the error of a fault that no repair was asked for."""


def stop_reading(cause: str, error: InputError) -> None:
    """Every fault ends the reading."""
    raise error


@dataclass(slots=True)
class Findings:
    """Counts, and the first line of each.

    :param notes: what was read by a rule that a reader of the results should know of; the
        job was neither repaired nor refused for it.
    :param stops: faults that end the reading, met where they are counted instead.
    :param first: the first line of each cause, of whichever kind; 0 if it has none.
    """

    tally: Tally = field(default_factory=Tally)
    notes: Counter[str] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)

    def refuse(self, cause: str, line: int) -> None:
        """A job is left out."""
        self.tally.refused[cause] += 1
        self._see(cause, line)

    def repair(self, cause: str, line: int) -> None:
        """Something was mended, or joined to what it belongs to."""
        self.tally.repaired[cause] += 1
        self._see(cause, line)

    def note(self, text: str, line: int, count: int = 1) -> None:
        """Something worth telling."""
        self.notes[text] += count
        self._see(text, line)

    def stop(self, cause: str, line: int) -> None:
        """A fault that would end the reading."""
        self.stops[cause] += 1
        self._see(cause, line)

    def _see(self, cause: str, line: int) -> None:
        known = self.first.get(cause)
        if known is None or 0 < line < known:
            self.first[cause] = line
