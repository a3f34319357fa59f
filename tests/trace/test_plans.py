"""What a trace says of cluster-wide checks and plans."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest

from tests.builders import (
    LICENSE,
    RESOURCES,
    FirstCome,
    a_cluster,
    a_host,
    a_job,
    a_request,
    any_of,
    each,
    gib,
)
from tests.trace.cases import Offers, Ordered, Shapeless, line, still, trace, two_hosts
from tests.trace.harness import trace_of
from xce_core.model.limits import Dimension, Limit
from xce_core.model.plans import Plan
from xce_core.model.requests import Requirement, Span, SpanKind
from xce_core.model.resources import Counted
from xce_core.sched.allocator import Allocator
from xce_core.sched.ask import Ask
from xce_plugins.trace.render import record_lines


def plans(lines: list[str]) -> list[str]:
    """The lines about plans, without indent."""
    words = ("plan", "no plan", "no more", "released")
    return [text.strip() for text in lines if text.strip().startswith(words)]


def test_every_row_of_the_cluster_wide_check() -> None:
    """R4.1, R4.2: resources, then limits as limits, each with its verdict."""
    limits = [
        Limit("lim_user", "slots", 5, (each(Dimension.USER),)),
        Limit("lim_jobs", "jobs", 3),
        Limit("lim_mem", "mem", gib(6), (each(Dimension.QUEUE),)),
    ]
    cluster = a_cluster(a_host(mem=gib(8)), a_host(mem=gib(8)), limits=limits, license=4)
    first = a_job(1, a_request(2, license=1, mem=gib(2)), run=100)
    lines = trace(cluster, first, a_job(2, a_request(3, license=2, mem=gib(3))))
    assert [t.strip() for t in lines if t.strip().startswith("cluster-wide")][1:] == [
        "cluster-wide: license total 4 in-use 1 reserved 0 requested 2 passed",
        "cluster-wide limit lim_user (u=alice) on slots:"
        " value 5 usage 2 reserved 0 requested 3 passed",
        "cluster-wide limit lim_jobs (all) on jobs: value 3 usage 1 reserved 0 requested 1 passed",
        "cluster-wide limit lim_mem (q=normal) on mem:"
        " value 6 GiB usage 2 GiB reserved 0 requested 3 GiB passed",
        "cluster-wide check passed",
    ]


def test_what_earlier_members_reserve_is_told() -> None:
    """R4.1: reserved is what the same allocation claimed before."""
    members = Requirement.compound((a_request(1, license=1), a_request(1, license=2)))
    lines = trace(two_hosts(license=2), a_job(1, members))
    assert line(lines, "reserved 1") == (
        "cluster-wide: license total 2 in-use 0 reserved 1 requested 2 failed"
    )


def test_an_exceeded_limit_is_no_shortfall() -> None:
    """R4.2, R4.8: a limit's row fails, and no plan is tried."""
    limits = [Limit("lim_user", "slots", 2, (each(Dimension.USER),))]
    lines = trace(a_cluster(a_host(), limits=limits), a_job(1, 3))
    assert line(lines, "lim_user (u=alice) on") == (
        "cluster-wide limit lim_user (u=alice) on slots:"
        " value 2 usage 0 reserved 0 requested 3 failed"
    )
    assert line(lines, "no placement") == "cluster-wide check failed; no placement plans tried"
    assert line(lines, "failure") == "failure reasons: LIMIT x1 (limits: lim_user (u=alice))"
    assert plans(lines) == []


def test_limits_exceeded_beside_a_shortfall_are_told() -> None:
    """R4.1: of limits beside a resource that falls short those that fail, too."""
    limits = [Limit("tight", "slots", 2), Limit("wide", "slots", 9)]
    lines = trace(a_cluster(a_host(), limits=limits, license=0), a_job(1, a_request(3, license=1)))
    rows = [t.strip() for t in lines if "requested" in t and "cluster-wide" in t]
    assert rows == [
        "cluster-wide: license total 0 in-use 0 reserved 0 requested 1 failed",
        "cluster-wide limit tight (all) on slots: value 2 usage 0 reserved 0 requested 3 failed",
    ]


