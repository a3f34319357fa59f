"""Gathers the figures of a replay: jobs by outcome, makespan, utilisation, waits, slowdowns.

``docs/metrics.md`` states each formula with its population and window. A replay calls
:meth:`Metrics.ran` and :meth:`Metrics.job_over` once a job, so these only add and append.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import add, mul
from typing import TYPE_CHECKING

from xce_core.model.jobs import STARTED, Job, JobState, Seconds, canonical_seconds
from xce_core.sim.workload import Tally

if TYPE_CHECKING:
    from xce_core.sim.figures import Causes, Outcomes, Result, Stats, Usage

TAU = 10
"""Below this run time, in seconds, bounded slowdown does not blame the scheduler."""

_DONE = JobState.DONE  # a module's name is found faster than a member of an enumeration
_FAILED = JobState.FAILED


class Metrics:
    """Takes down what a replay tells, and works out the figures when asked.

    Keeps 24 bytes for each job that ran, and 16 for each change of the capacity.

    :param tau: the bound of bounded slowdown, in seconds.
    """

    __slots__ = (
        "_at_limit", "_busy", "_changes", "_eligible_waits", "_failed", "_first_submit",
        "_killed", "_last_end", "_levels", "_refused", "_runs", "_since", "_still_running",
        "_still_waiting", "_tau", "_unstarted", "_waits",
    )  # fmt: skip

    def __init__(self, tau: Seconds = TAU) -> None:
        if not tau > 0:
            raise ValueError(f"expected a bound above 0 s, found {tau}")
        self._tau = tau
        self._waits = array("d")  # whole seconds are exact up to 2**53
        self._eligible_waits = array("d")
        self._runs = array("d")
        self._busy: Seconds = 0
        self._since: Seconds = -math.inf
        self._first_submit: Seconds = math.inf
        self._last_end: Seconds = -math.inf
        self._failed = self._killed = self._at_limit = self._unstarted = 0
        self._still_waiting = self._still_running = 0
        self._refused: Counter[str] = Counter()
        self._changes = array("d")
        self._levels = array("q")

    # What a replay tells.

    def capacity(self, time: Seconds, slots: int) -> None:
        """From *time* on the hosts that are not down have *slots* slots together.

        First called when the replay starts, before any job runs; then in time order.
        """
        if not self._changes:
            self._since = time
        self._changes.append(time)
        self._levels.append(slots)

    def ran(self, job: Job, start: Seconds, end: Seconds, slots: int) -> None:
        """*job* held *slots* slots from *start* to *end*: it ended, or was killed or requeued.

        What lies before the start of the replay is not counted.
        """
        since = self._since
        self._busy += slots * (end - (start if start > since else since))
        if end > self._last_end:
            self._last_end = end

    def job_over(self, job: Job, at_limit: bool = False) -> None:
        """*job* is done, failed or killed.

        :param at_limit: True if it was killed because its time limit was reached.
        """
        submit = job.submit_time
        if submit < self._first_submit:
            self._first_submit = submit
        start, end = job.start_time, job.end_time
        if start is None or end is None:
            self._unstarted += 1
            return
        if job.state is not _DONE:
            self._count_bad_end(job.state, at_limit)
        if end > self._last_end:
            self._last_end = end
        self._waits.append(start - submit)
        self._runs.append(end - start)
        eligible = job.eligible_time
        if eligible is not None:
            self._eligible_waits.append(start - eligible)

    def _count_bad_end(self, state: JobState, at_limit: bool) -> None:
        if state is _FAILED:
            self._failed += 1
        elif at_limit:
            self._at_limit += 1
        else:
            self._killed += 1

    def refused(self, cause: str) -> None:
        """A job was not taken; *cause* is a short phrase."""
        self._refused[cause] += 1

    def finish(self, time: Seconds, left: Iterable[Job]) -> None:
        """The replay ended at *time*, and the jobs in *left* are not over.

        Those that run have been told of by :meth:`ran` up to *time*.
        """
        for job in left:
            self._first_submit = min(self._first_submit, job.submit_time)
            if job.state in STARTED:
                self._still_running += 1
                self._last_end = max(self._last_end, time)
            else:
                self._still_waiting += 1

    # The figures.

    def result(self, sessions: int = 0, dispatches: int = 0, tally: Tally | None = None) -> Result:
        """The figures of what was told so far.

        :param tally: what the reader of the input mended and refused; what
            :meth:`refused` was told is added to the latter.
        """
        from xce_core.sim.figures import Result, stats_of

        refused = self._refused + (tally.refused if tally else Counter())
        first, last = _finite(self._first_submit), _finite(self._last_end)
        turnarounds = array("d", map(add, self._waits, self._runs))
        wait = stats_of(self._waits, canonical_seconds)
        slowdown = stats_of(t / r for t, r in zip(turnarounds, self._runs, strict=True) if r)
        return Result(
            outcomes=self._outcomes(refused.total()),
            sessions=sessions,
            dispatches=dispatches,
            first_submit=first,
            last_end=last,
            makespan=None if first is None or last is None else canonical_seconds(last - first),
            usage=self._usage(),
            wait=wait,
            eligible_wait=self._eligible_stats(wait),
            turnaround=stats_of(turnarounds, canonical_seconds),
            slowdown=slowdown,
            slowdown_undefined=len(turnarounds) - slowdown.count,
            bounded_slowdown=stats_of(self._bounded_slowdowns(turnarounds)),
            tau=self._tau,
            refused=_causes(refused),
            repaired=_causes(tally.repaired) if tally else (),
        )

    def _outcomes(self, refused: int) -> Outcomes:
        from xce_core.sim.figures import Outcomes

        return Outcomes(
            done=len(self._waits) - self._failed - self._killed - self._at_limit,
            failed=self._failed,
            killed=self._killed,
            killed_at_limit=self._at_limit,
            never_started=self._unstarted + self._still_waiting,
            still_running=self._still_running,
            refused=refused,
            still_waiting=self._still_waiting,
        )

    def _eligible_stats(self, wait: Stats) -> Stats:
        """Those of the eligible waits, which without dependencies are the waits again."""
        if self._eligible_waits == self._waits:
            return wait
        from xce_core.sim.figures import stats_of

        return stats_of(self._eligible_waits, canonical_seconds)

    def _bounded_slowdowns(self, turnarounds: Iterable[float]) -> Iterator[float]:
        tau = self._tau
        for t, r in zip(turnarounds, self._runs, strict=True):
            yield max(1.0, t / (r if r > tau else tau))

    def _usage(self) -> Usage:
        from xce_core.sim.figures import Usage

        start = _finite(max(self._first_submit, self._since))
        end = _finite(self._last_end)
        if start is None or end is None:
            return Usage(start, end, 0, 0)
        return Usage(start, end, canonical_seconds(self._busy), self._available(start, end))

    def _available(self, start: Seconds, end: Seconds) -> Seconds:
        """Slot-seconds between the two times, from the capacity in force at each."""
        times = [canonical_seconds(min(max(time, start), end)) for time in self._changes]
        lengths = (after - time for time, after in zip(times, [*times[1:], end], strict=True))
        return canonical_seconds(sum(map(mul, self._levels, lengths)))


def _causes(counts: Counter[str]) -> Causes:
    return tuple(sorted(counts.items()))


def _finite(time: Seconds) -> Seconds | None:
    return time if math.isfinite(time) else None
