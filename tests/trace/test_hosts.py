"""What a trace says of hosts."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import FirstCome, a_cluster, a_host, a_job, a_request, each, gib
from tests.sched.worlds import Traits, worlds
from tests.trace.cases import Ordered, harness, line, still, trace
from tests.trace.harness import trace_of
from xce_core.hookspecs import hookimpl
from xce_core.model.cluster import Cluster, HostState
from xce_core.model.jobs import Job
from xce_core.model.limits import Dimension, Limit
from xce_core.model.requests import ONE_HOST, Span, SpanKind
from xce_core.sched import verdicts
from xce_core.sched.scan import PositionScan, Scan
from xce_core.sched.verdicts import VerdictKind
from xce_plugins.trace.model import PositionSeen
from xce_plugins.trace.render import record_lines
from xce_plugins.trace.scans import summary

SUMMARY = "on all level summary"


def many_kinds() -> Cluster:
    """A host for each way of being turned away, then two that are fine."""
    limits = [
        Limit("lim_host", "slots", 4, (each(Dimension.HOST, "over", "both"),)),
        Limit("lim_mine", "mem", gib(2), (each(Dimension.USER), each(Dimension.HOST, "both"))),
    ]
    return a_cluster(
        a_host("other", 8, mem=gib(8), attributes={"type": "b"}),
        a_host("shut", 8, HostState.CLOSED, {"type": "a"}, mem=gib(8)),
        a_host("gone", 8, HostState.DOWN, {"type": "a"}, mem=gib(8)),
        a_host("short", 3, attributes={"type": "a"}, mem=gib(1)),
        a_host("over", 8, attributes={"type": "a"}, mem=gib(8)),
        a_host("both", 4, attributes={"type": "a"}, mem=gib(8)),
        a_host("fine", 8, attributes={"type": "a"}, mem=gib(8)),
        a_host("last", 8, attributes={"type": "a"}, mem=gib(8)),
        limits=limits,
    )


WANTED = a_request(5, span=ONE_HOST, select='type == "a"', mem=gib(4))
TWICE = a_request(10, span=Span(SpanKind.PER_HOST, 5), select='type == "a"', mem=gib(4))


def hosts(lines: list[str]) -> list[str]:
    """The lines of hosts and their rows, without the depth they all have."""
    start = next(n for n, text in enumerate(lines) if text.strip().startswith("position 1"))
    depth = len(lines[start]) - len(lines[start].lstrip()) + 2
    found = []
    for text in lines[start + 1 :]:
        if not text.startswith(" " * depth):
            break
        found.append(text[depth:])
    return found


def test_each_host_has_its_verdict_with_the_reasons() -> None:
    """R5.1, R5.2, R5.3, R5.4, R5.5: in host order, with phase, rows and scope."""
    assert hosts(trace(many_kinds(), a_job(1, WANTED))) == [
        "host other rejected (pre-filter): selection mismatch; per-host check not performed",
        "host shut rejected (pre-filter): selection mismatch (host closed);"
        " per-host check not performed",
        "host gone rejected (pre-filter): selection mismatch (host down);"
        " per-host check not performed",
        "host short rejected (per-host check): resource shortfall",
        "  slots total 3 in-use 0 reserved 0 requested 5",
        "  mem total 1 GiB in-use 0 reserved 0 requested 4 GiB",
        "host over rejected (per-host check): limit exceeded",
        "  limit lim_host (h=over) on slots: value 4 usage 0 reserved 0 requested 5",
        "host both rejected (per-host check): resource shortfall, limit exceeded",
        "  slots total 4 in-use 0 reserved 0 requested 5",
        "  limit lim_host (h=both) on slots: value 4 usage 0 reserved 0 requested 5",
        "  limit lim_mine (u=alice,h=both) on mem: value 2 GiB usage 0 reserved 0"
        " requested 4 GiB",
        "host fine accepted",
    ]


def test_what_is_in_use_and_reserved_is_told() -> None:
    """R5.4: by running jobs, and by earlier members of the same job."""
    cluster = a_cluster(a_host(mem=gib(8)))
    before = a_job(1, a_request(1, mem=gib(1)), run=100)
    members = (a_request(2, mem=gib(3)), a_request(1, mem=gib(5)))
    lines = trace(cluster, before, a_job(2, members))
    assert line(lines, "reserved 3 GiB") == (
        "mem total 8 GiB in-use 1 GiB reserved 3 GiB requested 5 GiB"
    )


def test_a_host_that_an_earlier_position_claimed() -> None:
    """R5.6: it is not looked at again."""
    lines = trace(many_kinds(), a_job(1, TWICE))
    assert line(lines, "already claimed") == (
        "host fine rejected: already claimed by an earlier position"
    )
    assert "      position 2 filled by last" in lines


def test_a_host_check_that_fails() -> None:
    """R5.7, R5.10: the host is not evaluated, counts as such, and the decision stands."""
    row = verdicts.host_row

    def fails(column, amount, left, host, claims):  # type: ignore[no-untyped-def]
        if host.name == "short":
            raise OSError("sensor lost")
        return row(column, amount, left, host, claims)

    run = still(many_kinds(), a_job(1, WANTED))
    run.trace("on all level full")
    with patch.object(verdicts, "host_row", fails):
        run.replay.advance()
        (record,) = [run.plugin.take("1", 1) for _ in run.replay.outcomes()]
    assert record is not None
    assert record.totals.hosts == (1, 3, 1, 2, 0, 1)
    lines = record_lines(record, run.plugin.units())
    assert line(lines, "not evaluated") == (
        "host short not evaluated: internal error (OSError: sensor lost)"
    )
    assert lines[-2] == "  outcome: DISPATCH"


def test_hosts_of_a_failed_plan_are_released() -> None:
    """R5.8: named in the order of the positions."""
    wide = a_request(15, span=Span(SpanKind.PER_HOST, 5), select='type == "a"', mem=gib(4))
    lines = trace(many_kinds(), a_job(1, wide))
    assert line(lines, "released") == "released hosts: fine,last"


def test_summary_is_one_line_a_position() -> None:
    """R5.9: who was accepted, and a count for each kind; limits are named."""
    lines = trace(many_kinds(), a_job(1, TWICE), command=SUMMARY)
    counted = (
        "rejected: selection mismatch 3, resource shortfall 2,"
        " limit exceeded 2 (lim_host 2, lim_mine (u=alice) 1)"
    )
    assert [text.strip() for text in lines if text.strip().startswith("position")] == [
        f"position 1 (5 tasks): accepted fine; {counted}, already claimed 0, not evaluated 0",
        f"position 2 (5 tasks): accepted last; {counted}, already claimed 1, not evaluated 0",
    ]
    assert not any(text.strip().startswith("host ") for text in lines[:-2])


def test_summary_of_a_position_that_found_none() -> None:
    """R5.9: accepted none."""
    lines = trace(a_cluster(a_host(), a_host()), a_job(1, a_request(5, span=ONE_HOST)),
                  command=SUMMARY)
    assert line(lines, "accepted") == (
        "position 1 (5 tasks): accepted none; rejected: selection mismatch 0,"
        " resource shortfall 2, limit exceeded 0, already claimed 0, not evaluated 0"
    )


def test_the_kinds_are_these() -> None:
    """R5.10: six, by these names."""
    assert [kind.value for kind in VerdictKind] == [
        "accepted",
        "selection mismatch",
        "resource shortfall",
        "limit exceeded",
        "already claimed",
        "not evaluated",
    ]


def test_a_host_with_shortfall_and_limit_counts_in_both() -> None:
    """R5.10: and the counts of both levels agree."""
    for command in ("on all level full", SUMMARY):
        run = still(many_kinds(), a_job(1, TWICE))
        run.trace(command)
        run.replay.advance()
        (record,) = [run.plugin.take("1", 1) for _ in run.replay.outcomes()]
        assert record is not None
        assert record.totals.hosts == (2, 6, 4, 4, 1, 0)


def test_hosts_in_an_order_of_the_policys() -> None:
    """R5.1, P5: those that can't take the position are looked at first."""
    lines = trace(
        many_kinds(), a_job(1, WANTED), policy=Ordered(lambda ask, tasks, able: [1 << 7])
    )
    found = [text for text in hosts(lines) if text.startswith("host")]
    assert found[-1] == "host last accepted"
    assert len(found) == 7
    assert not any(text.startswith("host fine") for text in found)


