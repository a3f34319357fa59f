"""What was noticed while a log was read, counted by cause."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from xce_core.sim.workload import Tally


@dataclass(slots=True)
class Findings:
    """Counts, and the first line of each.

    :param notes: what was read by a rule that a reader of the results should know of; the
        job was neither repaired nor refused for it.
    :param stops: faults that end the reading, met where they are counted instead.
    :param first: the first line of each cause, of whichever kind.
    """

    tally: Tally = field(default_factory=Tally)
    notes: Counter[str] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)

    def refuse(self, cause: str, line: int) -> None:
        """A job is left out."""
        self.tally.refused[cause] += 1
        self.first.setdefault(cause, line)

    def repair(self, name: str, line: int) -> None:
        """A repair that was asked for changed something."""
        self.tally.repaired[name] += 1
        self.first.setdefault(name, line)

    def note(self, text: str, line: int) -> None:
        """Something worth telling."""
        self.notes[text] += 1
        self.first.setdefault(text, line)

    def stop(self, cause: str, line: int) -> None:
        """A fault that would end the reading."""
        self.stops[cause] += 1
        self.first.setdefault(cause, line)
