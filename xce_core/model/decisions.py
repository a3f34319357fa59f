"""Decisions: a dispatch with its allocation, or a pend with its reasons.

The values here are made for every job, hence named tuples: half the price of dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from xce_core.model.jobs import Job
from xce_core.model.reasons import Reasons


class Placement(NamedTuple):
    """Hosts that take the same number of tasks of one member.

    :param hosts: the mask of the hosts.
    :param tasks: tasks on each of them.
    :param member: index of the compound's member, from 0.
    :param first: True if this holds the member's first position, which also takes
        host amounts that are counted per job.
    """

    hosts: int
    tasks: int
    member: int = 0
    first: bool = False


class Allocation(NamedTuple):
    """What a running job holds.

    :param alternative: index of the alternative that was chosen, from 0.
    """

    placements: tuple[Placement, ...]
    alternative: int = 0

    @property
    def hosts(self) -> int:
        """The mask of all hosts of the job."""
        mask = 0
        for placement in self.placements:
            mask |= placement.hosts
        return mask

    @property
    def tasks(self) -> int:
        """The number of tasks on all hosts together."""
        return sum(p.tasks * p.hosts.bit_count() for p in self.placements)


class Dispatch(NamedTuple):
    """The job starts now.

    :param reconstructed: True if it was not decided here but taken over from the recording.
    """

    job: Job
    allocation: Allocation
    reconstructed: bool = False


class StaleReasonsError(RuntimeError):
    """Reasons of a pend were first asked for after the state they would describe had changed."""


class Pend:
    """The job does not start now.

    :attr:`reasons` are worked out when first read, so that a run in which nobody reads
    them does not pay for them. They are those of the instant of the decision: read them
    before the next decision is asked for.

    :param remark: of a policy that holds the job back although it might fit; None if it was
        refused.
    """

    __slots__ = ("_explain", "_reasons", "job", "remark")

    def __init__(
        self, job: Job, explain: Callable[[Job], Reasons], remark: str | None = None
    ) -> None:
        self.job = job
        self.remark = remark
        self._explain: Callable[[Job], Reasons] | None = explain
        self._reasons: Reasons | None = None

    @property
    def reasons(self) -> Reasons:
        """Why the job pends.

        :raises StaleReasonsError: if they are first read after the session has gone on.
        """
        if self._reasons is None:
            if self._explain is None:
                raise StaleReasonsError(f"the session went on since job {self.job.id} was refused")
            self._reasons = self._explain(self.job)
        return self._reasons

    def expire(self) -> None:
        """The session goes on: reasons not read by now are no longer to be had."""
        self._explain = None


Decision = Dispatch | Pend