def test_many_classes_of_hosts_are_explained_alike() -> None:
    """R5.4: what each has left, also where it is looked up in a table."""
    cluster = a_cluster(*(a_host(mem=gib(n + 1)) for n in range(40)))
    found = hosts(trace(cluster, a_job(1, a_request(1, mem=gib(40)))))
    assert found[76:79] == [
        "host n39 rejected (per-host check): resource shortfall",
        "  mem total 39 GiB in-use 0 reserved 0 requested 40 GiB",
        "host n40 accepted",
    ]
    run = still(cluster, a_job(1, a_request(1, mem=gib(40))))
    run.trace("on all level full")
    assert hosts(trace_of(run.go(), "1")) == found


class Comparing:
    """Compares the counts of each scan as a whole with the verdicts on each host."""

    def __init__(self) -> None:
        self.positions = 0

    @hookimpl
    def xce_positions_scanned(self, scan: Scan) -> None:
        part, totals = summary(scan)
        positions = list(scan.positions())
        for entry, position in zip(part.entries(), positions, strict=True):
            assert isinstance(entry, PositionSeen)
            assert (entry.number, entry.host) == (position.number, position.host)
            assert entry.counts == position.counts()
            assert {(limit, scope): n for limit, scope, n in entry.limits} == position.limits()
            if not scan.error:
                assert entry.counts == counted(position)
            self.positions += 1
        each = [position.counts() for position in positions]
        assert tuple(totals) == tuple(map(sum, zip(*each, strict=True)))


