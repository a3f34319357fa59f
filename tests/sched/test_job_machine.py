"""Any sequence of what can happen to jobs, held against a plain record of it."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from tests.builders import FirstCome, a_job, after, on_host, started
from tests.sched.books import Books, entries, entries_of
from tests.sched.worlds import ANY, clusters, primaries
from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Dispatch, Pend
from xce_core.model.jobs import STARTED, Dependency, DependsOn, Job, JobState, parse_job_id
from xce_core.model.requests import Primary
from xce_core.sched.scheduler import Scheduler

NUMBERS = 8
ARRAYS = {6: 2, 7: 3}
"""Jobs have numbers below; those named here are arrays of so many elements."""

which = st.integers(0, 20)


@st.composite
def dependencies(draw: st.DrawFn) -> tuple[Dependency, ...]:
    """A job, an array or an element to wait for; with a delay only where it is unambiguous."""
    some = draw(st.lists(st.integers(0, NUMBERS - 1), max_size=2, unique=True))
    return tuple(
        after(draw(st.sampled_from(names(number))), draw(st.sampled_from(DependsOn)))
        for number in some
    )


def names(number: int) -> list[str]:
    """What a dependency may call a job or an array."""
    return [str(number), *(f"{number}[{index}]" for index in range(ARRAYS.get(number, 0)))]


class Jobs(RuleBasedStateMachine):
    """C6: a scheduler, and what a plain record says of each job."""

    @initialize(cluster=clusters(ANY))
    def begin(self, cluster: Cluster) -> None:
        self.scheduler = Scheduler(cluster, FirstCome())
        self.all: dict[str, Job] = {}
        self.once_started: set[str] = set()
        self.over: dict[str, JobState] = {}
        self.now = 0
        self.sessions = 0

    # What can happen.

    @rule(
        number=st.integers(0, NUMBERS - 1),
        wants=st.lists(primaries(), min_size=1, max_size=2),
        needs=dependencies(),
        begin=st.sampled_from([None, None, None, 2, 5]),
        queue=st.sampled_from(["normal", "night"]),
        held=st.sampled_from([False, False, False, True]),
    )
    def submit(
        self,
        number: int,
        wants: list[Primary],
        needs: tuple[Dependency, ...],
        begin: int | None,
        queue: str,
        held: bool,
    ) -> None:
        if str(number) in self.all or f"{number}[0]" in self.all:
            return
        for name in names(number)[1:] or [str(number)]:
            job = a_job(
                name, wants[0] if len(wants) == 1 else tuple(wants), at=self.now, queue=queue
            )
            job.dependencies = tuple(n for n in needs if parse_job_id(n.job)[0] != number)
            job.held = held
            job.begin_time = None if begin is None else self.now + begin
            self.all[name] = job
            self.scheduler.submit(job, self.now)

    @rule(gap=st.integers(0, 3), each=st.booleans())
    def session(self, gap: int, each: bool) -> None:
        self.now += gap
        self.sessions += 1
        self.scheduler.wake(self.now)
        for outcome in self.scheduler.session(self.sessions, self.now, each):
            assert isinstance(outcome, Dispatch | Pend)
            if isinstance(outcome, Dispatch):
                self.once_started.add(outcome.job.id)
            else:
                assert outcome.reasons.entries
        self.scheduler.wake(self.now)

    def one_of(self, which: int, *states: JobState) -> Job | None:
        jobs = [job for job in self.scheduler.jobs.values() if job.state in states]
        return jobs[which % len(jobs)] if jobs else None

    @rule(which=which, state=st.sampled_from([JobState.DONE, JobState.FAILED]))
    def end(self, which: int, state: JobState) -> None:
        job = self.one_of(which, JobState.RUNNING)
        if job is not None:
            self.finish(job, state)

    @rule(which=which)
    def kill(self, which: int) -> None:
        job = self.one_of(which, *JobState)
        if job is not None:
            self.finish(job, JobState.KILLED)

    def finish(self, job: Job, state: JobState) -> None:
        self.scheduler.end(job, self.now, state)
        self.over[job.id] = state

    @rule(which=which)
    def requeue(self, which: int) -> None:
        job = self.one_of(which, *STARTED)
        if job is not None:
            submitted, requeues = job.submit_time, job.requeues
            self.scheduler.requeue(job, self.now)
            assert (job.submit_time, job.requeues) == (submitted, requeues + 1)
            assert job.state not in STARTED

    @rule(which=which)
    def hold(self, which: int) -> None:
        job = self.one_of(which, *JobState)
        if job is not None:
            self.scheduler.hold(job)

    @rule(which=which)
    def release(self, which: int) -> None:
        job = self.one_of(which, JobState.HELD)
        if job is not None:
            self.scheduler.release(job, self.now)

    @rule(which=which)
    def suspend_or_resume(self, which: int) -> None:
        job = self.one_of(which, *STARTED)
        if job is not None and job.state is JobState.RUNNING:
            self.scheduler.suspend(job)
        elif job is not None:
            self.scheduler.resume(job)

    @rule(which=which, priority=st.integers(-1, 1), begin=st.sampled_from([None, 0, 3]))
    def modify(self, which: int, priority: int, begin: int | None) -> None:
        job = self.one_of(which, *JobState)
        if job is not None:
            job.priority = priority
            job.begin_time = None if begin is None else self.now + begin
            self.scheduler.modified(job, self.now)

    @rule(which=which, state=st.sampled_from(HostState))
    def change_host(self, which: int, state: HostState) -> None:
        host = which % len(self.scheduler.cluster.hosts)
        told = self.scheduler.set_hosts(1 << host, state)
        assert told == [
            job
            for job in self.scheduler.running.values()
            if job.allocation is not None and job.allocation.hosts >> host & 1
        ]
        assert self.scheduler.ledger.state_of(host) is state

    @rule(name=st.sampled_from(["normal", "night"]), is_open=st.booleans())
    def change_queue(self, name: str, is_open: bool) -> None:
        self.scheduler.set_queue(name, is_open)

    # What always holds.

    @invariant()
    def nothing_is_overdrawn_and_the_ledger_is_right(self) -> None:
        books = Books(self.scheduler.cluster, self.scheduler.running.values())
        assert not books.overdrawn()
        assert all(amount > 0 for amount in entries(self.scheduler).values())
        assert entries(self.scheduler) == entries_of(books)

    @invariant()
    def the_pending_are_those_in_line(self) -> None:
        pending = [job for job in self.all.values() if job.state is JobState.PENDING]
        assert self.scheduler.pending.count == len(pending)
        line = list(self.scheduler.pending.jobs())
        assert len(line) == len(pending)
        assert set(map(id, line)) == set(map(id, pending))

    @invariant()
    def the_running_are_those_that_started(self) -> None:
        running = [job.id for job in self.all.values() if job.state in STARTED]
        assert sorted(self.scheduler.running) == sorted(running)
        assert all(self.all[job_id].allocation for job_id in running)
        starts = [job.start_time for job in self.scheduler.running.values()]
        assert starts == sorted(starts)

    @invariant()
    def each_job_is_where_it_belongs(self) -> None:
        for job in self.all.values():
            if job.id in self.over:
                assert job.state is self.over[job.id]
                assert job.id not in self.scheduler.jobs
            elif job.state not in STARTED:
                assert job.state is self.expected(job), job
                assert self.scheduler.reasons(job).entries

    def expected(self, job: Job) -> JobState:
        """Where a job that holds nothing belongs."""
        if job.held:
            return JobState.HELD
        if not all(self.met(needed) for needed in job.dependencies):
            return JobState.WAITING
        if job.begin_time is not None and job.begin_time > self.now:
            return JobState.WAITING
        return JobState.PENDING

    def met(self, needed: Dependency) -> bool:
        """Whether all that *needed* names are known and got where they have to."""
        number, index = parse_job_id(needed.job)
        found = [
            job
            for job in self.all.values()
            if job.number == number and index in (-1, job.index)
        ]
        return bool(found) and all(self.got(job, needed.when) for job in found)

    def got(self, job: Job, when: DependsOn) -> bool:
        if when is DependsOn.STARTED:
            return job.id in self.once_started
        state = self.over.get(job.id)
        return state is not None if when is DependsOn.ENDED else state is JobState.DONE


class Overdrawn(Jobs):
    """C4, S4: the same with dispatches taken over, which may overdraw whatever they like."""

    @precondition(lambda self: self.all)
    @rule(which=which, host=which, tasks=st.integers(1, 3))
    def reconstruct(self, which: int, host: int, tasks: int) -> None:
        job = self.one_of(which, JobState.HELD, JobState.WAITING, JobState.PENDING)
        if job is not None and len(job.requirement.alternatives[0].members) == 1:
            allocation = on_host(host % len(self.scheduler.cluster.hosts), tasks)
            dispatch = self.scheduler.reconstruct(job, allocation, self.now)
            assert started([dispatch]) == [job.id]
            self.once_started.add(job.id)
            self.scheduler.wake(self.now)

    @invariant()
    def nothing_is_overdrawn_and_the_ledger_is_right(self) -> None:
        cluster = self.scheduler.cluster
        own = [job for job in self.scheduler.running.values() if not job.reconstructed]
        assert not Books(cluster, own).overdrawn()


TestJobs = Jobs.TestCase
TestJobs.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestOverdrawn = Overdrawn.TestCase
TestOverdrawn.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
