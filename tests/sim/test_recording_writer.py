"""Writing recordings: what is written reads as what it was, in the same bytes each time."""

from __future__ import annotations

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from tests.sim.recording_samples import (
    RESOURCES,
    THOROUGH,
    allocations,
    clusters,
    event_lists,
    job_facts,
    jobs,
    opened,
    plain,
)
from xce_core.model.cluster import Cluster, Host, Queue, uniform_cluster
from xce_core.model.decisions import Allocation, Dispatch, Placement
from xce_core.model.jobs import Job, JobState
from xce_core.model.reasons import Reason, ReasonCode, reason_set
from xce_core.model.requests import Primary, Requirement
from xce_core.sim.events import Act, HostChange, JobAct
from xce_core.sim.recording_header import Pends
from xce_core.sim.workload import Timeline
from xce_core.sim.writer import JOBS_A_LINE, RecordingWriter

CLUSTER = uniform_cluster(12, 4, Queue("q"))


def a_job(number: int, index: int = -1, tasks: int = 1, queue: str = "q") -> Job:
    """A job of one slot a task."""
    name = f"{number}[{index}]" if index >= 0 else str(number)
    primary = Primary(tasks, tasks, (("slots", 1),))
    return Job(name, number, index, "u", queue, "p", Requirement.single(primary), 5)


def a_writer(cluster: Cluster = CLUSTER) -> tuple[RecordingWriter, io.StringIO]:
    stream = io.StringIO()
    return RecordingWriter(stream, cluster, Timeline.RECORDED), stream


@THOROUGH
@given(st.data())
def test_what_is_written_reads_as_what_it_was(data: st.DataObject) -> None:
    """S5: cluster and events come back equal, and written again they are the same bytes."""
    cluster = data.draw(clusters())
    events = data.draw(event_lists(cluster))
    written = []
    for _ in range(2):
        writer, stream = a_writer(cluster)
        writer.header()
        for event in events:
            writer.event(event)
        writer.finish()
        written.append(stream.getvalue())
        workload = opened(written[0])
        again = list(workload.events())
        assert workload.cluster == cluster
        assert workload.cluster.limits == cluster.limits
        assert [plain(event) for event in again] == [plain(event) for event in events]
        events, cluster = again, workload.cluster
    assert written[0] == written[1]
    assert written[0].isascii()


@THOROUGH
@given(st.data())
def test_a_starting_state_reads_as_what_it_was(data: st.DataObject) -> None:
    """S5: jobs in all states, with what they hold."""
    cluster = data.draw(clusters())
    writer, stream = a_writer(cluster)
    writer.header(10**10, 7)
    states = st.sampled_from("pending held waiting running suspended".split()).map(JobState)
    before, running = [], []
    for number in range(data.draw(st.integers(0, 3))):
        job = data.draw(jobs(cluster, number, 100))
        job.state = data.draw(states)
        job.held = job.state is JobState.HELD
        job.requeues = data.draw(st.integers(0, 2))
        job.eligible_time = data.draw(st.none() | st.integers(100, 200))
        job.remaining = data.draw(st.none() | st.just(0.5))
        job.not_before = data.draw(st.none() | st.just(300))
        if job.state in (JobState.RUNNING, JobState.SUSPENDED):
            job.start_time = data.draw(st.integers(100, 200))
            members = job.requirement.alternatives[0].members
            if not members:
                continue
            hosts = data.draw(allocations(cluster)).placements[0].hosts
            running.append((job.id, Allocation((Placement(hosts, 2, len(members) - 1),))))
        writer.start_job(job, dict(running).get(job.id))
        before.append(job)
    workload = opened(stream.getvalue())
    start = workload.start
    assert (start.time, start.session) == (10**10, 7)
    assert [job_facts(job) for job in start.jobs] == [job_facts(job) for job in before]
    assert start.running == tuple(running)
    assert list(workload.events()) == []


