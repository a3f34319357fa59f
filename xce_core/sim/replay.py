"""A replay: drives the scheduler through a workload, one session after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Allocation, Dispatch, Pend
from xce_core.model.jobs import STARTED, Job, JobState, Seconds, canonical_seconds
from xce_core.sched.lifecycle import JobError
from xce_core.sched.policy import Outcome
from xce_core.sched.resolve import slots_held
from xce_core.sched.scheduler import Scheduler
from xce_core.sim.events import (
    Act,
    Event,
    HostChange,
    JobAct,
    JobChange,
    QueueChange,
    time_of,
)
from xce_core.sim.observer import Callbacks, Happening, Observer
from xce_core.sim.workload import InputError, Workload

if TYPE_CHECKING:
    from xce_core.sched.seams import Seams


class Replay(ABC):
    """What both timelines share; :class:`xce_core.sim.run.Run` makes the one that is asked for.

    A driver calls :meth:`advance` and, as long as it is true, runs through
    :meth:`outcomes`; between any two steps everything may be looked at.

    :param each: whether every refused job is told so by itself, with its reasons; False
        lets jobs alike be passed over, which changes no dispatch.
    :ivar number: the number of the current session, from 1.
    :ivar now: the time of the current session, in seconds.
    :ivar starting: whether the starting state is still being brought about.
    :ivar skipped: events that found their job in no state to obey, by cause.
    :ivar paused: to be set by whoever wants :meth:`advance` to come back between two events;
        it then gives False although the replay is not :attr:`finished`.
    :ivar pass_over: asked about a session that could only refuse again what was refused
        before, unless :attr:`each`: whether it is passed over. None passes over all.
    """

    def __init__(
        self,
        workload: Workload,
        scheduler: Scheduler,
        observers: tuple[Observer, ...],
        each: bool,
    ) -> None:
        self.workload = workload
        self.scheduler = scheduler
        self.observers = observers
        self.tell = Callbacks(observers)
        self.each = each
        self.number = workload.start.session
        self.now: Seconds = 0
        self.dispatched = 0
        self.events_done = 0
        self.skipped: Counter[str] = Counter()
        self.finished = False
        self.paused = False
        self.pass_over: Callable[[], bool] | None = None
        self.starting = True
        self._events = iter(workload.events())
        self._next_event: Event | None = None
        self._reconstructed: list[Dispatch] = []
        self._pended: set[str] = set()

    @property
    def cluster(self) -> Cluster:
        """The machine replayed on."""
        return self.scheduler.cluster

    @property
    def upcoming(self) -> Event | None:
        """The next event of the input; None at its end."""
        return self._next_event

    def begin(self) -> None:
        """Bring about the starting state. To be called once, first.

        :raises InputError: if the state contradicts itself.
        """
        start = self.workload.start
        self._next_event = next(self._events, None)
        if start.time is not None:
            self.now = start.time
        elif self._next_event is not None:
            self.now = time_of(self._next_event)
        holdings = dict(start.running)
        for tell in self.tell.begun:
            tell(self)
        for job in start.jobs:
            allocation = holdings.get(job.id)
            began, state = job.start_time, job.state
            eligible = job.eligible_time if job.eligible_time is not None else job.submit_time
            if allocation is None:
                self._enter(job)
            else:  # it runs already, whatever the cluster has room for
                self._submit(job)
            if job.eligible_time is not None:
                job.eligible_time = eligible
            if allocation is not None:
                self._reconstruct(job, allocation, job.line)
                job.start_time = began if began is not None else self.now
                self._run_on(job)
                if state is JobState.SUSPENDED:
                    self._suspend(job)
        self.starting = False

    @abstractmethod
    def advance(self) -> bool:
        """Let happen what happens before the next session; False if there is no other.

        It can be called again where it was paused.
        """

    def outcomes(self) -> Iterator[Outcome]:
        """The outcomes of the current session: dispatches taken over, then its own."""
        seams = self.scheduler.seams
        if seams is not None:
            return self._announced(seams)
        return self._outcomes()

    def _announced(self, seams: Seams) -> Iterator[Outcome]:
        """The outcomes, with begin and end of the session told, however it ends."""
        number, now = self.number, self.now
        seams.session_begun(number, now)
        try:
            yield from self._outcomes()
        finally:
            seams.session_ended(number, now)

    def _outcomes(self) -> Iterator[Outcome]:
        for tell_begin in self.tell.session:
            tell_begin(self.number, self.now)
        outcomes = self.scheduler.session(self.number, self.now, self.each)
        if self._reconstructed:
            outcomes = chain(self._reconstructions(), outcomes)
        self._pended.clear()
        tells = self.tell.decided
        for outcome in outcomes:
            if outcome.__class__ is Dispatch:
                self.dispatched += 1
                if not outcome.reconstructed:
                    self._running(outcome.job)
            if tells:
                changed = not self.each or self._changed(outcome)
                for tell in tells:
                    tell(outcome, changed)
            yield outcome
        for tell_end in self.tell.session_over:
            tell_end()

    def _changed(self, outcome: Outcome) -> bool:
        """Whether *outcome* tells of its job what was not told before; it is remembered.

        A policy may propose a job again in the same session: its first pend counts.
        """
        if isinstance(outcome, Pend):
            job = outcome.job
            if job.id in self._pended:
                return False
            self._pended.add(job.id)
            if outcome.reasons == job.reasons:
                return False
            job.reasons = outcome.reasons
        elif isinstance(outcome, Dispatch):
            outcome.job.reasons = None
        return True

    def _reconstructions(self) -> Iterator[Dispatch]:
        taken, self._reconstructed = self._reconstructed, []
        for dispatch in taken:
            if dispatch.job.state not in STARTED:
                continue  # of the starting state, and stopped before the first session
            if self.scheduler.seams is not None:
                self.scheduler.seams.taken_over(self.scheduler, dispatch, self.number)
            yield dispatch

    def _reconstruct(self, job: Job, allocation: Allocation, line: int) -> None:
        """Start *job* as the recording has it."""
        try:
            self._reconstructed.append(self.scheduler.reconstruct(job, allocation, self.now))
        except JobError as error:
            raise InputError(self.workload.path, line, str(error)) from None

    # Events.

    def _enter(self, job: Job) -> None:
        """A submission, which may be turned away."""
        self._submit(job)

    def _submit(self, job: Job) -> None:
        """A submission that is taken."""
        try:
            self.scheduler.submit(job, self.now)
        except JobError as error:
            raise InputError(self.workload.path, job.line, str(error)) from None
        for tell in self.tell.submitted:
            tell(job)

    def _apply(self, event: Event) -> None:
        """Let *event* happen."""
        self.events_done += 1
        if isinstance(event, Job):
            self._enter(event)
        elif isinstance(event, JobAct):
            self._act(event)
        elif isinstance(event, JobChange):
            self._change(event)
        elif isinstance(event, HostChange):
            self._host_change(event)
        elif isinstance(event, QueueChange):
            self.scheduler.set_queue(event.queue, event.is_open)
            self._tell(event)

    def _act(self, event: JobAct) -> None:
        job = self._job(event.job, event.line)
        if job is None:
            return
        try:
            self._obey(job, event.act)
        except JobError:
            self.skipped[f"{event.act.value} of a job that is {job.state.value}"] += 1
            return
        self._tell(event)

    def _obey(self, job: Job, act: Act) -> None:
        scheduler = self.scheduler
        if act is Act.KILL:
            self._over(job, JobState.KILLED, told=False)
        elif act is Act.HOLD:
            scheduler.hold(job)
        elif act is Act.RELEASE:
            scheduler.release(job, self.now)
        elif act is Act.SUSPEND:
            self._suspend(job)
        elif act is Act.RESUME:
            scheduler.resume(job)
            self._running(job)
        else:
            self._requeue(job)

    def _run_on(self, job: Job) -> None:
        """A job of the starting state runs for what is left of its run time."""
        assert job.start_time is not None
        if job.remaining is None and job.run_time is not None:
            run = canonical_seconds(job.run_time - (self.now - job.start_time))
            job.remaining = max(run, 0)
        self._running(job)

    def _suspend(self, job: Job) -> None:
        self.scheduler.suspend(job)
        if job.planned_end is not None:
            job.remaining = run_left(job, self.now)
            job.planned_end = None

    def _requeue(self, job: Job) -> None:
        began = job.start_time
        slots = slots_held(job) if job.state in STARTED else 0
        self.scheduler.requeue(job, self.now)
        job.reasons = job.planned_end = job.remaining = None
        assert began is not None
        for tell in self.tell.ran:
            tell(job, began, self.now, slots)

    def _change(self, event: JobChange) -> None:
        job = self._job(event.job, event.line)
        if job is None:
            return
        if event.priority is not None:
            job.priority = event.priority
        if event.queue is not None and job.state not in STARTED:
            job.queue = event.queue
        if event.time_limit is not None:
            job.time_limit = event.time_limit
            self._limit_changed(job)
        if event.begin_time is not None:
            job.begin_time = event.begin_time
        try:
            self.scheduler.modified(job, self.now)
        except JobError as error:
            raise InputError(self.workload.path, event.line, str(error)) from None
        self._tell(event)

    def _limit_changed(self, job: Job) -> None:
        """The time limit of *job* is another now."""

    def _host_change(self, event: HostChange) -> None:
        stranded = self.scheduler.set_hosts(event.hosts, event.state)
        self._tell(event)
        for tell in self.tell.capacity:
            tell(self.now, up_slots(self.scheduler))
        if event.state is HostState.DOWN:
            self._stranded(stranded)

    def _stranded(self, jobs: list[Job]) -> None:
        """Hosts of running *jobs* went down."""

    def _running(self, job: Job) -> None:
        """*job* runs from now on."""

    def _over(self, job: Job, state: JobState, told: bool = True, at_limit: bool = False) -> None:
        """*job* comes to its end now.

        :param told: False if the event that ended it is told of by itself.
        """
        if job.state in STARTED:
            assert job.start_time is not None
            began, slots = job.start_time, slots_held(job)
            self.scheduler.end(job, self.now, state)
            for tell in self.tell.ran:
                tell(job, began, self.now, slots)
        else:
            self.scheduler.end(job, self.now, state)
        for tell_over in self.tell.over:
            tell_over(job, told, at_limit)

    def _job(self, job_id: str, line: int) -> Job | None:
        """The job of this id; None, counted, if it is over already."""
        job = self.scheduler.jobs.get(job_id)
        if job is None:
            if not self.scheduler.was_submitted(job_id):
                what = f"job: job {job_id} was never submitted"
                raise InputError(self.workload.path, line, what)
            self.skipped["something done to a job that is over"] += 1
        return job

    def _tell(self, event: Happening) -> None:
        for tell in self.tell.happened:
            tell(event)

    def finish(self) -> None:
        """The replay ends here, with or without events left; whoever follows it is told."""
        if not self.finished:
            self.finished = True
            for tell in self.tell.finished:
                tell(self)


def run_left(job: Job, now: Seconds) -> Seconds:
    """What a running job has left of its run time, were there no time limit."""
    assert job.planned_end is not None
    return canonical_seconds(job.planned_end + job.cut_short - now)


def up_slots(scheduler: Scheduler) -> int:
    """The slots of all hosts that are not down."""
    down = scheduler.ledger.hosts.down
    return sum(
        host.capacity.get("slots", 0)
        for host in scheduler.cluster.hosts
        if not down >> host.index & 1
    )
