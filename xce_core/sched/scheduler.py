"""The scheduler: the sessions that decide pending jobs, and what may be asked about a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Allocation, Pend
from xce_core.model.jobs import Job, JobState, Seconds
from xce_core.model.reasons import Reason, ReasonCode, Reasons, reason_set
from xce_core.model.syntax import of_type
from xce_core.sched.allocator import Allocator, PluginFailure
from xce_core.sched.faults import FAULTS, describe
from xce_core.sched.feasibility import FeasibilityCheck
from xce_core.sched.generators import CORE_PLANS, PlanGenerator
from xce_core.sched.lifecycle import Lifecycle
from xce_core.sched.policy import HoldBack, NoDecision, Outcome, Policy, Session
from xce_core.sched.refusal import refusal_reasons
from xce_core.sched.resolve import SchedulingObject, by_member
from xce_core.sched.shadow import ShadowCluster

if TYPE_CHECKING:
    from xce_core.sched.seams import Seams

_PENDING = JobState.PENDING

_SELECTIONS_EACH, _SELECTIONS_MORE = 10, 1000
"""A session may have so many selections for each pending job, and so many more."""


class Scheduler(Lifecycle):
    """Decides, session by session, which pending job starts where.

    A session is a generator of outcomes, so that its caller sees the state right after each.

    :param report: told of each failure of plugin code; it must not raise.
    :ivar seams: who wants to look on; None if nobody can.
    """

    def __init__(
        self,
        cluster: Cluster,
        policy: Policy,
        generators: Sequence[PlanGenerator] = (),
        report: Callable[[PluginFailure], None] = lambda failure: None,
    ) -> None:
        super().__init__(cluster, policy)
        self.report = report
        self.seams: Seams | None = None
        own = self._ask_policy("plan_generators", lambda: tuple(policy.plan_generators()))
        order = self._ask_policy("host_order", policy.host_order)
        self._custom = bool(own or generators) or order is not None
        self.allocator = Allocator(
            self.ledger, (*own, *generators, CORE_PLANS), order, policy.name, report
        )
        self._reasoner = Allocator(self.ledger, (CORE_PLANS,), None, "core", report)
        self._passable = policy.passable or type(policy).elect is Policy.elect
        self._feasibility: FeasibilityCheck | None = None
        self._shadow: ShadowCluster | None = None

    # Sessions.

    def nothing_to_decide(self) -> bool:
        """Whether a session could only refuse again what was refused already."""
        return self._passable and not self.pending.has_candidates(self.ledger.releases)

    def session(self, number: int, now: Seconds, each: bool) -> Iterator[Outcome]:
        """Decide: one outcome a selection, each after its effect on the state.

        :param each: whether jobs that can only be refused again are to be told so too.
        :raises PluginFailure: if the policy raises, or its election does not end.
        """
        session = Session(self, number, now, each)
        left = self.pending.count * _SELECTIONS_EACH + _SELECTIONS_MORE
        try:
            election = self.policy.elect(session)
            send, close = election.send, election.close
        except FAULTS as error:
            raise PluginFailure(self.policy.name, "elect", describe(error)) from error
        plain = type(self.policy).elect is Policy.elect
        select = self._select
        if self.seams is not None and self.seams.watching:
            select = partial(self.seams.select, self)
        outcome: Outcome | None = None
        try:
            while True:
                try:
                    choice = send(outcome if plain or _listens(election) else None)
                except StopIteration:
                    break
                except FAULTS as error:
                    raise PluginFailure(self.policy.name, "elect", describe(error)) from error
                if outcome.__class__ is Pend:
                    outcome.expire()
                left -= 1
                if left < 0:
                    raise PluginFailure(self.policy.name, "elect", "proposes jobs without end")
                outcome = select(choice, session)
                yield outcome
        finally:
            try:
                close()
            except FAULTS as error:
                self.report(PluginFailure(self.policy.name, "elect", describe(error)))

    def _select(self, choice: object, session: Session) -> Outcome:
        """Decide what the policy chose, with nobody looking on."""
        return self.decide(choice, session.time, self.allocator)

    def decide(self, choice: object, now: Seconds, allocator: Allocator) -> Outcome:
        """The outcome of one selection, with its effect.

        :param choice: what the policy chose: a job, or a :class:`HoldBack`.
        """
        job = choice.job if isinstance(choice, HoldBack) else choice
        if not isinstance(job, Job):
            self.report(PluginFailure(self.policy.name, "elect", "proposed what is no job"))
            return NoDecision(choice_text(job), "job not found")
        if job.state is not _PENDING or self.jobs.get(job.id) is not job:
            self.report(PluginFailure(self.policy.name, "elect", "proposed a job not pending"))
            return NoDecision(job.id, "job not found", f"it is {job.state.value}, not pending")
        wanted = job.sched
        if not isinstance(wanted, SchedulingObject):
            return NoDecision(job.id, "no scheduling object")
        if choice is not job:
            remark = choice.remark if isinstance(choice, HoldBack) else ""
            return Pend(job, lambda job: _plain(ReasonCode.POLICY, remark), remark)
        try:
            allocation = self.allocation_for(wanted, allocator)
        except FAULTS as error:
            return NoDecision(job.id, "internal error", describe(error))
        if allocation is None:
            return Pend(job, self.reasons)
        self.pending.left()
        return self._start(job, allocation, now)

    def allocation_for(self, wanted: SchedulingObject, allocator: Allocator) -> Allocation | None:
        """Claim a place for *wanted*; None if it is refused.

        What was refused and has seen no release since is refused again without a search,
        unless somebody looks on: *allocator* is then not the scheduler's own.
        """
        releases = self.ledger.releases
        if wanted.refused_at == releases and allocator is self.allocator:
            return None
        if not self.open_queues[wanted.queue]:
            wanted.refused_at = releases
            return None
        allocation = allocator.allocate(wanted)
        if allocation is None and wanted.complete and not self._custom:
            wanted.refused_at = releases
        return allocation

    # What may be asked, beside what is proposed.

    def possible(self, job: Job) -> bool:
        """Whether an empty cluster with every host open could take *job*.

        :raises ResolveError: if it asks for something unknown.
        """
        wanted = job.sched
        if not isinstance(wanted, SchedulingObject):
            wanted = job.sched = self._resolver.resolve(job)
        if wanted.possible is None:
            wanted.possible = self.feasibility().passes(job)
        return wanted.possible

    def feasibility(self) -> FeasibilityCheck:
        """What tries jobs on an empty cluster."""
        if self._feasibility is None:
            self._feasibility = FeasibilityCheck(self.cluster, self.allocator)
        return self._feasibility

    def shadow(self) -> ShadowCluster:
        """The shadow cluster, as it was left."""
        if self._shadow is None:
            self._shadow = ShadowCluster(self.ledger, self.allocator)
        return self._shadow

    def would_get(self, job: Job) -> Allocation | None:
        """The allocation that *job* would be given now; None if it would be refused."""
        wanted = job.sched
        if not isinstance(wanted, SchedulingObject):
            return None
        allocation = self.allocation_for(wanted, self.allocator)
        if allocation is not None:
            for ask, placements in by_member(wanted, allocation):
                self.ledger.undo(ask, placements)
        return allocation

    def reasons(self, job: Job) -> Reasons:
        """Why *job* does not run, as things stand now."""
        wanted = job.sched
        if job.state is JobState.HELD:
            return _plain(ReasonCode.HELD)
        if job.state is JobState.WAITING:
            if not self._dependents.unmet(job):
                return _plain(ReasonCode.BEGIN_TIME)
            never = self._dependents.never_met(job)
            return _plain(ReasonCode.DEPENDENCY_NEVER if never else ReasonCode.DEPENDENCY)
        if not isinstance(wanted, SchedulingObject):
            return _plain(ReasonCode.NO_SCHEDULING_OBJECT)
        if not self.open_queues[wanted.queue]:
            return _plain(ReasonCode.QUEUE_CLOSED, wanted.queue)
        return self._refusal(wanted)

    def _refusal(self, wanted: SchedulingObject) -> Reasons:
        """Why *wanted* is refused: worked out once for all jobs alike, until anything changes."""
        known = wanted.refusal
        if known is None or known[0] != self.ledger.hosts.changes:
            reasons = refusal_reasons(wanted, self._reasoner)
            wanted.refusal = known = (self.ledger.hosts.changes, reasons)
        return known[1]


def _listens(election: object) -> bool:
    """Whether what *election* does now takes outcomes: a list in a ``yield from`` does not."""
    inner = getattr(election, "gi_yieldfrom", None)
    while inner is not None:
        if not hasattr(inner, "send"):
            return False
        inner = getattr(inner, "gi_yieldfrom", None)
    return True


def _plain(code: ReasonCode, name: str = "") -> Reasons:
    return reason_set(code, [Reason(code, name)])


def choice_text(choice: object) -> str:
    """What a policy chose that is no job, as a text, whatever it is."""
    try:
        return str(choice)[:100]
    except FAULTS:
        return of_type(choice)
