"""What a trace says of the selection itself."""

from __future__ import annotations

from collections.abc import Mapping

from tests.builders import (
    FirstCome,
    a_cluster,
    a_host,
    a_job,
    each,
    on_host,
    together,
    told,
)
from tests.trace.cases import Elects, harness, line, trace, two_hosts
from tests.trace.harness import Harness, trace_of
from tests.workloads import ListedWorkload
from xce_core.model.cluster import Queue
from xce_core.model.jobs import UNRESOLVED, Job
from xce_core.model.limits import Dimension, Limit
from xce_core.model.reasons import ReasonCode, Reasons
from xce_core.sched.policy import HoldBack
from xce_core.sim.events import Recorded, SessionMark
from xce_core.sim.workload import Timeline
from xce_plugins.trace.render import record_lines


def test_session_and_position_are_named() -> None:
    """R2.1: positions count selections, traced or not, and begin anew in each session."""
    jobs = [a_job(1, 1, at=0), a_job(2, 1, at=5), a_job(3, 1, at=5), a_job(4, 1, at=5)]
    run = harness(two_hosts(), *jobs)
    run.trace("on job 1 3 4")
    heads = [shown for shown in run.go() if shown.startswith("[trace]")]
    assert [" ".join(head.split()[1:7]) for head in heads] == [
        "job 1 session 1 position 1",
        "job 3 session 2 position 2",
        "job 4 session 2 position 3",
    ]


def test_the_keys_of_the_order_are_told() -> None:
    """R2.2: policy, queue and its priority, job priority, queue time."""
    lines = trace(two_hosts(), a_job(1, 1, at=5, priority=3))
    assert lines[1] == (
        "  selection: policy first-come queue normal (priority 7) job priority 3"
        " queued 1970-01-01 00:00:05"
    )


class Aged(FirstCome):
    """A policy with keys of its own."""

    name = "aged"

    def remarks(self, job: Job, queue: Queue) -> Mapping[str, str]:
        return {"age": "12", "share": "0.5"}


def test_a_policy_names_its_own_keys() -> None:
    """R2.2, P5: they stand behind those of every policy."""
    lines = trace(two_hosts(), a_job(1), policy=Aged())
    assert lines[1].startswith("  selection: policy aged queue normal (priority 7)")
    assert lines[1].endswith(" age 12 share 0.5")


def test_a_policy_whose_keys_fail_is_named() -> None:
    """R10.6: the policy's remarks raise; the decision stands."""

    class Broken(FirstCome):
        name = "broken"

        def remarks(self, job: Job, queue: Queue) -> Mapping[str, str]:
            raise ValueError("no keys")

    lines = trace(two_hosts(), a_job(1), policy=Broken())
    assert line(lines, "incomplete") == (
        "... trace incomplete (plugin broken in remarks: ValueError: no keys)"
    )
    assert "  outcome: DISPATCH" in lines


def test_matching_cluster_wide_limits_are_listed() -> None:
    """R2.3: with their scope; not those of hosts, nor those that do not apply."""
    limits = [
        Limit("mine", "slots", 9, (each(Dimension.USER),)),
        Limit("all", "jobs", 9),
        Limit("both", "slots", 9, (together(Dimension.USER, "alice", "bob"),)),
        Limit("other", "slots", 9, (each(Dimension.USER, "carol"),)),
        Limit("hosts", "slots", 9, (each(Dimension.HOST),)),
    ]
    lines = trace(a_cluster(a_host(), limits=limits), a_job(1))
    assert lines[2] == (
        "  cluster-wide limits: mine (u=alice), all (all), both (u=alice+bob);"
        " host-scoped limits are reported with each host's verdict"
    )
    lines = trace(two_hosts(), a_job(1), command="on all")
    assert lines[2] == (
        "  cluster-wide limits: none; host-scoped limits are counted with each position"
    )


def test_a_policy_that_chose_what_is_no_job() -> None:
    """R2.4: job not found; what was known until then is nothing."""
    run = harness(two_hosts(), a_job(1), policy=Elects("77"))
    run.trace("on all")
    shown = run.go(1)
    assert shown == [
        "no decision on job 77: job not found",
        "[trace] job 77 session 1 position 1 level summary",
        "  selection: policy odd; ordering keys and limits unavailable"
        " (job not found by the allocator)",
        "  no decision: job not found",
        "round 1 alone",
    ]
    assert run.info("77") == shown[1:-1]


