"""Scheduling policies: who is considered next. The base class is the core's own default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xce_core.model.cluster import Queue
from xce_core.model.jobs import Job, Seconds
from xce_core.sched.generators import PlanGenerator
from xce_core.sched.outcomes import Election as Election
from xce_core.sched.outcomes import HoldBack as HoldBack
from xce_core.sched.outcomes import NoDecision as NoDecision
from xce_core.sched.outcomes import Outcome as Outcome
from xce_core.sched.outcomes import Selection as Selection
from xce_core.sched.session import Session as Session

if TYPE_CHECKING:
    from xce_core.sched.allocator import HostOrder


class Policy:
    """A scheduling policy; this one is plain submission order, and nobody stops anybody.

    Override :meth:`key` for an order that stands from submission to start; override
    :meth:`elect` for anything else.

    :cvar name: how users name it.
    :cvar passable: whether sessions may pass by without :meth:`elect` being called where
        nobody needs to be told of refusals, and nobody pends but jobs alike to such as were
        refused since something was last released. Say True unless :meth:`elect` must see
        every session, to count or to remember something.
    """

    name = "submission"
    passable = False

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

        Here that is ``for job in session.in_order(): decision = yield job``. A job that
        pends may be proposed again in the same session; who follows the replay is told of
        its first pend as the session's, and of its dispatch if there is one.
        """
        return session.in_order()

    def started(self, job: Job, now: Seconds) -> None:
        """Told when *job* has been given its allocation, by a decision or by the recording."""

    def ended(self, job: Job, now: Seconds) -> None:
        """Told when a started *job* is about to give its allocation back."""

    def plan_generators(self) -> tuple[PlanGenerator, ...]:
        """Plan generators to be asked before the core's own."""
        return ()

    def host_order(self) -> HostOrder | None:
        """Which hosts go first, for every position; None for plain host order."""
        return None
