"""What becomes of a line: refusals, repairs, notes."""

from __future__ import annotations

import pytest

from tests.swf.samples import MACHINE, a_line, jobs_of, opened, slots_asked, with_repairs
from xce_core.model.jobs import Dependency, DependsOn, JobState
from xce_core.sim.workload import InputError
from xce_plugins.swf import ALL_REPAIRS, SwfOptions, repair_names


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (a_line(run=-1), "run time unknown (below 0)"),
        (a_line(run=-1356996147), "run time unknown (below 0)"),
        (a_line(procs=-1), "processors unknown, requested and allocated"),
        (a_line(procs=0), "processors unknown, requested and allocated"),
        (a_line(submit=-1), "submit time unknown (below 0)"),
        (a_line(procs=9), "more processors than the machine has"),
        (a_line(run=0, allocated=-1, status=5), "cancelled before its start"),
        (a_line(run=-1, allocated=0, status=5), "cancelled before its start"),
    ],
)
def test_a_job_that_can_never_run_is_refused_and_counted(line: str, cause: str) -> None:
    """Never dropped silently; the jobs around it are read."""
    workload = opened(MACHINE + a_line(7) + line + a_line(8))
    assert [job.number for job in jobs_of(workload)] == [7, 8]
    assert workload.tally.refused == {cause: 1}
    assert workload.tally.read == 3


def test_a_run_time_of_zero_is_legal() -> None:
    """It runs 0 seconds, also when it was cancelled but had got processors."""
    jobs = jobs_of(opened(MACHINE + a_line(1, run=0) + a_line(2, run=0, status=5)))
    assert [(job.run_time, job.outcome) for job in jobs] == [
        (0, JobState.DONE),
        (0, JobState.KILLED),
    ]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [(1, "done"), (0, "failed"), (5, "killed"), (-1, "done"), (3, "done"), (4, "failed")],
)
def test_the_status_says_what_becomes_of_a_job(status: int, outcome: str) -> None:
    """Twice each: for the rules and for the short cut."""
    jobs = jobs_of(opened(MACHINE + a_line(1, status=status) + a_line(2, status=status)))
    assert [job.outcome.value for job in jobs] == [outcome, outcome]


def test_jobs_of_a_size_share_one_requirement() -> None:
    """The same object, whichever field says the size and however it is written."""
    text = a_line(1, procs=4) + a_line(2, procs=4) + a_line(3, procs=-1, allocated=4)
    jobs = jobs_of(opened(MACHINE + text + a_line(4, procs="4.0") + a_line(5, procs="04")))
    assert len({id(job.requirement) for job in jobs}) == 1
    assert len({id(job.user) for job in jobs}) == 1
    assert slots_asked(jobs[0]) == 4


def test_whole_floats_are_integers() -> None:
    """Conversions write 3600.0; times become int wherever they are whole."""
    (job,) = jobs_of(opened(MACHINE + a_line("1.0", "10.0", "3.5e1", limit="3600.0")))
    times = (job.number, job.submit_time, job.run_time, job.time_limit)
    assert times == (1, 10, 35, 3600)
    assert {type(time) for time in times} == {int}


def test_a_run_beyond_the_requested_time_is_taken_as_it_is() -> None:
    """And noted."""
    workload = opened(MACHINE + a_line(run=300, limit=200))
    (job,) = jobs_of(workload)
    assert (job.run_time, job.time_limit) == (300, 200)
    assert workload.notes == {"runs longer than requested": 1}


@pytest.mark.parametrize(
    ("repairs", "used", "times"),
    [
        (["raise-limit"], "raise-limit", (300, 300)),
        (["limit-run"], "limit-run", (200, 200)),
        (["raise-limit", "limit-run"], "raise-limit", (300, 300)),
    ],
)
def test_run_and_requested_time_can_be_reconciled(
    repairs: list[str], used: str, times: tuple[int, int]
) -> None:
    """On the first line of its kind and on later ones; lines in order are untouched."""
    text = a_line(1) + a_line(2, run=300) + a_line(3, run=300) + a_line(4, run=200)
    workload = opened(MACHINE + text, with_repairs(*repairs))
    jobs = jobs_of(workload)
    assert [(job.run_time, job.time_limit) for job in jobs[1:3]] == [times, times]
    assert (jobs[0].run_time, jobs[3].run_time) == (100, 200)
    assert workload.tally.repaired == {used: 2}


