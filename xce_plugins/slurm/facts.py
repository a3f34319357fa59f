"""When a row says that its job came, started and ended, and whether it started at all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from xce_core.model.jobs import JobState
from xce_plugins.slurm.attempts import NEVER, Fate
from xce_plugins.slurm.clock import UNKNOWN, Clock
from xce_plugins.slurm.columns import Layout
from xce_plugins.slurm.fields import UNKNOWN_WORDS, count, duration
from xce_plugins.slurm.states import Meaning, Standing

_HOUR = 3600


class Cells:
    """The cells of a row by the names of their columns."""

    __slots__ = ("_at", "_cells")

    def __init__(self, cells: Sequence[str], layout: Layout) -> None:
        self._cells = cells
        self._at = layout.at

    def get(self, name: str) -> str:
        """The cell without blanks around it; empty if there is no such column."""
        place = self._at.get(name)
        return "" if place is None else self._cells[place].strip()

    def has(self, name: str) -> bool:
        """Whether there is such a column."""
        return name in self._at


class Times:
    """The times of a row; of the moments that a doubtful one stands for, those that agree."""

    __slots__ = ("doubtful", "elapsed", "eligible", "end", "skipped", "start", "submit")

    def __init__(self, clock: Clock, cells: Cells) -> None:
        clock.doubtful = clock.skipped = 0
        submit = clock.read(cells.get("submit"), "Submit")
        eligible = clock.read(cells.get("eligible"), "Eligible")
        start = clock.read(cells.get("start"), "Start")
        end = clock.read(cells.get("end"), "End")
        self.doubtful, self.skipped = clock.doubtful > 0, clock.skipped > 0
        self.elapsed = _elapsed(cells)
        choices = [moments or (UNKNOWN,) for moments in (submit, start, end)]
        self.submit, self.start, self.end = (moments[0] for moments in choices)
        if self.doubtful:
            # min() keeps the first of equals, in which doubtful times are the earlier ones.
            chosen = min(product(*choices), key=self._contradictions)
            self.submit, self.start, self.end = chosen
        self.eligible = UNKNOWN if not cells.has("eligible") else NEVER
        if eligible:
            self.eligible = next((m for m in eligible if m >= self.submit), eligible[0])

    @property
    def hour_off(self) -> bool:
        """Whether the elapsed time and the clock differ by just an hour."""
        if self.elapsed is None or UNKNOWN in (self.start, self.end):
            return False
        return abs(self.end - self.start - self.elapsed) == _HOUR

    def _contradictions(self, times: tuple[int, ...]) -> int:
        submit, start, end = times
        wrong = [UNKNOWN < start < submit]
        if UNKNOWN not in (start, end):
            wrong += [end < start, self.elapsed is not None and end - start != self.elapsed]
        return sum(wrong)


def _elapsed(cells: Cells) -> int | None:
    raw, text = cells.get("elapsedraw"), cells.get("elapsed")
    if text and text not in UNKNOWN_WORDS and text != "INVALID":
        return duration(text, "Elapsed")
    return count(raw, "ElapsedRaw") if raw else None


def fate_of(meaning: Meaning, times: Times, cells: Cells) -> Fate:
    """Whether the job started, runs or waits."""
    if meaning.standing is Standing.RUNNING:
        return Fate.RUNNING
    if meaning.standing is Standing.WAITING and not times.elapsed:
        return Fate.WAITING
    if times.start == UNKNOWN and not times.elapsed:
        return Fate.NEVER_STARTED
    # A job that is cancelled while it waits gets its end as its start, and may have TRES.
    if not times.elapsed and times.start == times.end:
        nodes = cells.get("nodelist")
        if nodes in UNKNOWN_WORDS if cells.has("nodelist") else _is_cancelled(meaning):
            return Fate.NEVER_STARTED
    return Fate.RAN


def _is_cancelled(meaning: Meaning) -> bool:
    return meaning.outcome is JobState.KILLED


def run_time(fate: Fate, times: Times) -> int | None:
    """Seconds it ran; 0 if it never started, None if nobody knows."""
    if fate in (Fate.NEVER_STARTED, Fate.WAITING):
        return 0
    if times.elapsed is not None:
        return times.elapsed
    if UNKNOWN in (times.start, times.end) or times.end < times.start:
        return None
    return times.end - times.start
