"""Scheduling policies: who is considered next. The base class is the core's own default."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xce_core.model.cluster import Queue
from xce_core.model.decisions import Decision
from xce_core.model.jobs import Job
from xce_core.sched.generators import PlanGenerator

if TYPE_CHECKING:
    from xce_core.sched.allocator import HostOrder
    from xce_core.sched.scheduler import Scheduler


@dataclass(frozen=True, slots=True)
class HoldBack:
    """A policy's word that a job is not to start now although it might fit.

    :param remark: what blocks it, in a few words.
    """

    job: Job
    remark: str


@dataclass(frozen=True, slots=True)
class NoDecision:
    """A selection that ended in no decision.

    :param job: the id that was selected.
    :param cause: a stable word: ``job not found``, ``no scheduling object``, ``internal error``.
    :param error: what happened, in a line; empty where the cause says all.
    """

    job: str
    cause: str
    error: str = ""


Selection = Job | HoldBack
Outcome = Decision | NoDecision
Election = Generator[Selection, Outcome | None, None]


class Session:
    """One scheduling pass, as a policy sees it. Everything here is to be read, not changed.

    :ivar number: counts sessions from 1.
    :ivar time: now, in seconds.
    :ivar each: True if every job that is refused is to be told so by itself, False if
        nobody needs to know, so that jobs alike may be passed over.
    """

    __slots__ = ("_scheduler", "each", "number", "time")

    def __init__(self, scheduler: Scheduler, number: int, time: float, each: bool) -> None:
        self._scheduler = scheduler
        self.number = number
        self.time = time
        self.each = each

    def in_order(self) -> Election:
        """The pending jobs by the policy's key, each to be proposed before the next is taken.

        What a refused job means for those behind it, strict queues and jobs alike, is
        seen to.
        """
        return self._scheduler.pending.in_order(self.each, self._scheduler.ledger)

    def pending(self) -> list[Job]:
        """All pending jobs by the policy's key."""
        return list(self._scheduler.pending.jobs())

    def running(self) -> list[Job]:
        """All jobs that hold an allocation, in the order in which they started."""
        return list(self._scheduler.running.values())


class Policy:
    """A scheduling policy; this one is plain submission order, and nobody stops anybody.

    Override :meth:`key` for an order that stands from submission to start; override
    :meth:`elect` for anything else.

    :cvar name: how users name it.
    """

    name = "submission"

    def key(self, job: Job, queue: Queue) -> tuple[object, ...]:
        """What the order goes by, smallest first; ties go by job id.

        Asked when the job becomes pending and when it is modified.
        """
        return (job.queue_time,)

    def strict(self, queue: Queue) -> bool:
        """Whether a job that can't start stops those behind it in *queue*."""
        return False

    def remarks(self, job: Job, queue: Queue) -> Mapping[str, str]:
        """The keys that put *job* where it is, by name, for those who ask why."""
        return {}

    def elect(self, session: Session) -> Election:
        """Propose jobs one by one; each ``yield`` gives the decision on the job proposed.

        Here that is ``for job in session.in_order(): decision = yield job``.
        """
        return session.in_order()

    def plan_generators(self) -> tuple[PlanGenerator, ...]:
        """Plan generators to be asked before the core's own."""
        return ()

    def host_order(self) -> HostOrder | None:
        """Which hosts go first, for every position; None for plain host order."""
        return None
