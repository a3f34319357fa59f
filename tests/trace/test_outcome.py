"""What a trace says of the outcome, and how amounts are shown."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import (
    MEM,
    RESOURCES,
    FirstCome,
    a_cluster,
    a_host,
    a_job,
    a_request,
    each,
    gib,
)
from tests.trace.cases import still, trace
from tests.trace.harness import trace_of
from xce_core.model.amounts import UnitsMode
from xce_core.model.cluster import HostState
from xce_core.model.decisions import Pend
from xce_core.model.limits import Dimension, Limit
from xce_core.model.requests import ONE_HOST
from xce_core.model.resources import Counted
from xce_plugins.trace.ending_model import Pended


def outcome(lines: list[str]) -> list[str]:
    """The lines of the outcome."""
    return lines[next(n for n, text in enumerate(lines) if text.startswith("  outcome")) :]


LIMITS = [
    Limit("lim_user", "slots", 99, (each(Dimension.USER),)),
    Limit("lim_mem", "mem", gib(99), (each(Dimension.QUEUE),)),
    Limit("lim_host", "slots", 9, (each(Dimension.USER), each(Dimension.HOST))),
    Limit("lim_jobs", "jobs", 5),
    Limit("lim_busy", "jobs", 5, (each(Dimension.HOST, "n2"),)),
]


def test_a_dispatch_lists_hosts_shared_amounts_and_charges() -> None:
    """R6.1, R6.2, R6.3: members on one host together; limits with scope and resource."""
    cluster = a_cluster(
        a_host(mem=gib(8)), a_host(mem=gib(8)), limits=LIMITS, license=9
    )
    small = a_request(1, mem=gib(1), license=1)
    members = (a_request(3, mem=gib(2), license=1), small, small)
    assert outcome(trace(cluster, a_job(1, members))) == [
        "  outcome: DISPATCH",
        "    host n1: slots=4 mem=3 GiB limit charges: lim_host (u=alice,h=n1) slots 4",
        "    host n2: slots=1 mem=1 GiB limit charges: lim_host (u=alice,h=n2) slots 1,"
        " lim_busy (h=n2) jobs 1",
        "    shared: license=3 limit charges: lim_user (u=alice) slots 5,"
        " lim_mem (q=normal) mem 4 GiB, lim_jobs (all) jobs 1",
    ]


def test_amounts_for_the_first_host_alone() -> None:
    """R6.1: counted per job, they stand on the first host only."""
    resources = (*(r for r in RESOURCES if r is not MEM), replace(MEM, counted=Counted.JOB))
    cluster = a_cluster(a_host(mem=gib(8)), a_host(mem=gib(8)), resources=resources)
    assert outcome(trace(cluster, a_job(1, a_request(6, mem=gib(2)))))[1:] == [
        "    host n1: slots=4 mem=2 GiB",
        "    host n2: slots=2",
    ]


def test_a_pend_tells_the_reasons_of_the_decision() -> None:
    """R6.4: main reason, those without a host, those by host."""
    cluster = a_cluster(
        a_host(),
        a_host(state=HostState.DOWN),
        a_host(mem=gib(4)),
        a_host(slots=1, mem=gib(4)),
        limits=[Limit("lim", "slots", 2, (each(Dimension.HOST, "n3"),))],
    )
    run = still(cluster, a_job(1, a_request(3, span=ONE_HOST, mem=gib(1))), policy=FirstCome())
    run.trace("on all")
    shown = trace_of(run.go(), "1")
    assert outcome(shown) == [
        "  outcome: PEND main reason NO_RESOURCE",
        "    NO_RESOURCE mem on host n1",
        "    NO_RESOURCE slots on host n4",
        "    LIMIT lim on host n3",
        "    HOST_DOWN on host n2",
    ]
    (pend,) = run.outcomes
    assert isinstance(pend, Pend)
    entries = pend.reasons.entries
    reasons = {(r.code.name, r.name, tuple(cluster.names_of(r.hosts))) for r in entries}
    assert reasons == {
        ("NO_RESOURCE", "mem", ("n1",)),
        ("NO_RESOURCE", "slots", ("n4",)),
        ("LIMIT", "lim", ("n3",)),
        ("HOST_DOWN", "", ("n2",)),
    }


def test_a_pend_for_the_cluster_tells_no_host() -> None:
    """R6.4: reasons without a host by themselves."""
    cluster = a_cluster(a_host(), license=1)
    assert outcome(trace(cluster, a_job(1, a_request(1, license=2)))) == [
        "  outcome: PEND main reason NO_RESOURCE",
        "    NO_RESOURCE license",
    ]


def test_fifty_hosts_are_listed_and_the_rest_is_summed_up() -> None:
    """R9.4: of a dispatch; 50 exactly leave nothing out."""
    cluster = a_cluster(*(a_host(mem=gib(8)) for _ in range(120)), limits=LIMITS[2:])
    request = a_request(51 * 4, mem=gib(1))
    lines = outcome(trace(cluster, a_job(1, request)))
    assert lines[50:] == [
        "    host n50: slots=4 mem=1 GiB limit charges: lim_host (u=alice,h=n50) slots 4",
        "    ... 1 hosts omitted; together: slots=4 mem=1 GiB"
        " limit charges: lim_host (u=alice) slots 4",
        "    shared: limit charges: lim_jobs (all) jobs 1",
    ]
    lines = outcome(trace(cluster, a_job(1, a_request(50 * 4, mem=gib(1)))))
    assert len(lines) == 52
    assert not any("omitted" in text for text in lines)
    lines = outcome(trace(cluster, a_job(1, a_request(118 * 4 + 1, mem=gib(1)))))
    assert lines[51] == (
        "    ... 69 hosts omitted; together: slots=273 mem=69 GiB"
        " limit charges: lim_host (u=alice) slots 273"
    )


def test_hosts_of_a_pend_beyond_fifty_are_counted_by_code() -> None:
    """R9.4: the first fifty by name."""
    some = [
        a_host(state=HostState.CLOSED if n % 2 else HostState.OPEN, slots=1) for n in range(120)
    ]
    run = still(a_cluster(*some), a_job(1, a_request(2, span=ONE_HOST)))
    run.trace("on all")
    run.replay.advance()
    (record,) = [run.plugin.take("1", 1) for _ in run.replay.outcomes()]
    assert record is not None
    assert isinstance(record.ending, Pended)
    assert sum(count for *_, count in record.ending.by_host) == 50
    run = still(a_cluster(*some), a_job(1, a_request(2, span=ONE_HOST)))
    run.trace("on all")
    lines = outcome(trace_of(run.go(), "1"))
    assert lines[0] == "  outcome: PEND main reason NO_RESOURCE"
    assert lines[1].startswith("    NO_RESOURCE slots on 25 hosts n[1,3,5,")
    assert lines[2].startswith("    HOST_CLOSED on 25 hosts n[2,4,6,")
    assert lines[3:] == ["    ... 70 hosts omitted; of these: NO_RESOURCE 35, HOST_CLOSED 35"]


def test_amounts_follow_the_units_mode_of_the_moment() -> None:
    """R7.7: of `info trace` too, and a limit on memory shows as memory."""
    cluster = a_cluster(a_host(mem=gib(8), gpu=10), limits=LIMITS[1:2])
    run = still(cluster, a_job(1, a_request(1, mem=gib(2), gpu=5)))
    run.trace("on all")
    assert "    shared: limit charges: lim_mem (q=normal) mem 2 GiB" in run.go()
    shown = {
        UnitsMode.RAW: "lim_mem (q=normal) mem 2147483648",
        UnitsMode.MIB: "lim_mem (q=normal) mem 2048 MiB",
        UnitsMode.AUTO: "lim_mem (q=normal) mem 2 GiB",
    }
    for mode, charge in shown.items():
        run.units = mode
        lines = run.info("1")
        assert sum(charge in text for text in lines) == 1
        assert any("gpu=0.5" in text for text in lines)