def test_each_plan_has_its_shape_and_its_end() -> None:
    """R4.3, R4.5: hosts, tasks for each position, success and commit."""
    lines = trace(two_hosts(), a_job(1, 6))
    assert plans(lines) == [
        "plan 1 hosts 2 tasks per position [4, 2]",
        "plan 1 succeeded",
        "plan 1 committed; no further plans tried",
        "plans: 1 generated, 1 tried, 0 discarded, 0 not tried",
    ]


def test_a_wide_plan_is_folded() -> None:
    """R4.3: like positions of a plan of more than 16."""
    cluster = a_cluster(*(a_host() for _ in range(20)))
    assert line(trace(cluster, a_job(1, 70)), "plan 1 hosts") == (
        "plan 1 hosts 18 tasks per position [4 x17, 2]"
    )


def test_the_position_at_which_a_plan_failed() -> None:
    """R4.4, R4.6, R5.8: its number, the hosts given back, and that no plan is left."""
    lines = trace(two_hosts(), a_job(1, a_request(9, span=Span(SpanKind.PER_HOST, 3))))
    assert plans(lines) == [
        "plan 1 hosts 3 tasks per position [3, 3, 3]",
        "released hosts: n[1-2]",
        "plan 1 failed at position 3",
        "plans: 1 generated, 1 tried, 0 discarded, 0 not tried; no plan could be placed",
    ]
    assert "      position 3 not filled" in lines


def test_a_host_order_that_raises_is_a_scan_error() -> None:
    """R4.4: of the position at which it did."""

    def order(ask, tasks, able):  # type: ignore[no-untyped-def]
        if tasks < 4:
            raise LookupError("no order for that")
        return [able]

    lines = trace(two_hosts(), a_job(1, 6), policy=Ordered(order))
    assert [t.strip() for t in lines if t.strip().startswith("position 2")] == [
        "position 2 (2 tasks)",
        "position 2 not filled: host scan failed (LookupError: no order for that)",
    ]
    assert plans(lines)[1:3] == ["released hosts: n1", "plan 1 failed at position 2"]
    short = trace(two_hosts(), a_job(1, 6), policy=Ordered(order), command="on all")
    assert line(short, "position 2 (") == (
        "position 2 (2 tasks): not filled, host scan failed (LookupError: no order for that)"
    )


def test_a_host_order_that_gives_nonsense_is_a_scan_error() -> None:
    """R4.4: what it gave is no mask."""
    lines = trace(two_hosts(), a_job(1), policy=Ordered(lambda *_: ["n1"]))
    assert line(lines, "host scan failed").startswith(
        "position 1 not filled: host scan failed (TypeError: "
    )


def test_a_search_that_breaks_off() -> None:
    """R4.4: position, plan and requirement tell of the error; the record ends in it."""
    run = still(two_hosts(), a_job(1))
    run.trace("on all level full")
    run.replay.advance()
    with patch.object(Ask, "fitting", side_effect=ZeroDivisionError("hosts lost")):
        (record,) = [run.plugin.take("1", 1) for _ in run.replay.outcomes()]
    assert record is not None
    lines = record_lines(record, run.plugin.units())
    for end in ("position 1 not filled: host scan failed", "plan 1 failed: internal error",
                "requirement not satisfied: internal error", "no decision: internal error"):
        assert line(lines, end).endswith("(ZeroDivisionError: hosts lost)")


def test_a_plan_that_can_not_be_checked_is_not_tried() -> None:
    """R4.4: for an internal error; the next one is."""

    lines = trace(two_hosts(), a_job(1), generators=[Offers(Shapeless(()))])
    assert plans(lines) == [
        "plan 1 (generator odd) not tried: internal error (OSError: shapeless)",
        "plan 2 hosts 1 tasks per position [1]",
        "plan 2 succeeded",
        "plan 2 committed; no further plans tried",
        "plans: 2 generated, 1 tried, 0 discarded, 1 not tried",
    ]


def test_a_failure_to_finalize() -> None:
    """R4.5: after the commit, in place of a decision."""
    run = still(two_hosts(), a_job(1))
    run.trace("on all")
    run.replay.scheduler.ledger.claim = lambda *_: 1 / 0  # type: ignore[method-assign]
    assert line(trace_of(run.go(), "1"), "finalize") == (
        "finalize failed: internal error (ZeroDivisionError: division by zero)"
    )