def test_a_job_too_large_can_be_given_the_whole_machine() -> None:
    """Each time it is counted."""
    text = a_line(1, procs=9) + a_line(2, procs=9)
    workload = opened(MACHINE + text, with_repairs("clamp-procs"))
    assert [slots_asked(job) for job in jobs_of(workload)] == [8, 8]
    assert workload.tally.repaired == {"clamp-procs": 2}


def test_submit_times_out_of_order_end_the_reading() -> None:
    """S6: the line, and the repair that would help."""
    workload = opened(MACHINE + a_line(1, 50) + a_line(2, 40))
    with pytest.raises(InputError, match=r"^t\.swf:3: .*50 or later, found 40.*sort-submit"):
        jobs_of(workload)


def test_submit_times_can_be_sorted() -> None:
    """Jobs of one time stay in order of lines; each line out of order is counted."""
    text = a_line(1, 50) + a_line(2, 40) + a_line(3, 50) + a_line(4, 40)
    workload = opened(MACHINE + text, with_repairs("sort-submit"))
    assert [job.number for job in jobs_of(workload)] == [2, 4, 1, 3]
    assert workload.tally.repaired == {"sort-submit": 2}


def test_a_refused_line_may_be_out_of_order() -> None:
    """What does not run can't disturb the order."""
    workload = opened(MACHINE + a_line(1, 50) + a_line(2, 40, run=-1) + a_line(3, 60))
    assert [job.number for job in jobs_of(workload)] == [1, 3]


def test_a_repeated_id_is_refused() -> None:
    """However far from the others the ids are."""
    numbers = [5, 6, 5, 10**14, 4, 10**14, 4]
    workload = opened(MACHINE + "".join(a_line(number) for number in numbers))
    assert [job.number for job in jobs_of(workload)] == [5, 6, 10**14, 4]
    assert workload.tally.refused == {"job id repeated": 3}


def test_an_id_whose_job_was_refused_is_free() -> None:
    """A job resubmitted under its old id can run."""
    workload = opened(MACHINE + a_line(5, run=-1) + a_line(5))
    assert [job.line for job in jobs_of(workload)] == [3]


def test_a_repeated_id_can_be_given_a_new_number() -> None:
    """One that is not in use, so that it stays the only one."""
    text = a_line(5) + a_line(10**9 + 1) + a_line(5) + a_line(5)
    workload = opened(MACHINE + text, with_repairs("renumber"))
    assert [job.number for job in jobs_of(workload)] == [5, 10**9 + 1, 10**9 + 2, 10**9 + 3]
    assert workload.tally.repaired == {"renumber": 2}


def test_parts_of_a_job_are_in_its_first_line() -> None:
    """By the standard the first line sums up the whole; the others are not jobs."""
    whole = a_line(1, run=300, status=1, limit=-1)
    parts = a_line(1, run=100, status=2) + a_line(1, -1, run=200, status=3)
    for repairs in (frozenset[str](), ALL_REPAIRS):
        workload = opened(MACHINE + whole + parts, SwfOptions(repairs=repairs))
        assert [job.run_time for job in jobs_of(workload)] == [300]
        assert workload.tally.refused == {
            "part of a job that is already read (status 2, 3 or 4)": 2
        }


def test_parts_without_a_first_line_can_be_joined() -> None:
    """Their run times add up, and the last one says what became of the job."""
    parts = a_line(1, run=100, status=2) + a_line(2, 5) + a_line(1, -1, run=50.5, status=4)
    workload = opened(MACHINE + parts, with_repairs("merge-partial"))
    jobs = jobs_of(workload)
    assert [(job.number, job.run_time) for job in jobs] == [(1, 150.5), (2, 100)]
    assert jobs[0].outcome is JobState.FAILED
    assert workload.tally.repaired == {"merge-partial": 1}


def test_a_malformed_line_can_be_left_out() -> None:
    """S6: it counts as read, refused and repaired."""
    text = a_line(1) + "2 10 -1 x\n" + a_line(3, "1o") + "4 10 -1 100 4"
    workload = opened(MACHINE + text, with_repairs("skip-malformed"))
    assert [job.number for job in jobs_of(workload)] == [1]
    assert workload.tally.refused == {"malformed line": 2, "last line cut off": 1}
    assert workload.tally.repaired == {"skip-malformed": 3}
    assert workload.tally.read == 4