def test_lines_are_short_and_for_people() -> None:
    """S5: defaults are left out, alike hosts share an entry, and host lists are folded."""
    cluster = Cluster(
        tuple(Host(f"n{n:02}", n - 1, {"slots": 8, "mem": 64 * 2**30}) for n in range(1, 11)),
        RESOURCES,
        {"license": 10, "disk": 2**40 + 1},
        {"q": Queue("q")},
    )
    writer, stream = a_writer(cluster)
    writer.header()
    job = a_job(42, tasks=4)
    job.requirement = Requirement.single(
        Primary(4, 4, (("mem", 8 * 2**30), ("slots", 1), ("gpu", 150)))
    )
    writer.submit(job)
    writer.session(1, 5)
    writer.dispatch(Dispatch(job, Allocation((Placement(0b11100, 2),), 1), True))
    writer.hosts(HostChange(6.5, 0b1000000111, cluster.hosts[0].state, 0))
    writer.act(JobAct(7, "42", Act.SUSPEND, 0))
    writer.end("42", 9, JobState.FAILED)
    header, *lines = stream.getvalue().splitlines()
    assert json.loads(header)["cluster"] == {
        "resources": [
            {"name": "mem", "counted": "host", "kind": "bytes"},
            {"name": "gpu", "decimals": 2},
            {"name": "license", "shared": True, "counted": "job", "total": 10},
            {"name": "disk", "shared": True, "kind": "bytes", "total": 2**40 + 1},
        ],
        "hosts": [{"name": "n[01-10]", "capacity": {"slots": 8, "mem": "64G"}}],
        "queues": [{"name": "q"}],
    }
    assert lines == [
        '{"type":"submit","time":5,"job":"42","user":"u","queue":"q","project":"p","tasks":4,'
        '"request":{"mem":"8G","slots":1,"gpu":"1.5"}}',
        '{"type":"session","time":5,"number":1}',
        '{"type":"dispatch","job":"42","alternative":2,'
        '"hosts":[{"hosts":"n[03-05]","tasks":2}],"reconstructed":true}',
        '{"type":"host","time":6.5,"hosts":"n[01-03,10]","state":"open"}',
        '{"type":"suspend","time":7,"job":"42"}',
        '{"type":"end","time":9,"job":"42","state":"failed"}',
    ]


def test_pends_with_the_same_reasons_share_a_line_in_their_order() -> None:
    """C5: jobs alike are folded, never reordered."""
    writer, stream = a_writer()
    full = reason_set(ReasonCode.NO_RESOURCE, [Reason(ReasonCode.NO_RESOURCE, "slots", 6)])
    held = reason_set(ReasonCode.HELD, [Reason(ReasonCode.HELD)])
    writer.session(1, 5)
    for number in (7, 4, 5, 6):
        writer.pend([a_job(number)], full)
    writer.pend([a_job(12, index) for index in (1, 2, 3, 9)], full)
    writer.pend([a_job(8)], held)
    writer.end("9", 6, JobState.DONE)
    assert stream.getvalue().splitlines()[1:-1] == [
        '{"type":"pend","jobs":"7,4-6,12[1-3,9]","main":"NO_RESOURCE",'
        '"reasons":[{"code":"NO_RESOURCE","name":"slots","hosts":"n[02-03]"}]}',
        '{"type":"pend","job":"8","main":"HELD","reasons":[{"code":"HELD"}]}',
    ]


def test_a_line_of_pends_has_a_bounded_length() -> None:
    """S8: so that the reader's limit on lines holds for whatever was written."""
    writer, stream = a_writer()
    held = reason_set(ReasonCode.HELD, [Reason(ReasonCode.HELD)])
    writer.header()
    writer.session(1, 5)
    ids = [number * 2 for number in range(2 * JOBS_A_LINE + 1)]
    writer.pend([a_job(number) for number in ids], held)
    writer.finish()
    assert len(stream.getvalue().splitlines()) == 2 + 3
    (session,) = opened(stream.getvalue()).events()
    assert [decision.job for decision in session.decisions] == [str(n) for n in ids]


def test_what_a_queue_would_add_is_kept_out() -> None:
    """S5: a job that asks less than its queue's default reads as what it was."""
    queue = Queue("q", default=Primary(1, 1, (("slots", 2), ("gpu", 5))))
    cluster = Cluster(CLUSTER.hosts, RESOURCES, {"license": 1, "disk": 1}, {"q": queue})
    writer, stream = a_writer(cluster)
    writer.header()
    writer.submit(a_job(1))
    assert '"complete":true' in stream.getvalue()
    (job,) = opened(stream.getvalue()).events()
    assert job.requirement == a_job(1).requirement


def test_the_header_names_what_the_run_was() -> None:
    """S5: policy, time zone, timeline and which pends are written."""
    stream = io.StringIO()
    RecordingWriter(
        stream, CLUSTER, Timeline.SIMULATED, "builtin_fcfs", "Europe/Paris", Pends.NONE
    ).header(1.5)
    workload = opened(stream.getvalue())
    assert (workload.timeline, workload.policy) == (Timeline.SIMULATED, "builtin_fcfs")
    assert (workload.time_zone, workload.pends) == ("Europe/Paris", Pends.NONE)
    assert (workload.start.time, workload.start.session) == (1.5, 0)


def test_a_running_job_of_a_snapshot_keeps_what_is_left_to_run() -> None:
    """S5: its planned end becomes what remains at the time of the snapshot."""
    writer, stream = a_writer()
    writer.header(100)
    job = a_job(1)
    job.state, job.start_time, job.planned_end = JobState.RUNNING, 40, 130.5
    job.allocation = Allocation((Placement(1, 1),))
    writer.start_job(job)
    (read,) = opened(stream.getvalue()).start.jobs
    assert (read.start_time, read.remaining) == (40, 30.5)
