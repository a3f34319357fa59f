"""The way from the scheduler to those who look on: who is told, and of which selections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xce_core.model.decisions import Dispatch
from xce_core.model.jobs import Job, Seconds
from xce_core.sched.announcer import Announcer, listeners
from xce_core.sched.facts import Selected
from xce_core.sched.faults import FAULTS, describe
from xce_core.sched.policy import HoldBack, NoDecision, Outcome, Session
from xce_core.sched.resolve import SchedulingObject
from xce_core.sched.scheduler import choice_text
from xce_core.sched.watch import WatchedAllocator

if TYPE_CHECKING:
    from xce_core.sched.scheduler import Scheduler


@dataclass(slots=True)
class Failures:
    """What plugins did wrong while they looked on, first of each kind first.

    :param report: told of each failure: plugin, hook, error in a line.
    """

    report: Callable[[str, str, str], None]

    def note(self, plugin: str, hook: str, error: BaseException) -> None:
        """*plugin* raised *error* in *hook*."""
        self.report(plugin, hook, describe(error))


class Seams:
    """The way from the scheduler to those who look on.

    :param hooks: as of :class:`Announcer`.
    :ivar announce: tells them.
    """

    def __init__(self, hooks: Any, failures: Failures) -> None:
        self.hooks = hooks
        self.failures = failures
        self.announce = Announcer(hooks, self.failed)
        self._position = 0
        self._askers = listeners(hooks, "xce_wants_watch")
        self._watching: list[tuple[str, Callable[[str], bool]]] = []
        self._allocator: WatchedAllocator | None = None

    def failed(self, plugin: str, hook: str, error: BaseException) -> None:
        """*plugin* raised in *hook*: it is reported, and the others are told."""
        self.failures.note(plugin, hook, error)
        if hook != "xce_watcher_failed":
            self.announce.watcher_failed(plugin, hook, describe(error))

    def session_begun(self, number: int, time: Seconds) -> None:
        """A session begins: selections are counted from 1."""
        self._position = 0
        self.announce.session_begun(number, time)
        self._watching = []
        for plugin, asked in self._askers:
            try:
                wants = asked(number)
            except FAULTS as error:
                self.failed(plugin, "xce_wants_watch", error)
            else:
                if wants is not None:
                    self._watching.append((plugin, wants))

    def session_ended(self, number: int, time: Seconds) -> None:
        """The session is over, or was broken off."""
        self._watching = []
        self.announce.session_ended(number, time)

    @property
    def watching(self) -> bool:
        """Whether any selection of the session in progress may be watched."""
        return bool(self._watching)

    def select(self, scheduler: Scheduler, choice: object, session: Session) -> Outcome:
        """Decide *choice*, announced step by step if anybody wants to watch it."""
        self._position += 1
        job = choice.job if isinstance(choice, HoldBack) else choice
        job_id = job.id if isinstance(job, Job) else choice_text(job)
        if self._wanted(job_id):
            return self._watched(scheduler, choice, session, job, job_id)
        return scheduler.decide(choice, session.time, scheduler.allocator)

    def _wanted(self, job_id: str) -> bool:
        """Whether anybody wants to watch a selection of *job_id*."""
        wanted = False
        for plugin, wants in self._watching:
            try:
                wanted = bool(wants(job_id)) or wanted
            except FAULTS as error:
                self.failed(plugin, "xce_wants_watch", error)
        return wanted

    def _watched(
        self, scheduler: Scheduler, choice: object, session: Session, job: object, job_id: str
    ) -> Outcome:
        facts = self._selected(scheduler, job, job_id, session)
        self.announce.selection_begun(facts, scheduler.cluster)
        watched = self._allocator
        if watched is None:  # there are seams of its own for each scheduler
            watched = self._allocator = WatchedAllocator(scheduler.allocator, self)
        known = job if isinstance(job, Job) else None
        try:
            outcome = scheduler.decide(choice, session.time, watched)
        except BaseException:
            broken = NoDecision(job_id, "internal error", "the selection was broken off")
            self.announce.selection_ended(broken, known, scheduler.cluster)
            raise
        self.announce.selection_ended(outcome, known, scheduler.cluster)
        return outcome

    def taken_over(self, scheduler: Scheduler, dispatch: Dispatch, session: int) -> None:
        """A dispatch was rebuilt from the recording."""
        self.announce.dispatch_taken_over(dispatch, session, scheduler.cluster)

    def _selected(
        self, scheduler: Scheduler, job: object, job_id: str, session: Session
    ) -> Selected:
        policy = scheduler.policy
        if not isinstance(job, Job) or scheduler.jobs.get(job.id) is not job:
            return Selected(job_id, session.number, session.time, self._position, policy.name)
        queue = scheduler.cluster.queues.get(job.queue)
        limits = None
        if isinstance(job.sched, SchedulingObject):
            limits = tuple([pair for pair in job.sched.limits if not pair[0].by_host])
        try:
            remarks = dict(policy.remarks(job, queue)) if queue is not None else {}
        except FAULTS as error:
            self.failed(policy.name, "remarks", error)
            remarks = {}
        return Selected(
            job_id,
            session.number,
            session.time,
            self._position,
            policy.name,
            job.queue,
            queue.priority if queue is not None else None,
            job.priority,
            job.queue_time,
            remarks,
            limits,
            True,
        )