def test_preceding_jobs_are_not_waited_for_unless_asked() -> None:
    """They are noted."""
    workload = opened(MACHINE + a_line(1) + a_line(2, preceding=1, think=60))
    assert [job.dependencies for job in jobs_of(workload)] == [(), ()]
    assert workload.notes == {"preceding job not waited for (dependencies are off)": 1}


def test_preceding_jobs_can_be_waited_for() -> None:
    """Until they have ended and the think time is over, if they run at all."""
    text = a_line(1, run=-1) + a_line(2) + a_line(3, preceding=2, think=60)
    text += a_line(4, preceding=1) + a_line(5, preceding=6) + a_line(6, preceding=6)
    workload = opened(MACHINE + text + a_line(7, preceding=3), SwfOptions(dependencies=True))
    jobs = {job.number: job.dependencies for job in jobs_of(workload)}
    assert jobs[3] == (Dependency("2", DependsOn.ENDED, 60),)
    assert jobs[7] == (Dependency("3", DependsOn.ENDED, 0),)
    assert (jobs[4], jobs[5], jobs[6]) == ((), (), ())
    assert workload.notes == {"preceding job not waited for, as no earlier line gives it a run": 3}


def test_a_sorted_job_never_waits_for_one_that_comes_later() -> None:
    """Sorting may put a job before the one its line names."""
    text = a_line(1, 50) + a_line(2, 40, preceding=1) + a_line(3, 60, preceding=1)
    options = SwfOptions(repairs=frozenset({"sort-submit"}), dependencies=True)
    workload = opened(MACHINE + text, options)
    jobs = jobs_of(workload)
    assert [(job.number, len(job.dependencies)) for job in jobs] == [(2, 0), (1, 0), (3, 1)]
    assert workload.notes == {"preceding job not waited for, as it was submitted later": 1}


def test_more_columns_are_not_read() -> None:
    """Some logs add some; whatever is in them."""
    workload = opened(MACHINE + a_line(1).replace("\n", " {a,b} q_2w 1:ppn=12\n") + a_line(2))
    assert len(jobs_of(workload)) == 2
    assert workload.notes == {"has more than 18 columns, the others are not read": 1}


@pytest.mark.parametrize(
    "options", [{"procs": 0}, {"queues": "two"}, {"repairs": frozenset({"sort"})}]
)
def test_a_wrong_option_is_refused_at_once(options: dict[str, object]) -> None:
    """Misspelt repairs above all."""
    with pytest.raises(ValueError, match="expected"):
        SwfOptions(**options)  # type: ignore[arg-type]


def test_repairs_are_named_one_by_one_or_all_at_once() -> None:
    """As words of the command line."""
    assert repair_names(["renumber, sort-submit"]) == {"renumber", "sort-submit"}
    assert repair_names(["renumber", "all"]) == ALL_REPAIRS
    with pytest.raises(ValueError, match="'sort'"):
        repair_names(["sort"])


@pytest.mark.parametrize(("field", "name"), [(2, "submit"), (4, "run"), (9, "limit")])
def test_times_are_as_bounded_as_in_a_recording(field: int, name: str) -> None:
    """S5: what is read here can be written as a recording and read again."""
    most = 10**11
    jobs = jobs_of(opened(MACHINE + a_line(1, most, most, limit=most) + a_line(2, most)))
    assert [job.submit_time for job in jobs] == [most, most]
    for seen in ("", a_line(7)):
        line = a_line(1, **{name: most + 1})  # type: ignore[arg-type]
        what = rf"field {field} .* expected a number of at most {most},"
        with pytest.raises(InputError, match=what):
            jobs_of(opened(MACHINE + seen + line))


def test_parts_that_are_too_long_together_are_a_fault() -> None:
    """S5: as one too long is; such a line can be left out."""
    text = MACHINE + a_line(1, run=10**11, status=2) + a_line(1, run=1, status=3)
    what = r":3:\d+: field 4 \(run time\): expected parts of at most"
    with pytest.raises(InputError, match=what):
        jobs_of(opened(text, with_repairs("merge-partial")))
    (job,) = jobs_of(opened(text, with_repairs("merge-partial", "skip-malformed")))
    assert job.run_time == 10**11
