"""Jobs: what was submitted, and the state each is in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from xce_core.model.requests import Requirement

if TYPE_CHECKING:
    from xce_core.model.decisions import Allocation
    from xce_core.model.reasons import Reasons

Seconds = float
"""A time or a duration in seconds: an int wherever it is whole, else a float in microseconds."""


def seconds_sum(time: Seconds, duration: Seconds) -> Seconds:
    """*time* + *duration*, kept canonical: whole numbers as int, others to the microsecond.

    Sums that are equal on paper are equal here, so that events of one moment meet.
    """
    total = time + duration
    return total if total.__class__ is int else canonical_seconds(total)


def canonical_seconds(value: Seconds) -> Seconds:
    """An int if *value* is whole, else rounded to the microsecond."""
    rounded = round(value, 6)
    return int(rounded) if rounded == int(rounded) else rounded


class JobState(Enum):
    """Where a job stands. Held, waiting and pending jobs wait; the last three are over."""

    HELD = "held"
    WAITING = "waiting"
    PENDING = "pending"
    RUNNING = "running"
    SUSPENDED = "suspended"
    DONE = "done"
    FAILED = "failed"
    KILLED = "killed"


OVER = frozenset({JobState.DONE, JobState.FAILED, JobState.KILLED})
"""The states of jobs that are over."""

STARTED = frozenset({JobState.RUNNING, JobState.SUSPENDED})
"""The states of jobs that hold an allocation."""


class DependsOn(Enum):
    """What must have become of another job before this one may be considered."""

    DONE = "done"
    ENDED = "ended"
    STARTED = "started"


@dataclass(frozen=True, slots=True)
class Dependency:
    """Another job (or a whole array) that has to get somewhere first.

    :param job: the other job's id; an array's id means all of its elements.
    :param delay: seconds that must pass after that.
    """

    job: str
    when: DependsOn
    delay: Seconds = 0


_JOB_ID = re.compile(r"(\d+)(?:\[(\d+)\])?", re.ASCII)


def parse_job_id(text: str) -> tuple[int, int]:
    """The number and the array index of a job id such as ``12`` or ``12[3]``.

    The index is -1 for a job that is no array element.

    :raises ValueError: if *text* is no job id.
    """
    match = _JOB_ID.fullmatch(text)
    if match is None:
        raise ValueError(f"expected a job id such as 12 or 12[3], found {text!r}")
    number, index = match.groups()
    return int(number), -1 if index is None else int(index)


def format_job_id(number: int, index: int = -1) -> str:
    """The id of a job, or of an array element if *index* is not negative."""
    return str(number) if index < 0 else f"{number}[{index}]"


class Resolution:
    """What a scheduler resolves a job's requirement to and keeps with it; its own business.

    :ivar refused_at: marks the state in which jobs like this were last refused.
    """

    __slots__ = ("refused_at",)

    def __init__(self) -> None:
        self.refused_at = -1


UNRESOLVED = Resolution()
"""Of a job that could not be resolved, or not yet."""


@dataclass(slots=True, eq=False)
class Job:
    """A job from its submission to its end.

    The first group of fields is what was submitted; only a modification changes it. The
    second is the scheduler's own: others read it and never write it.

    :param number: orders jobs that are otherwise alike; array elements share it.
    :param index: the array index, -1 for a job that is no array element.
    :param submit_time: first submission; a requeue keeps it.
    :param run_time: how long it runs once started; None if not known.
    :param time_limit: what the user said it needs at most; None for no limit.
    :param begin_time: not to be started before this; None for at once.
    :param outcome: what becomes of it when its run time is over.
    :param line: the line of the input that submitted it.
    :param eligible_time: when it last became pending, that is, free of holds,
        dependencies and begin time; None while it never was.
    :param queue_time: what the order of arrival goes by: its submission.
    :param held: whether a user or an operator holds it.
    :param not_before: when the delays of its dependencies are over.
    :param wake_time: when a waiting job is to be looked at again, if at a known time.
    :param planned_end: when its run time will be over, known to the simulator alone.
    :param remaining: what is left of its run time while it is suspended.
    :param cut_short: what its time limit takes off its run time, if limits are enforced.
    :param sched: its scheduling object.
    :param key: where it stands among the pending jobs.
    """

    id: str
    number: int
    index: int
    user: str
    queue: str
    project: str
    requirement: Requirement
    submit_time: Seconds
    run_time: Seconds | None = None
    time_limit: Seconds | None = None
    priority: int = 0
    begin_time: Seconds | None = None
    dependencies: tuple[Dependency, ...] = ()
    outcome: JobState = JobState.DONE
    line: int = 0

    state: JobState = JobState.PENDING
    eligible_time: Seconds | None = None
    start_time: Seconds | None = None
    end_time: Seconds | None = None
    allocation: Allocation | None = None
    reasons: Reasons | None = None
    reconstructed: bool = False
    held: bool = False
    requeues: int = 0
    not_before: Seconds | None = None
    wake_time: Seconds | None = None
    planned_end: Seconds | None = None
    remaining: Seconds | None = None
    cut_short: Seconds = 0
    sched: Resolution = UNRESOLVED
    key: tuple[object, ...] = ()

    @property
    def queue_time(self) -> Seconds:
        """When the job joined its queue: its first submission."""
        return self.submit_time