def test_a_policy_that_chose_a_running_job() -> None:
    """R2.4: job not found as one that waits; its keys are known."""
    job = a_job(1)
    run = harness(two_hosts(), job, policy=Elects("1", job))
    run.trace("on all")
    lines = trace_of(run.go(1)[8:], "1")
    assert lines[0] == "[trace] job 1 session 1 position 2 level summary"
    assert "queue normal (priority 7)" in lines[1]
    assert lines[-1] == "  no decision: job not found (it is running, not pending)"


def test_a_job_without_scheduling_object() -> None:
    """R2.4: limits are then not known."""
    run = harness(two_hosts())
    run.trace("on all")
    scheduler = run.replay.scheduler
    job = a_job(2)
    scheduler.submit(job, 0)
    job.sched = UNRESOLVED
    assert scheduler.seams is not None
    scheduler.seams.session_begun(1, 0)
    assert told(scheduler.session(1, 0, True)) == ["none 2"]
    record = run.plugin.take("2", 1)
    assert record is not None
    assert record_lines(record, run.plugin.units())[2:] == [
        "  cluster-wide limits: unavailable (no scheduling object)",
        "  no decision: no scheduling object",
    ]


def test_an_internal_error_is_told_with_what_was_known() -> None:
    """R2.4: the error, and the entries up to it."""
    run = harness(two_hosts(), a_job(1))
    run.trace("on all level full")

    def claim(ask: object, placements: object) -> None:
        raise ArithmeticError("no room for the claim")

    run.replay.scheduler.ledger.claim = claim  # type: ignore[method-assign]
    lines = trace_of(run.go(), "1")
    assert lines[-1] == "  no decision: internal error (ArithmeticError: no room for the claim)"
    assert line(lines, "host n1") == "host n1 accepted"
    assert "    finalize failed: internal error (ArithmeticError: no room for the claim)" in lines


def test_a_pend_without_a_reason() -> None:
    """R2.4: it is said to be one."""
    run = harness(two_hosts(), a_job(1, 99), policy=FirstCome())
    run.replay.scheduler.submit(a_job(5, 50), 0)
    run.trace("on all")
    nothing = Reasons(ReasonCode.NO_PLAN, ())
    run.replay.scheduler.reasons = lambda job: nothing  # type: ignore[method-assign]
    lines = trace_of(run.go(), "5")
    assert lines[-1] == "  no decision: pend without a reason"
    assert "  requirement not satisfied" in lines


def test_a_job_held_back_by_its_policy() -> None:
    """R2.4, P5: nothing was tried, and the outcome says who said so."""

    class Holds(FirstCome):
        name = "holds"

        def elect(self, session):  # type: ignore[no-untyped-def]
            for job in session.pending():
                yield HoldBack(job, "until noon")

    lines = trace(two_hosts(), a_job(1), policy=Holds())
    assert lines[3:] == ["  outcome: PEND main reason POLICY", "    POLICY until noon"]


def test_a_dispatch_rebuilt_from_the_recording() -> None:
    """R2.5: said to be one, with its outcome, before the session's own decisions."""
    taken = Recorded("1", on_host(0, 3), None, True, 3)
    events = [a_job(1, 3), a_job(2, 2), SessionMark(0, 4, (taken,), 2)]
    run = Harness(ListedWorkload(two_hosts(), events, Timeline.RECORDED), FirstCome())
    run.trace("on all level full")
    shown = run.go()
    assert shown[:5] == [
        "dispatch (reconstructed) job 1 on n1 (3 tasks)",
        "[trace] job 1 session 4 level full",
        "  reconstructed: taken over from the recording, not decided here",
        "  outcome: DISPATCH (reconstructed)",
        "    host n1: slots=3",
    ]
    assert shown[6] == "[trace] job 2 session 4 position 1 level full"
    assert run.info("1") == shown[1:5]