def counted(position: PositionScan) -> tuple[int, ...]:
    """How many hosts have each kind of verdict, by looking at each."""
    _, found = position.verdicts(10_000)
    kinds = [kind for verdict in found for kind in verdict.kinds]
    return tuple(kinds.count(kind) for kind in VerdictKind)


@given(worlds(Traits(compounds=True), most=12), st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_counts_of_a_scan_are_those_of_its_hosts(
    world: tuple[Cluster, list[Job]], in_order: bool
) -> None:
    """R5.9: with limits, members, spans and selections, and whichever hosts go first."""
    cluster, jobs = world
    comparing = Comparing()
    policy = FirstCome() if in_order else Ordered(lambda ask, tasks, able: [able & 0x2A])
    run = harness(cluster, *jobs, policy=policy, others=[("comparing", comparing)])
    run.trace("on all")
    run.go()
    assert run.failures == []


@given(st.lists(st.integers(0, 2), min_size=20, max_size=90), st.lists(st.integers(1, 40)))
@settings(max_examples=40, deadline=None)
def test_counts_of_a_scan_on_many_hosts(slots: list[int], asks: list[int]) -> None:
    """R5.9: hosts that are neighbours or not, taken before or not, and too few of them."""
    cluster = a_cluster(*(a_host(slots=count) for count in slots))
    jobs = [a_job(n, a_request(asked), at=n) for n, asked in enumerate(asks, 1)]
    comparing = Comparing()
    run = harness(cluster, *jobs, others=[("comparing", comparing)])
    run.trace("on all")
    run.go()
    assert run.failures == []
    assert comparing.positions > 0 or all(asked > sum(slots) for asked in asks)
