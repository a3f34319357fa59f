"""What a row means: states, fates, sizes, limits."""

from __future__ import annotations

import pytest

from tests.slurm.samples import (
    DAY,
    HEADER,
    a_row,
    in_utc,
    job_of,
    jobs_of,
    kills_of,
    never_started,
    opened,
    read,
    report,
)
from xce_core.model.jobs import JobState
from xce_core.model.requests import FREE, ONE_HOST, Primary, Span, SpanKind
from xce_core.sim.workload import InputError

MIB = 2**20


def primary_of(text: str) -> Primary:
    """What the only job of these rows asks for."""
    (compound,) = job_of(text).requirement.alternatives
    (primary,) = compound.members
    return primary


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ("COMPLETED", JobState.DONE),
        ("FAILED", JobState.FAILED),
        ("OUT_OF_MEMORY", JobState.FAILED),
        ("NODE_FAIL", JobState.FAILED),
        ("BOOT_FAIL", JobState.FAILED),
        ("CANCELLED by 294703", JobState.KILLED),
        ("CANCELLED+", JobState.KILLED),
        ("TIMEOUT", JobState.KILLED),
        ("DEADLINE", JobState.KILLED),
        ("PREEMPTED", JobState.KILLED),
        ("REVOKED", JobState.KILLED),
        ("REQUEUED", JobState.KILLED),
        ("RESIZING", JobState.KILLED),
    ],
)
def test_states_are_outcomes(state: str, outcome: JobState) -> None:
    """C6: of a job that ran to an end."""
    job = job_of(a_row(state=state))
    assert (job.outcome, job.run_time) == (outcome, 100)


def test_an_unknown_state_is_counted() -> None:
    """And taken as done."""
    workload = read(a_row(state="ELOPED"))
    assert [job.outcome for job in jobs_of(workload)] == [JobState.DONE]
    assert workload.notes["unknown word as the state, taken as done"] == 1
    assert "states: ELOPED (1)" in report(HEADER + a_row(state="ELOPED"))


@pytest.mark.parametrize(
    "row",
    [
        never_started(given="cpu=4,mem=100M,node=1"),
        a_row(start="Unknown", end=50, state="CANCELLED by 7", node_list="None assigned"),
        a_row(start="None", end=50, state="DEADLINE", node_list=""),
        a_row(start="", end=50, state="CANCELLED", node_list="None assigned"),
        a_row(start=50, end=50, state="FAILED", node_list="None assigned"),
    ],
)
def test_a_job_that_never_started_is_an_outcome(row: str) -> None:
    """It waits until it is cancelled, as it did; what it was to get stays asked for."""
    workload = read(row + a_row(2))
    events = list(workload.events())
    assert kills_of(events) == [("1", 50)]
    job = next(job for job in events if getattr(job, "id", "") == "1")
    assert job.outcome in (JobState.KILLED, JobState.FAILED)  # type: ignore[union-attr]
    assert workload.notes["never started: cancelled while it waited, as recorded"] == 1


def test_a_job_that_ran_no_second_did_run() -> None:
    """Its node list tells it from one that never started."""
    workload = read(a_row(start=50, end=50, state="CANCELLED by 7"))
    assert kills_of(list(workload.events())) == []


def test_a_job_that_never_started_runs_at_most_until_it_is_cancelled() -> None:
    """Or until its time limit, if a replay starts it; so the kill always finds it."""
    jobs = {job.number: job for job in jobs_of(
        read(never_started(1, 10, 500) + never_started(2, 10, 500, limit="00:01:00") + a_row(3))
    )}
    assert (jobs[1].run_time, jobs[2].run_time) == (491, 60)


def test_a_job_that_was_never_eligible_never_competes() -> None:
    """A dependency that was never met: it waits to the end."""
    workload = read(never_started(1, 0, 70, eligible="Unknown") + a_row(2))
    events = list(workload.events())
    assert kills_of(events) == [("1", 70)]
    assert events[0].begin_time == DAY + 70  # type: ignore[union-attr]


def test_a_later_eligible_time_is_a_begin_time() -> None:
    """Dependencies and begin times, which a dump does not name."""
    assert job_of(a_row(submit=0, eligible=300, start=400, end=500)).begin_time == DAY + 300
    assert job_of(a_row(submit=5, eligible=5)).begin_time is None
    assert job_of(a_row(submit=5, eligible="Unknown")).begin_time is None


def test_a_live_dump_has_running_and_waiting_jobs() -> None:
    """One runs as long as it had, the other waits until the dump was taken."""
    rows = a_row(1, 0, 10, "Unknown", state="RUNNING", elapsed="00:20:00")
    rows += a_row(2, 600, "Unknown", "Unknown", state="PENDING", node_list="", eligible=600)
    workload = read(rows)
    events = list(workload.events())
    assert next(job.run_time for job in jobs_of(workload)) == 1200
    assert kills_of(events) == [("2", 1210)]
    assert {note: n for note, n in workload.notes.items() if "when the dump" in note} == {
        "still running when the dump was taken: it runs as long as it had": 1,
        "waits still when the dump was taken: killed at the dump's latest moment": 1,
    }


def test_an_end_that_is_lost_is_no_fault_where_the_elapsed_time_is_known() -> None:
    """As dumps of cancelled interactive jobs have it."""
    assert job_of(a_row(end="Unknown", elapsed="00:00:17", state="CANCELLED by 7")).run_time == 17


