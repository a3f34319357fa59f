"""Where a trace stands among other lines, and how it is recalled."""

from __future__ import annotations

from tests.builders import a_job
from tests.trace.cases import Elects, harness, some_jobs, still, two_hosts
from xce_core.model.decisions import Dispatch
from xce_core.sched.policy import Outcome
from xce_plugins.trace.info import DISCARDED


def test_a_trace_follows_its_decision_at_once() -> None:
    """R7.1: decision, trace, decision, trace."""
    run = harness(two_hosts(), a_job(1), a_job(2))
    run.trace("on all")
    shown = run.step()
    assert shown[0] == "dispatch job 1 on n1 (1 task)"
    assert shown[1].startswith("[trace] job 1 ")
    assert all(text.startswith("  ") for text in shown[2:])
    assert run.step()[0].startswith("dispatch job 2")


def test_a_trace_without_decision_stands_where_it_happened() -> None:
    """R7.2: between the decisions before and after it."""
    run = harness(two_hosts(), a_job(1), a_job(2), policy=Elects("1", "77", "2"))
    run.trace("on all")
    heads = [text for text in run.go() if not text.startswith("  ")]
    assert [text.split(" level")[0] for text in heads[:6]] == [
        "dispatch job 1 on n1 (1 task)",
        "[trace] job 1 session 1 position 1",
        "no decision on job 77: job not found",
        "[trace] job 77 session 1 position 2",
        "dispatch job 2 on n1 (1 task)",
        "[trace] job 2 session 1 position 3",
    ]


def test_a_traced_round_is_shown_alone() -> None:
    """R7.4: whether or not the trace was of a decision that changed anything."""
    run = harness(two_hosts(), *some_jobs())
    run.trace("on job 2")
    shown = run.go()
    alone = {text for text in shown if text.endswith("alone")}
    traced = {
        f"round {text.split()[4]} alone" for text in shown if text.startswith("[trace] job 2 ")
    }
    assert alone == traced


def test_a_breakpoint_stops_between_two_traces() -> None:
    """R7.5: the one before it is shown and stored, the one after it is not."""
    run = harness(two_hosts(), a_job(1), a_job(2))
    run.trace("on all")

    def on_dispatch(outcome: Outcome) -> bool:
        return isinstance(outcome, Dispatch)

    run.stop_at = on_dispatch
    shown = run.go()
    assert sum(text.startswith("[trace]") for text in shown) == 1
    assert run.info("1") == shown[1:]
    assert run.info("2") == ["job 2: no trace available (pending)"]


def test_the_trace_of_a_job_that_is_over() -> None:
    """R7.8: at the level at which it was captured, whatever is set now."""
    run = harness(two_hosts(), *some_jobs())
    run.trace("on job 1 level full")
    shown = run.go(1)
    run.trace("on all level summary")
    run.go()
    assert run.info("1") == shown[1:-1]


def test_an_array_lists_its_elements_in_order() -> None:
    """R7.9: with gaps, traced and discarded; an element has its own."""
    jobs = [a_job(f"4[{n}]", 1, at=0) for n in (10, 2, 7)]
    run = harness(two_hosts(), *jobs)
    run.trace("on all")
    run.go(1)
    heads = [text for text in run.info("4") if text.startswith("[trace]")]
    assert [text.split()[2] for text in heads] == ["4[2]", "4[7]", "4[10]"]
    assert run.info("4[7]")[0] == heads[1]
    run.plugin.store.bound = 1
    run.plugin.store.put("9", lambda: b"x")
    assert run.info("4") == [f"job 4[{n}]: {DISCARDED}" for n in (2, 7, 10)]


def test_an_array_without_a_trace_tells_its_states() -> None:
    """R7.9: of all elements that ever came in."""
    jobs = [a_job("4[3]", 1, at=0, run=1), a_job("4[1]", 8, at=0, run=9), a_job("4[5]", 8, at=0)]
    run = harness(two_hosts(), *jobs, a_job(5, at=2))
    run.go(2)
    assert run.info("4") == [
        "job 4[1]: no trace available (running)",
        "job 4[3]: no trace available (pending)",
        "job 4[5]: no trace available (pending)",
    ]


def test_a_newer_trace_replaces_the_older_one() -> None:
    """R7.10: the store keeps one for each job."""
    run = still(two_hosts(), a_job(1, 9, at=0), a_job(2, at=1))
    run.trace("on job 1")
    run.go()
    assert len(run.plugin.store) == 1
    assert run.info("1")[0].startswith("[trace] job 1 session 2 ")


def test_no_trace_and_no_such_job() -> None:
    """R7.11: the job's state, or that there is none."""
    run = harness(two_hosts(), a_job(1, run=5), a_job(2, at=9), a_job(3, 8, at=9))
    run.go()
    assert run.info("1") == ["job 1: no trace available (done)"]
    assert run.info("8") == ["job 8: unknown job"]
    assert run.info("1[2]") == ["job 1[2]: unknown job"]


def test_what_info_trace_does_not_take() -> None:
    """A mistake is told in a line."""
    run = harness(two_hosts(), a_job(1))
    assert run.info("") == ["usage: info trace JOB [json]"]
    assert run.info("1 xml") == ["usage: info trace JOB [json]"]
    assert run.info("x") == ["info trace: expected a job id such as 12 or 12[3], found 'x'"]