def test_a_generator_that_declines() -> None:
    """R4.7: it is named, and the core's own plans follow."""
    lines = trace(two_hosts(), a_job(1), generators=[Offers(accepts=False)])
    assert plans(lines)[:2] == [
        "no plan from generator odd: it declined",
        "plan 1 hosts 1 tasks per position [1]",
    ]


@pytest.mark.parametrize("before", [(), (Plan(((9, 1),)),)])
def test_a_generator_that_raises(before: tuple[Plan, ...]) -> None:
    """R4.7: at once, or after a plan; what it offered before counts."""
    offers = Offers(*before, KeyError("lost"))
    lines = trace(two_hosts(), a_job(1, 9), generators=[offers])
    assert "no more plans from generator odd: it failed (KeyError: 'lost')" in plans(lines)


def only(run, *generators: Offers) -> None:  # type: ignore[no-untyped-def]
    """Take the core's own plans away."""
    scheduler = run.replay.scheduler
    scheduler.allocator = Allocator(
        scheduler.ledger, generators, None, "", lambda failure: None
    )


def test_no_plan_was_generated() -> None:
    """R4.7: said in the count of plans."""
    run = still(two_hosts(), a_job(1))
    run.trace("on all")
    only(run, Offers())
    assert plans(trace_of(run.go(), "1")) == [
        "plans: 0 generated, 0 tried, 0 discarded, 0 not tried; no plan generated"
    ]


NONSENSE = [
    Plan(()),
    Plan(((0, 1),)),
    Plan(((-1, 1), (2, 1))),
    Plan(((True, 1),)),
    Plan(((99, 1),)),
    Plan((("1", 1),)),
    "a plan",
    None,
    [1],
    7.5,
]


def test_malformed_plans_are_discarded() -> None:
    """R4.9: each is shown, and if all of them are, that is said."""
    run = still(two_hosts(), a_job(1))
    run.trace("on all")
    only(run, Offers(*NONSENSE))
    lines = plans(trace_of(run.go(), "1"))
    assert lines[0] == "plan 1 (generator odd) discarded: malformed: Plan(runs=())"
    assert sum("discarded: malformed" in text for text in lines) == len(NONSENSE)
    assert lines[-1] == (
        "plans: 10 generated, 0 tried, 10 discarded, 0 not tried;"
        " no plan tried: all generated plans discarded"
    )


def test_after_discarded_plans_others_are_tried() -> None:
    """R4.9: the count tells both."""
    lines = plans(trace(two_hosts(), a_job(1, 2), generators=[Offers(*NONSENSE)]))
    assert "plan 11 hosts 1 tasks per position [2]" in lines
    assert lines[-1] == "plans: 11 generated, 1 tried, 10 discarded, 0 not tried"


def test_a_plugins_plan_names_its_generator() -> None:
    """R4.3: unless it is the core's own."""
    lines = plans(trace(two_hosts(), a_job(1, 2), generators=[Offers(Plan(((1, 2),)))]))
    assert lines[0] == "plan 1 hosts 2 tasks per position [1, 1] (generator odd)"


def test_a_plan_for_which_the_cluster_lacks_by_its_hosts() -> None:
    """R4.4: a resource per host falls short for the whole plan; the rows tell of it."""
    by_host = replace(LICENSE, counted=Counted.HOST)
    resources = (*(r for r in RESOURCES if r.name != "license"), by_host)
    cluster = a_cluster(a_host(), a_host(), resources=resources, license=1)
    lines = trace(cluster, a_job(1, a_request(6, license=1)))
    assert plans(lines) == [
        "plan 1 hosts 2 tasks per position [4, 2]",
        "released hosts: n[1-2]",
        "plan 1 failed: the cluster lacks what that many hosts take",
        "plans: 1 generated, 1 tried, 0 discarded, 0 not tried; no plan could be placed",
    ]
    assert line(lines, "for 2 hosts") == (
        "cluster-wide for 2 hosts: license total 1 in-use 0 reserved 0 requested 2 failed"
    )


def test_plans_are_counted_for_each_member_by_itself() -> None:
    """R4.3: numbers begin with 1 again."""
    wants = any_of((a_request(1), a_request(99)), a_request(1))
    lines = trace(two_hosts(), a_job(1, wants), policy=FirstCome())
    assert sum(text.startswith("plan 1 hosts") for text in plans(lines)) == 3
