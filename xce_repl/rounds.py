"""What ``continue`` shows: a line a round, and one line for a run of rounds without a change."""

from __future__ import annotations

from xce_core.model.jobs import Job, Seconds
from xce_core.sim.job_lists import fold_jobs
from xce_repl.backlog import Backlog
from xce_repl.hooks import Hooks
from xce_repl.interface import Round
from xce_repl.times import Clock


class Rounds:
    """Collects rounds that are over and gives the lines that are ripe."""

    def __init__(self, clock: Clock, hooks: Hooks, backlog: Backlog) -> None:
        self._clock = clock
        self._hooks = hooks
        self._backlog = backlog
        self._signature = 0
        self._pending = ""  # the pending jobs as they were when they last changed
        self._first: tuple[int, Seconds] | None = None
        self._last: tuple[int, Seconds] = (0, 0)

    def over(
        self, number: int, time: Seconds, dispatched: list[Job], held: bool
    ) -> list[str]:
        """A round is over; the lines to show now.

        :param held: whether it took place, rather than being passed over.
        """
        backlog = self._backlog
        changed = bool(dispatched) or backlog.signature != self._signature
        if not changed and (not held or self._may_collapse(number, time)):
            if self._first is None:
                self._first = (number, time)
            self._last = (number, time)
            return []
        lines = self.flush()
        if backlog.signature != self._signature:
            self._signature = backlog.signature
            self._pending = backlog.text()
        lines.append(f"round {number} ({self._clock.text(time)}): {self._words(dispatched)}")
        return lines

    def flush(self) -> list[str]:
        """The line for the rounds collected so far, if there are any."""
        if self._first is None:
            return []
        (first, begin), (last, end) = self._first, self._last
        self._first = None
        if first == last:
            return [f"round {first} ({self._clock.text(begin)}): {self._words([])}"]
        return [f"rounds {first}-{last} ({self._clock.span(begin, end)}): {self._words([])}"]

    def _may_collapse(self, number: int, time: Seconds) -> bool:
        return self._hooks.may_collapse(Round(number, time, 0, False))

    def _words(self, dispatched: list[Job]) -> str:
        """What happened in the round, and who pends after it."""
        pending = f"pending {self._pending}" if self._pending else ""
        if not dispatched:
            return pending or "idle"
        if len(dispatched) == 1:
            started = f"dispatched {dispatched[0].id}"
        else:
            started = f"dispatched {fold_jobs((job.number, job.index) for job in dispatched)}"
        return f"{started}; {pending}" if pending else started
