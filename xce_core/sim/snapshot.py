"""A snapshot: a recording whose starting state is the present of a replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import dropwhile, islice
from typing import TextIO

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Dependency, Job, format_job_id, parse_job_id
from xce_core.sched.history import NEEDED, past_of
from xce_core.sched.scheduler import Scheduler
from xce_core.sim.events import (
    Event,
    JobAct,
    JobChange,
    JobEnd,
    QueueChange,
    Recorded,
    SessionMark,
    time_of,
)
from xce_core.sim.recorded import RecordedReplay
from xce_core.sim.recording_header import Pends
from xce_core.sim.replay import Replay
from xce_core.sim.workload import Timeline, Workload
from xce_core.sim.writer import RecordingWriter


def write_snapshot(replay: Replay, again: Workload, stream: TextIO, due: bool) -> None:
    """Write what is there and what is still to happen; replaying that goes on from here.

    It holds no recorded pends: which of them are news depends on what was told before.

    :param again: the replay's input, opened once more.
    :param due: whether a session is about to begin. None may be in progress.
    :raises InputError: for a fault in the rest of the input.
    """
    recorded = isinstance(replay, RecordedReplay)
    writer = RecordingWriter(
        stream,
        present_cluster(replay.scheduler),
        Timeline.RECORDED if recorded else Timeline.SIMULATED,
        replay.scheduler.policy.name,
        getattr(replay.workload, "time_zone", None),
        Pends.NONE,
    )
    jobs = [_without_past(job, replay.scheduler) for job in _jobs(replay.scheduler)]
    # On the simulated timeline a starting state has a session of its own.
    repeated = not recorded and bool(jobs) and _last_is_repeated(replay)
    writer.header(replay.now, replay.number - (due or repeated))
    for job in jobs:
        writer.start_job(job)
    rest = _kept(_rest(replay, again.events()), replay)
    if isinstance(replay, RecordedReplay):
        rest = _with_missing(rest, replay, due)
    elif due and not jobs:
        rest = _with_session(rest, replay)
    for event in rest:
        writer.event(event)
    writer.finish()


def _last_is_repeated(replay: Replay) -> bool:
    """Whether a session at the present time is the last one again, and not the next."""
    if replay.number == replay.workload.start.session:
        return False  # there was none
    timers, running = replay.scheduler.timers, replay.scheduler.running.values()
    ends = any(job.planned_end is not None and job.planned_end <= replay.now for job in running)
    return not ends and not (timers and timers.first() <= replay.now)


def present_cluster(scheduler: Scheduler) -> Cluster:
    """The cluster with its hosts and queues in the states they have now."""
    cluster = scheduler.cluster
    hosts = (replace(h, state=scheduler.ledger.state_of(h.index)) for h in cluster.hosts)
    queues = {
        name: replace(queue, is_open=scheduler.open_queues[name])
        for name, queue in cluster.queues.items()
    }
    return replace(cluster, hosts=tuple(hosts), queues=queues)


def _jobs(scheduler: Scheduler) -> Iterator[Job]:
    """Those that run first, by start, so that who waits for them finds them started."""
    yield from scheduler.running.values()
    yield from (job for job in scheduler.jobs.values() if job.allocation is None)


# What is still to happen.


def _rest(replay: Replay, events: Iterator[Event]) -> Iterator[Event]:
    """The events that the replay has not taken yet."""
    upcoming = replay.upcoming
    if upcoming is None:
        return iter(())
    if isinstance(replay, RecordedReplay):
        return islice(events, replay.events_done, None)
    begin = time_of(upcoming)  # all events of a moment are taken together
    return (
        event
        for event in dropwhile(lambda event: time_of(event) < begin, events)
        if not isinstance(event, JobEnd | SessionMark)
    )


def _kept(events: Iterable[Event], replay: Replay) -> Iterator[Event]:
    """Those that still mean something to somebody who does not know what is over."""
    scheduler = replay.scheduler
    for event in events:
        if isinstance(event, Job):
            yield _without_past(event, scheduler)
        elif isinstance(event, SessionMark):
            yield _without_pends(event)
        elif not isinstance(event, JobEnd | JobAct | JobChange) or _is_known(event.job, scheduler):
            yield event


def _without_pends(mark: SessionMark, more: tuple[Recorded, ...] = ()) -> SessionMark:
    dispatches = tuple(each for each in mark.decisions if each.allocation is not None)
    return replace(mark, decisions=more + dispatches)


def _with_missing(
    events: Iterable[Event], replay: RecordedReplay, due: bool
) -> Iterator[Event]:
    """The session that is due, if one is; else the next one takes over what is missing."""
    if due and replay.mark is not None:
        yield _without_pends(replay.mark)
    missing = () if due else replay.missing()
    for event in events:
        if missing and isinstance(event, SessionMark):
            event, missing = _without_pends(event, missing), ()
        yield event


def _with_session(events: Iterable[Event], replay: Replay) -> Iterator[Event]:
    """Something that changes nothing, as a session follows whatever happens."""
    name, is_open = next(iter(replay.scheduler.open_queues.items()))
    yield QueueChange(replay.now, name, is_open, 0)
    yield from events


# What is over.


def _is_known(job: str, scheduler: Scheduler) -> bool:
    return job in scheduler.jobs or not scheduler.was_submitted(job)


def _without_past(job: Job, scheduler: Scheduler) -> Job:
    """*job* without dependencies on what can't be told: on jobs that are over."""
    if not job.dependencies:
        return job
    left = (_left(needed, scheduler) for needed in job.dependencies)
    return replace(job, dependencies=tuple(needed for needed in left if needed is not None))


def _left(needed: Dependency, scheduler: Scheduler) -> Dependency | None:
    """What is left of a dependency: nothing if it is met.

    If some element of an array can't meet it any more, that one is named, of which whoever
    reads the snapshot knows nothing.
    """
    number, index = parse_job_id(needed.job)
    job = scheduler.jobs.get(needed.job)
    past = past_of(job) if job is not None else scheduler.history.of(number, index)
    wanted = NEEDED[needed.when]
    if past & wanted:
        return None
    lost = scheduler.history.element_without(number, wanted) if index < 0 else None
    return needed if lost is None else replace(needed, job=format_job_id(number, lost))
