"""What happens to a cluster over time, as a recording or a log tells it.

A submission is the :class:`~xce_core.model.jobs.Job` itself; every other event is one of
the values here. All are given in time order.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from xce_core.model.cluster import HostState
from xce_core.model.decisions import Allocation
from xce_core.model.jobs import Job, JobState, Seconds
from xce_core.model.reasons import Reasons


@dataclass(frozen=True, slots=True)
class Recorded:
    """A decision as the recording has it.

    :param allocation: what the job got; None if it pended.
    :param reasons: why it pended; None for a dispatch.
    :param line: where the recording says so.
    """

    job: str
    allocation: Allocation | None
    reasons: Reasons | None
    reconstructed: bool
    line: int


@dataclass(frozen=True, slots=True)
class SessionMark:
    """A scheduling pass took place, with these decisions."""

    time: Seconds
    number: int
    decisions: tuple[Recorded, ...]
    line: int


@dataclass(frozen=True, slots=True)
class JobEnd:
    """A job came to its end; *state* is what became of it."""

    time: Seconds
    job: str
    state: JobState
    line: int


class Act(Enum):
    """What a user or an operator can do to a job."""

    KILL = "kill"
    HOLD = "hold"
    RELEASE = "release"
    SUSPEND = "suspend"
    RESUME = "resume"
    REQUEUE = "requeue"


@dataclass(frozen=True, slots=True)
class JobAct:
    """Somebody did something to a job."""

    time: Seconds
    job: str
    act: Act
    line: int


@dataclass(frozen=True, slots=True)
class JobChange:
    """Fields of a job were modified; None leaves a field as it is."""

    time: Seconds
    job: str
    priority: int | None
    queue: str | None
    time_limit: Seconds | None
    begin_time: Seconds | None
    line: int


@dataclass(frozen=True, slots=True)
class HostChange:
    """Hosts, as a mask, changed their state."""

    time: Seconds
    hosts: int
    state: HostState
    line: int


@dataclass(frozen=True, slots=True)
class QueueChange:
    """A queue was opened or closed."""

    time: Seconds
    queue: str
    is_open: bool
    line: int


Event = Job | SessionMark | JobEnd | JobAct | JobChange | HostChange | QueueChange


def time_of(event: Event) -> Seconds:
    """When *event* happened."""
    return event.submit_time if event.__class__ is Job else event.time  # type: ignore[union-attr]
