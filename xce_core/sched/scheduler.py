"""The scheduler: a passive state machine of jobs, and the sessions that decide them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Allocation, Dispatch, Pend
from xce_core.model.jobs import OVER, STARTED, UNRESOLVED, Job, JobState, Seconds, parse_job_id
from xce_core.model.reasons import Reason, ReasonCode, Reasons, reason_set
from xce_core.sched.allocator import Allocator, PluginFailure, describe
from xce_core.sched.dependents import Dependents, Timers
from xce_core.sched.forecast import Ends, Twin
from xce_core.sched.generators import CORE_PLANS, PlanGenerator
from xce_core.sched.history import KNOWN, REFUSED, History, past_of
from xce_core.sched.ledger import Ledger
from xce_core.sched.pending import Pending
from xce_core.sched.policy import HoldBack, NoDecision, Outcome, Policy, Session
from xce_core.sched.refusal import refusal_reasons
from xce_core.sched.resolve import ResolveError, Resolver, SchedulingObject, by_member

if TYPE_CHECKING:
    from xce_core.sched.seams import Seams


_PENDING = JobState.PENDING
_RUNNING = JobState.RUNNING

_SELECTIONS_EACH, _SELECTIONS_MORE = 10, 1000
"""A session may have so many selections for each pending job, and so many more."""

Found = TypeVar("Found")


class JobError(Exception):
    """What was to be done to a job can't be: it is unknown, known already, or not so far."""


