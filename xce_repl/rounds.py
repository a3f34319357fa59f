"""What ``continue`` shows: a line a round, and one line for a run of rounds without a change."""

from __future__ import annotations

from xce_core.model.jobs import Job, Seconds
from xce_core.sim.job_lists import fold_jobs
from xce_repl.backlog import Backlog
from xce_repl.hooks import Hooks
from xce_repl.times import Clock

_NOBODY: list[Job] = []


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

    def passed(self, number: int, time: Seconds) -> list[str]:
        """A round was passed over, as nothing could be decided in it; the lines to show now."""
        self._backlog.settle(_NOBODY)
        if self._backlog.signature == self._signature:
            return self._collapse(number, time)
        return self._alone(number, time, _NOBODY, _NOBODY)

    def over(
        self, number: int, time: Seconds, taken_over: list[Job], dispatched: list[Job]
    ) -> list[str]:
        """A round is over; the lines to show now."""
        self._backlog.settle(taken_over + dispatched if taken_over else dispatched)
        started = len(taken_over) + len(dispatched)
        changed = bool(started) or self._backlog.signature != self._signature
        may = self._hooks.may_collapse(number, time, started, changed)
        if may and not changed:
            return self._collapse(number, time)
        return self._alone(number, time, taken_over, dispatched)

    def _collapse(self, number: int, time: Seconds) -> list[str]:
        if self._first is None:
            self._first = (number, time)
        self._last = (number, time)
        return []

    def _alone(
        self, number: int, time: Seconds, taken_over: list[Job], dispatched: list[Job]
    ) -> list[str]:
        lines = [] if self._first is None else self.flush()
        if self._backlog.signature != self._signature:
            self._signature = self._backlog.signature
            self._pending = self._backlog.text()
        words = self._words(taken_over, dispatched)
        lines.append(f"round {number} ({self._clock.text(time)}): {words}")
        return lines

    def flush(self) -> list[str]:
        """The line for the rounds collected so far, if there are any."""
        if self._first is None:
            return []
        (first, begin), (last, end) = self._first, self._last
        self._first = None
        words = self._words(_NOBODY, _NOBODY)
        if first == last:
            return [f"round {first} ({self._clock.text(begin)}): {words}"]
        return [f"rounds {first}-{last} ({self._clock.span(begin, end)}): {words}"]

    def _words(self, taken_over: list[Job], dispatched: list[Job]) -> str:
        """What happened in the round, and who pends after it."""
        pending = f"pending {self._pending}" if self._pending else ""
        if dispatched:
            started = f"dispatched {ids_of(dispatched)}"
            pending = f"{started}; {pending}" if pending else started
        if taken_over:
            started = f"taken over {ids_of(taken_over)}"
            pending = f"{started}; {pending}" if pending else started
        return pending or "idle"


def ids_of(jobs: list[Job]) -> str:
    """The ids of *jobs* as a list, in their order."""
    if len(jobs) == 1:
        return jobs[0].id
    return fold_jobs((job.number, job.index) for job in jobs)
