"""The load that a log puts on its machine, as it was when it was recorded."""

from __future__ import annotations

from heapq import heappop, heappush

from xce_core.model.jobs import Seconds


class Load:
    """Adds up jobs, given in order of submission; memory grows with those in flight.

    A job that starts where another ends does not overlap it.

    :attr:`work`: processors times run time of all jobs.
    :attr:`first`, :attr:`last`: the first submission and the last end.
    :attr:`peak`: most processors in use at once, of the jobs with a known wait.
    :attr:`largest`: most processors of one job.
    :attr:`unordered`: whether jobs came out of order, so that the peak means nothing.
    """

    def __init__(self) -> None:
        self.work: Seconds = 0
        self.first: Seconds | None = None
        self.last: Seconds = 0
        self.peak = 0
        self.largest = 0
        self.unknown_waits = 0
        self.unordered = False
        self._last_submit: Seconds = 0
        self._in_use = 0
        self._steps: list[tuple[Seconds, int]] = []

    def add(self, submit: Seconds, wait: Seconds, run: Seconds, procs: int) -> None:
        """Take in a job; its wait is negative if unknown."""
        self.work += procs * run
        self.first = submit if self.first is None else min(self.first, submit)
        start = submit + max(wait, 0)
        self.last = max(self.last, start + run)
        self.largest = max(self.largest, procs)
        self.unordered = self.unordered or submit < self._last_submit
        self._last_submit = submit
        self._advance(submit)
        if wait < 0:
            self.unknown_waits += 1
        elif run > 0:
            heappush(self._steps, (start, procs))
            heappush(self._steps, (start + run, -procs))

    def finish(self) -> None:
        """No more jobs come."""
        self._advance(None)

    @property
    def span(self) -> Seconds:
        """From the first submission to the last end."""
        return 0 if self.first is None else self.last - self.first

    def _advance(self, until: Seconds | None) -> None:
        """Take the steps before *until*: no job still to come can start before it."""
        while self._steps and (until is None or self._steps[0][0] < until):
            self._in_use += heappop(self._steps)[1]
            self.peak = max(self.peak, self._in_use)
