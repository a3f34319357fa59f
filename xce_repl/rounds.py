"""What ``continue`` shows: a line a round, and one line for a run of rounds without a change."""

from __future__ import annotations

from xce_core.model.jobs import Job, Seconds
from xce_core.sim.job_lists import fold_jobs
from xce_repl.backlog import Backlog
from xce_repl.hooks import Hooks
from xce_repl.times import Clock

_NOBODY: list[Job] = []
_NOTHING: list[str] = []


class Rounds:
    """Collects rounds that are over and gives the lines that are ripe."""

    def __init__(self, clock: Clock, hooks: Hooks, backlog: Backlog) -> None:
        self._clock = clock
        self._hooks = hooks
        self._backlog = backlog
        self._signature = 0
        self._pending = ""  # the pending jobs as they were when they last changed, in words
        self._first: tuple[int, Seconds] | None = None
        self._last: tuple[int, Seconds] = (0, 0)

    def passed(self, number: int, time: Seconds) -> list[str]:
        """A round was passed over, as nothing could be decided in it; the lines to show now."""
        backlog = self._backlog
        if backlog.fresh:
            backlog.settle(_NOBODY)
        if backlog.signature != self._signature:
            return self._alone(number, time, _NOBODY, _NOBODY)
        if self._first is None:
            self._first = (number, time)
        self._last = (number, time)
        return _NOTHING

    def over(
        self, number: int, time: Seconds, taken_over: list[Job], dispatched: list[Job]
    ) -> list[str]:
        """A round is over; the lines to show now."""
        backlog = self._backlog
        backlog.settle(taken_over + dispatched if taken_over else dispatched)
        changed = bool(dispatched or taken_over or backlog.signature != self._signature)
        alone = changed
        if self._hooks.judging:
            started = len(taken_over) + len(dispatched)
            alone = not self._hooks.may_collapse(number, time, started, changed) or changed
        if alone:
            return self._alone(number, time, taken_over, dispatched)
        if self._first is None:
            self._first = (number, time)
        self._last = (number, time)
        return _NOTHING

    def _alone(
        self, number: int, time: Seconds, taken_over: list[Job], dispatched: list[Job]
    ) -> list[str]:
        """The lines of a round that is no part of a range, after those of the range before it."""
        lines = [] if self._first is None else self.flush()
        backlog = self._backlog
        if backlog.signature != self._signature:
            self._signature = backlog.signature
            text = backlog.text()
            self._pending = f"; pending {text}" if text else ""
        if not taken_over and len(dispatched) == 1:  # most rounds of most logs
            words = f"dispatched {dispatched[0].id}{self._pending}"
        else:
            words = self._words(taken_over, dispatched)
        lines.append(f"round {number} ({self._clock.text(time)}): {words}")
        return lines

    def flush(self) -> list[str]:
        """The line for the rounds collected so far, if there are any."""
        if self._first is None:
            return []
        (first, begin), (last, end) = self._first, self._last
        self._first = None
        words = self._pending[2:] or "idle"
        if first == last:
            return [f"round {first} ({self._clock.text(begin)}): {words}"]
        return [f"rounds {first}-{last} ({self._clock.span(begin, end)}): {words}"]

    def _words(self, taken_over: list[Job], dispatched: list[Job]) -> str:
        """What happened in the round, and who pends after it."""
        words = f"; taken over {ids_of(taken_over)}" if taken_over else ""
        if dispatched:
            words += f"; dispatched {ids_of(dispatched)}"
        return f"{words}{self._pending}"[2:] or "idle"


def ids_of(jobs: list[Job]) -> str:
    """The ids of *jobs* as a list, in their order."""
    return fold_jobs((job.number, job.index) for job in jobs)
