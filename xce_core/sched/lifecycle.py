"""The life cycle of jobs: every transition between their states, and all that it changes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Allocation, Dispatch
from xce_core.model.jobs import OVER, STARTED, UNRESOLVED, Job, JobState, Seconds, parse_job_id
from xce_core.sched.allocator import PluginFailure
from xce_core.sched.dependents import Dependents, Timers
from xce_core.sched.expected_ends import ExpectedEnds
from xce_core.sched.faults import FAULTS, describe
from xce_core.sched.history import KNOWN, REFUSED, History, past_of
from xce_core.sched.ledger import Ledger
from xce_core.sched.pending import Pending
from xce_core.sched.policy import Policy
from xce_core.sched.resolve import ResolveError, Resolver, SchedulingObject, by_member

_PENDING = JobState.PENDING
_RUNNING = JobState.RUNNING

Answer = TypeVar("Answer")


class JobError(Exception):
    """What was to be done to a job can't be: it is unknown, known already, or not so far."""


class Lifecycle:
    """Jobs, the state each is in, and what they hold.

    Whoever drives it says what happens and when; it keeps no clock and does no I/O.

    :ivar jobs: the jobs that are not over, by id.
    :ivar timers: those of them that wait for a time to come.
    :ivar running: those of them that hold an allocation, in the order of their start.
    :ivar strict: whether each queue goes strictly in order, as the policy says, by name.
    """

    def __init__(self, cluster: Cluster, policy: Policy) -> None:
        self.cluster = cluster
        self.policy = policy
        self.ledger = Ledger(cluster)
        self.pending = Pending()
        self.jobs: dict[str, Job] = {}
        self.running: dict[str, Job] = {}
        self.history = History()
        self.timers = Timers()
        self.open_queues = {name: queue.is_open for name, queue in cluster.queues.items()}
        self._resolver = Resolver(cluster, self.ledger)
        self._dependents = Dependents(self.jobs, self.history)
        self._ends: ExpectedEnds | None = None
        self.strict = self._ask_policy(
            "strict",
            lambda: {name: bool(policy.strict(queue)) for name, queue in cluster.queues.items()},
        )
        self._tells_start = type(policy).started is not Policy.started
        self._tells_end = type(policy).ended is not Policy.ended

    def _ask_policy(self, where: str, ask: Callable[[], Answer]) -> Answer:
        """What the policy answers.

        :raises PluginFailure: if it raises.
        """
        try:
            return ask()
        except FAULTS as error:
            raise PluginFailure(self.policy.name, where, describe(error)) from error

    @property
    def ends(self) -> ExpectedEnds:
        """The started jobs by expected end; kept up to date from the first time it is asked for."""
        if self._ends is None:
            self._ends = ExpectedEnds(self.running.values())
        return self._ends

    # Coming in.

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

    # Waiting.

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

    # Holding an allocation.

    def reconstruct(self, job: Job, allocation: Allocation, now: Seconds) -> Dispatch:
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

    def suspend(self, job: Job) -> None:
        """A running job stops and keeps what it holds.

        :raises JobError: if it is not running.
        """
        self._switch(job, JobState.RUNNING, JobState.SUSPENDED)

    def resume(self, job: Job) -> None:
        """A suspended job runs on.

        :raises JobError: if it is not suspended.
        """
        self._switch(job, JobState.SUSPENDED, JobState.RUNNING)

    def _switch(self, job: Job, before: JobState, after: JobState) -> None:
        if job.state is not before:
            raise JobError(f"job {job.id} is {job.state.value}, not {before.value}")
        job.state = after
        if self._ends is not None:
            self._ends.changed(job)

    def requeue(self, job: Job, now: Seconds) -> None:
        """A running job gives back what it holds and waits again, with its first submit time.

        :raises JobError: if it holds nothing.
        """
        if job.state not in STARTED:
            raise JobError(f"job {job.id} is {job.state.value}, not running")
        if self._tells_end:
            self._ask_policy("ended", lambda: self.policy.ended(job, now))
        self._leave(job)
        job.allocation = job.start_time = None
        job.reconstructed = False
        job.requeues += 1
        self._enter(job, now)

    # Ending.

    def end(self, job: Job, now: Seconds, state: JobState) -> None:
        """*job* is over, whatever state it was in."""
        if self._tells_end and job.state in STARTED:
            self._ask_policy("ended", lambda: self.policy.ended(job, now))
        self._leave(job)
        job.state = state
        job.end_time = now
        del self.jobs[job.id]
        self.history.over(job)
        if job.dependencies:
            self._dependents.forget(job)
        if self._dependents.any:
            self._notify_dependents(job, now)

    # The cluster.

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

    # Steps of these.

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
        strict = self.strict[job.queue]
        try:
            key = (*self.policy.key(job, self.cluster.queues[job.queue]), job.number, job.index)
            self.pending.add(job, key, job.queue if strict else job.sched, strict)
        except FAULTS as error:
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
            self._ask_policy("started", lambda: self.policy.started(job, now))
        if job.index >= 0:
            self.history.note(job.number, job.index, past_of(job))
        if self._dependents.any:
            self._notify_dependents(job, now)
        return Dispatch(job, allocation, job.reconstructed)

    def _notify_dependents(self, job: Job, now: Seconds) -> None:
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