@pytest.mark.parametrize(
    ("row", "cause"),
    [
        (a_row(submit="Unknown"), "submit time not known"),
        (a_row(start="Unknown", elapsed="00:01:00"), "start time not known, although it ran"),
        (
            a_row(start="Unknown", end="Unknown", state="CANCELLED by 7"),
            "neither its end nor its run time is known",
        ),
        (a_row(cpus=0, nodes=0), "no CPUs (no job, but a pseudo-allocation)"),
    ],
)
def test_a_row_that_says_too_little_is_counted(row: str, cause: str) -> None:
    """Never dropped silently."""
    workload = read(row + a_row(2))
    assert [job.number for job in jobs_of(workload)] == [2]
    assert workload.tally.refused == {cause: 1}


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("01:00:00", 3600),
        ("125-00:00:00", 125 * 86400),
        ("UNLIMITED", None),
        ("Partition_Limit", None),
        ("INVALID", None),
        ("", None),
    ],
)
def test_time_limits(limit: str, expected: int | None) -> None:
    """What is not known is no limit, and noted."""
    workload = read(a_row(limit=limit))
    assert [job.time_limit for job in jobs_of(workload)] == [expected]
    noted = workload.notes["time limit not known (Partition_Limit, INVALID): none"]
    assert noted == (limit in ("Partition_Limit", "INVALID"))


def test_a_raw_time_limit_is_in_minutes() -> None:
    """TimelimitRaw stands in where Timelimit is not there."""
    header = HEADER.replace("Timelimit", "TimelimitRaw")
    (job,) = jobs_of(opened(header + a_row(limit="90")))
    assert job.time_limit == 5400


@pytest.mark.parametrize(
    ("row", "tasks", "span"),
    [
        (a_row(cpus=4, nodes=1), 4, ONE_HOST),
        (a_row(cpus=8, nodes=2, node_list="n[1-2]"), 8, Span(SpanKind.PER_HOST, 4)),
        (a_row(cpus=9, nodes=2, node_list="n[1-2]"), 9, FREE),
        (a_row(given="cpu=6,node=3", node_list="n[1-3]"), 6, Span(SpanKind.PER_HOST, 2)),
    ],
)
def test_a_task_is_a_cpu(row: str, tasks: int, span: Span) -> None:
    """C3: spread as it was, as far as totals tell."""
    primary = primary_of(row)
    assert (primary.tasks_min, primary.tasks_max, primary.span) == (tasks, tasks, span)
    assert primary.amounts[0] == ("slots", 1)


@pytest.mark.parametrize(
    ("row", "memory"),
    [
        (a_row(cpus=8, req_mem="2147486448Mn"), 8 * 2800),
        (a_row(cpus=8, req_mem="2147486448Mn", given="cpu=8,mem=22400M,node=1"), 22400),
        (a_row(cpus=8, req_mem="1000Mc", asked="cpu=8,mem=7000M,node=1"), 7000),
        (a_row(cpus=8, nodes=2, req_mem="4000M", node_list="n[1-2]"), 2000),
    ],
)
def test_memory_is_of_the_tres_and_else_of_the_request(row: str, memory: int) -> None:
    """For each host, an equal share of the job's."""
    assert dict(primary_of(row).amounts)["mem"] == memory * MIB


def test_what_never_started_is_as_large_as_it_asked_for() -> None:
    """A job that ran is as large as what it was given."""
    tres = {"asked": "cpu=2,node=1", "given": "cpu=4,node=1"}
    jobs = jobs_of(read(a_row(1, **tres) + never_started(2, **tres)))  # type: ignore[arg-type]
    sizes = [job.requirement.alternatives[0].members[0].tasks_min for job in jobs]
    assert sizes == [4, 2]


def test_steps_are_counted_and_not_read() -> None:
    """Whatever stands in them."""
    steps = "1.batch|||nonsense" + "|" * 14 + "\n" + a_row("1.0") + a_row("1_2.extern")
    workload = read(a_row(1) + steps)
    assert len(jobs_of(workload)) == 1
    assert workload.tally.read == 1
    assert workload.notes["step row (.batch, .extern, .0, ...), not a job"] == 3


def test_jobs_of_several_clusters_need_a_choice() -> None:
    """Ids of different clusters are not the same jobs."""
    header = "Cluster|" + HEADER
    text = header + "east|" + a_row() + "west|" + a_row(2)
    with pytest.raises(InputError, match="choose one, -o cluster-name=NAME"):
        opened(text)
    workload = opened(text, in_utc(cluster_name="west"))
    assert [job.number for job in jobs_of(workload)] == [2]
    assert workload.tally.refused == {"job of another cluster": 1}


def test_names_are_safe_to_print() -> None:
    """S8: a dump can't steer the user's terminal."""
    job = job_of(a_row(user="a\x1b[31m", partition="p" * 300))
    assert (job.user, len(job.queue)) == ("a?[31m", 255)
    assert job_of(a_row(user="", partition="a,b")).queue == "a"


def test_a_report_is_safe_to_print() -> None:
    """S8: whatever stands in TRES, states, clusters or ids."""
    rows = a_row(given="cpu=4,gres/g\x1bpu=1,license/\x07=1", state="A\x1bB") + a_row("1\x1b")
    lines = report("Cluster|" + HEADER + "".join(f"c\x1b|{row}\n" for row in rows.split("\n")[:2]))
    assert any("no resource of the cluster" in line for line in lines)
    assert all(line.isprintable() for line in lines)
    with pytest.raises(InputError) as told:
        read(a_row("1_[\x1b]"))
    assert str(told.value).isprintable()