class Scheduler:
    """Jobs, their states and what they hold.

    Whoever drives it says what happens and when; it keeps no clock and does no I/O. A
    session is a generator of outcomes, so that its caller sees the state right after each.

    :param report: told of each failure of plugin code; it must not raise.
    :ivar jobs: the jobs that are not over, by id.
    :ivar timers: those of them that wait for a time to come.
    :ivar running: those of them that hold an allocation, in the order of their start.
    :ivar seams: who wants to look on; None if nobody can.
    """

    def __init__(
        self,
        cluster: Cluster,
        policy: Policy,
        generators: Sequence[PlanGenerator] = (),
        report: Callable[[PluginFailure], None] = lambda failure: None,
    ) -> None:
        self.cluster = cluster
        self.policy = policy
        self.report = report
        self.ledger = Ledger(cluster)
        self.pending = Pending()
        self.jobs: dict[str, Job] = {}
        self.running: dict[str, Job] = {}
        self.history = History()
        self.open_queues = {name: queue.is_open for name, queue in cluster.queues.items()}
        self.seams: Seams | None = None
        own = self._of_policy("plan_generators", lambda: tuple(policy.plan_generators()))
        order = self._of_policy("host_order", policy.host_order)
        self._custom = bool(own or generators) or order is not None
        self.allocator = Allocator(
            self.ledger, (*own, *generators, CORE_PLANS), order, policy.name, report
        )
        self._reasoner = Allocator(self.ledger, (CORE_PLANS,), None, "core", report)
        self._resolver = Resolver(cluster, self.ledger)
        self._empty: Emptiness | None = None
        self._strict = self._of_policy(
            "strict",
            lambda: {name: bool(policy.strict(queue)) for name, queue in cluster.queues.items()},
        )
        self._dependents = Dependents(self.jobs, self.history)
        self.timers = Timers()
        self._passable = policy.passable or type(policy).elect is Policy.elect
        self._tells_start = type(policy).started is not Policy.started
        self._tells_end = type(policy).ended is not Policy.ended
        self._ends: Ends | None = None
        self._twin: Twin | None = None

    def _of_policy(self, where: str, ask: Callable[[], Found]) -> Found:
        """What the policy answers.

        :raises PluginFailure: if it raises.
        """
        try:
            return ask()
        except Exception as error:
            raise PluginFailure(self.policy.name, where, describe(error)) from error

    # What happens to jobs.

    def submit(self, job: Job, now: Seconds) -> None:
        """A job that nobody has seen before comes in.

        :raises JobError: if its id was used before, its number is that of an array and it is
            no element, or the other way round, or there is no such queue.
        """
        self._check_new(job)
        if job.queue not in self.cluster.queues:
            raise JobError(f"queue {job.queue} is not known")
        self.jobs[job.id] = job
        if job.index >= 0:
            self.history.note(job.number, job.index, past_of(job))
        if job.sched is UNRESOLVED:
            with suppress(ResolveError):
                job.sched = self._resolver.resolve(job)
        if job.dependencies and job.not_before is None:
            job.not_before = self._dependents.delays_begun(job)
        self._enter(job, now)

    def refuse(self, job: Job) -> None:
        """A job that nobody has seen before is turned away; who waits for it waits in vain.

        :raises JobError: as of :meth:`submit`, for its id.
        """
        self._check_new(job)
        self.history.note(job.number, job.index, KNOWN | REFUSED)

    def _check_new(self, job: Job) -> None:
        history, number = self.history, job.number
        if job.id in self.jobs or history.of(number, job.index):
            if job.index < 0 and history.is_array(number):
                raise JobError(f"job {number} can't be: {number} is an array")
            raise JobError(f"job {job.id} was submitted before")
        if job.index >= 0 and not history.is_array(number) and self.was_submitted(str(number)):
            raise JobError(f"job {job.id} can't be: job {number} is no array")

    def was_submitted(self, job_id: str) -> bool:
        """Whether a job of this id ever came in.

        :raises ValueError: if *job_id* is no job id.
        """
        return job_id in self.jobs or bool(self.history.of(*parse_job_id(job_id)))

    def possible(self, job: Job) -> bool:
        """Whether an empty cluster with every host open could take *job*.

        :raises ResolveError: if it asks for something unknown.
        """
        wanted = job.sched
        if not isinstance(wanted, SchedulingObject):
            wanted = job.sched = self._resolver.resolve(job)
        if wanted.possible is None:
            if self._empty is None:
                self._empty = Emptiness(self.cluster, self.allocator)
            wanted.possible = self._empty.takes(job)
        return wanted.possible

    def end(self, job: Job, now: Seconds, state: JobState) -> None:
        """*job* is over, whatever state it was in."""
        if self._tells_end and job.state in STARTED:
            self._of_policy("ended", lambda: self.policy.ended(job, now))
        self._leave(job)
        job.state = state
        job.end_time = now
        del self.jobs[job.id]
        self.history.over(job)
        if job.dependencies:
            self._dependents.forget(job)
        if self._dependents.any:
            self._got_on(job, now)

    def requeue(self, job: Job, now: Seconds) -> None:
        """A running job gives back what it holds and waits again, with its first submit time.

        :raises JobError: if it holds nothing.
        """
        if job.state not in STARTED:
            raise JobError(f"job {job.id} is {job.state.value}, not running")
        if self._tells_end:
            self._of_policy("ended", lambda: self.policy.ended(job, now))
        self._leave(job)
        job.allocation = job.start_time = None
        job.reconstructed = False
        job.requeues += 1
        self._enter(job, now)

    def hold(self, job: Job) -> None:
        """A waiting or pending job is held; a started one when it is requeued."""
        job.held = True
        if job.state in (JobState.PENDING, JobState.WAITING):
            self._leave(job)
            job.state = JobState.HELD

    def release(self, job: Job, now: Seconds) -> None:
        """A held job may go on."""
        job.held = False
        if job.state is JobState.HELD:
            self._enter(job, now)

    def suspend(self, job: Job) -> None:
        """A running job stops and keeps what it holds.

        :raises JobError: if it is not running.
        """
        if job.state is not JobState.RUNNING:
            raise JobError(f"job {job.id} is {job.state.value}, not running")
        job.state = JobState.SUSPENDED
        if self._ends is not None:
            self._ends.changed(job)

    def resume(self, job: Job) -> None:
        """A suspended job runs on.

        :raises JobError: if it is not suspended.
        """
        if job.state is not JobState.SUSPENDED:
            raise JobError(f"job {job.id} is {job.state.value}, not suspended")
        job.state = JobState.RUNNING
        if self._ends is not None:
            self._ends.changed(job)

    def modified(self, job: Job, now: Seconds) -> None:
        """Fields of *job* that place it among the others were changed.

        :raises JobError: if there is no such queue.
        """
        if job.state in STARTED and self._ends is not None:
            self._ends.changed(job)
        if job.state in STARTED or job.state in OVER:
            return
        if job.queue not in self.cluster.queues:
            raise JobError(f"queue {job.queue} is not known")
        eligible = job.eligible_time if job.state is _PENDING else None
        self._leave(job)
        job.sched = UNRESOLVED
        with suppress(ResolveError):
            job.sched = self._resolver.resolve(job)
        self._enter(job, now)
        if job.state is _PENDING and eligible is not None:
            job.eligible_time = eligible

    def set_hosts(self, hosts: int, state: HostState) -> list[Job]:
        """Put *hosts* (a mask) into *state*; the jobs that hold any of them, by start."""
        self.ledger.set_hosts(hosts, state)
        return [
            job
            for job in self.running.values()
            if job.allocation is not None and job.allocation.hosts & hosts
        ]

    def set_queue(self, name: str, is_open: bool) -> None:
        """Open or close a queue."""
        self.open_queues[name] = is_open
        self.ledger.releases += 1

    def take_over(self, job: Job, allocation: Allocation, now: Seconds) -> Dispatch:
        """Start *job* with *allocation*, fit or not, because the recording has it so.

        :raises JobError: if it holds an allocation, or *allocation* does not suit what it
            asks for.
        """
        wanted = job.sched
        if job.state in STARTED or not isinstance(wanted, SchedulingObject):
            raise JobError(f"job {job.id} is {job.state.value} and can't be taken over")
        if allocation.alternative >= len(wanted.alternatives) or any(
            placement.member >= len(wanted.alternatives[allocation.alternative])
            for placement in allocation.placements
        ):
            raise JobError(f"job {job.id} has no such alternative or member")
        self._leave(job)
        for ask, placements in by_member(wanted, allocation):
            self.ledger.claim(ask, placements)
        job.reconstructed = True
        return self._start(job, allocation, now)

    # Sessions.

    def wake(self, now: Seconds) -> bool:
        """Jobs whose time has come by *now* become pending; whether there were any."""
        woken = False
        for due, job in self.timers.due(now):
            # It may have been set twice, or for a begin time that was changed since.
            if job.state is JobState.WAITING and due == job.wake_time:
                self._enter(job, now)
                if job.state is _PENDING:
                    job.eligible_time = due  # though the session comes later
                    woken = True
        return woken

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
        except Exception as error:
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
                except Exception as error:
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
            except Exception as error:
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
            return Pend(job, _held_back(choice))
        try:
            allocation = self.allocation_for(wanted, allocator)
        except Exception as error:
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

    # What policies ask, beside what they propose.

    @property
    def ends(self) -> Ends:
        """The started jobs by expected end; kept up to date from the first time it is asked for."""
        if self._ends is None:
            self._ends = Ends(self.running.values())
        return self._ends

    def twin(self) -> Twin:
        """The second ledger, as it was left."""
        if self._twin is None:
            self._twin = Twin(self.ledger, self.allocator)
        return self._twin

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
            hopeless = self._dependents.hopeless(job)
            return _plain(ReasonCode.DEPENDENCY_NEVER if hopeless else ReasonCode.DEPENDENCY)
        if not isinstance(wanted, SchedulingObject):
            return _plain(ReasonCode.NO_SCHEDULING_OBJECT)
        if not self.open_queues[wanted.queue]:
            return _plain(ReasonCode.QUEUE_CLOSED, wanted.queue)
        return self._refusal(wanted)

    def _refusal(self, wanted: SchedulingObject) -> Reasons:
        """Why *wanted* is refused: worked out once for all jobs alike, until anything changes."""
        told = wanted.told
        if told is None or told[0] != self.ledger.hosts.changes:
            reasons = refusal_reasons(wanted, self._reasoner)
            wanted.told = told = (self.ledger.hosts.changes, reasons)
        return told[1]

    # Transitions.

    def _enter(self, job: Job, now: Seconds) -> None:
        """Put a job that holds nothing where it belongs: held, waiting or pending."""
        if job.held:
            job.state = JobState.HELD
            return
        if job.dependencies and self._dependents.unmet(job):
            job.state = JobState.WAITING
            self._dependents.watch(job)
            return
        until = job.begin_time
        if job.not_before is not None and (until is None or job.not_before > until):
            until = job.not_before
        if until is not None and until > now:
            job.state = JobState.WAITING
            self.timers.set(until, job)
            return
        strict = self._strict[job.queue]
        try:
            key = (*self.policy.key(job, self.cluster.queues[job.queue]), job.number, job.index)
            self.pending.add(job, key, job.queue if strict else job.sched, strict)
        except Exception as error:
            raise PluginFailure(self.policy.name, "key", describe(error)) from error
        job.state = _PENDING
        job.eligible_time = now

    def _leave(self, job: Job) -> None:
        """Take a job out of where it is, with all that it holds."""
        if job.state is _PENDING:
            self.pending.left()
            job.key = ()
        elif job.state in STARTED:
            assert job.allocation is not None
            assert isinstance(job.sched, SchedulingObject)
            for ask, placements in by_member(job.sched, job.allocation):
                self.ledger.release(ask, placements)
            del self.running[job.id]
            if self._ends is not None:
                self._ends.remove(job)

    def _start(self, job: Job, allocation: Allocation, now: Seconds) -> Dispatch:
        job.state = _RUNNING
        job.start_time = now
        job.allocation = allocation
        self.running[job.id] = job
        if self._ends is not None:
            self._ends.add(job)
        if self._tells_start:
            self._of_policy("started", lambda: self.policy.started(job, now))
        if job.index >= 0:
            self.history.note(job.number, job.index, past_of(job))
        if self._dependents.any:
            self._got_on(job, now)
        return Dispatch(job, allocation, job.reconstructed)

    def _got_on(self, job: Job, now: Seconds) -> None:
        """Whoever waited for *job* to get where it is now may go on."""
        for waiting in self._dependents.of(job.number):
            until = self._dependents.delay_for(waiting, job, now)
            if waiting.not_before is None or until > waiting.not_before:
                waiting.not_before = until
            if waiting.state is JobState.WAITING and not self._dependents.unmet(waiting):
                self._dependents.forget(waiting)
                if job.end_time is not None:
                    self._enter(waiting, now)
                else:  # a session is going on, in whose order nobody may come in: it is the next's
                    self.timers.set(now, waiting)


class Emptiness:
    """An empty copy of the cluster, to tell what could never run."""

    def __init__(self, cluster: Cluster, allocator: Allocator) -> None:
        ledger = Ledger(cluster)
        ledger.set_hosts(cluster.all_hosts, HostState.OPEN)
        self._resolver = Resolver(cluster, ledger)
        self._allocator = Allocator(
            ledger, allocator.generators, allocator.host_order, allocator.order_name,
            allocator.report,
        )

    def takes(self, job: Job) -> bool:
        """Whether *job* fits when nothing else is there.

        :raises ResolveError: if it asks for something unknown.
        """
        wanted = self._resolver.resolve(job)
        allocation = self._allocator.allocate(wanted)
        if allocation is None:
            return False
        for ask, placements in by_member(wanted, allocation):
            self._allocator.ledger.release(ask, placements)
        return True


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
    except Exception:
        return f"a {type(choice).__name__}"


def _held_back(choice: object) -> Callable[[Job], Reasons]:
    remark = choice.remark if isinstance(choice, HoldBack) else ""
    return lambda job: _plain(ReasonCode.POLICY, remark)
