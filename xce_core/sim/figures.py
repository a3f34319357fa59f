"""The figures of a replay as values; ``docs/metrics.md`` states each formula."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from xce_core.model.jobs import Seconds


@dataclass(frozen=True, slots=True)
class Stats:
    """A distribution; percentiles by nearest rank, so each is a value that occurred.

    All but :attr:`count` are None if there is no value.
    """

    count: int
    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How many jobs came to what; each job is counted in one field, but for the last.

    :param killed: killed after the start for another reason than its time limit.
    :param never_started: over without a start, or still waiting when the replay ended.
    :param still_running: running or suspended when the replay ended.
    :param refused: not taken: it could never have run, or its input was at fault.
    :param still_waiting: those of ``never_started`` that were waiting when the replay ended.
    """

    done: int
    failed: int
    killed: int
    killed_at_limit: int
    never_started: int
    still_running: int
    refused: int
    still_waiting: int

    @property
    def total(self) -> int:
        """All jobs, refused ones too."""
        ended = self.done + self.failed + self.killed + self.killed_at_limit
        return ended + self.never_started + self.still_running + self.refused


@dataclass(frozen=True, slots=True)
class Usage:
    """How much of the cluster was used between two times.

    :param start: first submission, or the start of the replay if that is later.
    :param end: last end of a stretch of running.
    :param busy: slot-seconds held by jobs.
    :param available: slot-seconds of hosts that were not down.
    """

    start: Seconds | None
    end: Seconds | None
    busy: Seconds
    available: Seconds

    @property
    def utilisation(self) -> float | None:
        """Busy as a part of available; None if nothing was available."""
        return self.busy / self.available if self.available else None


Causes = tuple[tuple[str, int], ...]
"""How often each cause occurred, in the order of the causes."""


@dataclass(frozen=True, slots=True)
class Result:
    """The figures of a whole replay; times in seconds.

    :param dispatches: jobs started, those taken over from a recording among them.
    :param makespan: last end less first submission; None if no job ran.
    :param wait: submission to start.
    :param eligible_wait: from when the job could have started, had there been room.
    :param slowdown_undefined: jobs without a slowdown, as their run time is 0.
    :param tau: the bound of ``bounded_slowdown``.
    """

    outcomes: Outcomes
    sessions: int
    dispatches: int
    first_submit: Seconds | None
    last_end: Seconds | None
    makespan: Seconds | None
    usage: Usage
    wait: Stats
    eligible_wait: Stats
    turnaround: Stats
    slowdown: Stats
    slowdown_undefined: int
    bounded_slowdown: Stats
    tau: Seconds
    refused: Causes
    repaired: Causes


def stats_of(values: Iterable[float], form: Callable[[float], float] = float) -> Stats:
    """The distribution of *values*; the order in which they come makes no difference.

    :param form: gives single values their final form; the mean is not rounded.
    """
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        return Stats(0)
    mean = math.fsum(ordered) / count
    return Stats(count, mean, *(form(nearest_rank(ordered, p)) for p in (50, 90, 95, 99, 100)))


def nearest_rank(ordered: Sequence[float], percent: int) -> float:
    """The least of the rising values that has *percent* per cent of them at or below it."""
    return ordered[-(-percent * len(ordered) // 100) - 1]
