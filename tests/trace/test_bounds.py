"""Bounds: lines of a trace, hosts of an outcome, memory of all traces."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import tracemalloc
from functools import partial

import pytest

from tests.builders import FirstCome, a_cluster, a_host, a_job, a_request, gib
from tests.trace.cases import harness, still, two_hosts
from tests.trace.harness import Harness, trace_of, traced
from xce_core.model.cluster import Cluster
from xce_core.model.requests import ONE_HOST, Requirement, Span, SpanKind
from xce_plugins.trace.blocks import Plain
from xce_plugins.trace.codec import decode, encode
from xce_plugins.trace.info import DISCARDED
from xce_plugins.trace.model import LINES_MOST, HostsReleased, PlanCommitted, Record
from xce_plugins.trace.packed import Entries
from xce_plugins.trace.render import record_lines
from xce_plugins.trace.render_entries import KEPT, KEPT_LENGTH, EntryLines
from xce_plugins.trace.store import BOUND, Store

FIXED = 3
"""The lines before the bounded part."""


def wide(count: int) -> Cluster:
    """Hosts of which every third is too small, and every fifth lacks memory as well."""
    return a_cluster(
        *(a_host(slots=2 if n % 3 == 0 else 8, mem=gib(n % 5)) for n in range(count))
    )


def record_of(cluster: Cluster, wants: object, command: str) -> tuple[Record, Harness]:
    """The record of one job."""
    run = still(cluster, a_job(1, wants))  # type: ignore[arg-type]
    assert run.trace(command) == []
    run.replay.advance()
    records = [run.plugin.take("1", 1) for _ in run.replay.outcomes()]
    assert records[0] is not None
    assert run.failures == []
    return records[0], run


WANTS = {
    "rejecting": a_request(4, span=ONE_HOST, mem=gib(5)),
    "wide": a_request(40, span=Span(SpanKind.PER_HOST, 4), mem=gib(1)),
    "members": Requirement.compound(tuple(a_request(5, mem=gib(3)) for _ in range(4))),
}


@pytest.mark.parametrize("what", WANTS)
@pytest.mark.parametrize("level", ["full", "summary"])
@pytest.mark.parametrize("bound", [50, 51, 52, 60, 75, 99, 100, 137])
def test_what_a_bound_leaves_out_is_counted_exactly(what: str, level: str, bound: int) -> None:
    """R9.1, R9.2, R9.3: the first lines are those of the whole; totals do not change."""
    whole, run = record_of(wide(60), WANTS[what], f"on all level {level} lines {LINES_MOST}")
    cut, _ = record_of(wide(60), WANTS[what], f"on all level {level} lines {bound}")
    assert len(cut.entries) == min(bound, len(whole.entries))
    assert cut.entries == whole.entries[:bound]
    assert cut.omitted == len(whole.entries) - len(cut.entries)
    assert cut.totals == whole.totals
    lines = record_lines(cut, run.plugin.units())
    marks = [text for text in lines if "trace lines omitted" in text]
    assert marks == (
        [f"  ... {cut.omitted} trace lines omitted (line bound {bound})"] if cut.omitted else []
    )
    assert record_lines(whole, run.plugin.units())[FIXED : FIXED + len(cut.entries)] == (
        lines[FIXED : FIXED + len(cut.entries)]
    )


def test_exactly_as_many_lines_as_the_bound_leave_nothing_out() -> None:
    """R9.2: the remark comes with one more."""
    whole, _ = record_of(wide(60), WANTS["rejecting"], f"on all level full lines {LINES_MOST}")
    count = len(whole.entries)
    assert count > 50
    for bound, omitted in [(count, 0), (count - 1, 1), (count + 1, 0)]:
        cut, _ = record_of(wide(60), WANTS["rejecting"], f"on all level full lines {bound}")
        assert cut.omitted == omitted


def test_the_totals_behind_the_remark() -> None:
    """R9.3: three lines, whatever was left out."""
    cut, run = record_of(wide(60), WANTS["wide"], "on all level full lines 50")
    lines = record_lines(cut, run.plugin.units())
    at = next(n for n, text in enumerate(lines) if "omitted" in text)
    assert lines[at + 1 : at + 4] == [
        "  totals: plans 1 tried, 0 discarded",
        "  totals: requirements 0 with no plan generated, 0 with all plans discarded,"
        " 0 with no plan placed",
        "  totals: host evaluations accepted 10, selection mismatch 0, resource shortfall 48,"
        " limit exceeded 0, already claimed 45, not evaluated 0",
    ]
    assert lines[at + 4] == "  outcome: DISPATCH"


def test_requirements_without_a_placed_plan_are_counted() -> None:
    """R9.3: also those that the bound cut off."""
    many = Requirement.any_of(
        tuple(Requirement.single(a_request(999)).alternatives[0] for _ in range(30))
    )
    cut, _ = record_of(two_hosts(), many, "on all lines 50")
    assert cut.omitted > 0
    assert (cut.totals.none_placed, cut.totals.plans_tried) == (30, 30)


@pytest.mark.parametrize("level", ["full", "summary"])
def test_a_job_of_a_thousand_hosts(level: str) -> None:
    """R9.1, R9.4: bounded in lines, hosts and time; totals tell of all."""
    cluster = a_cluster(*(a_host(slots=64, mem=gib(8)) for _ in range(1000)))
    record, run = record_of(
        cluster, a_request(64_000, mem=gib(1)), f"on all level {level} lines 1000"
    )
    lines = record_lines(record, run.plugin.units())
    assert len(record.entries) == 1000
    assert record.totals.hosts == (1000, 0, 0, 0, 499_500, 0)
    of_positions = 500_500 + 2 * 1000 if level == "full" else 1000
    assert record.omitted == of_positions + 7 - 1000
    assert lines[-1].startswith("    ... 950 hosts omitted; together: slots=60800 mem=950 GiB")


def test_ten_thousand_traced_decisions() -> None:
    """R9.5: the store keeps to its bound, and the newest trace is there."""
    jobs = [a_job(n, 1, at=n, run=1) for n in range(1, 10_001)]
    run = traced(_listed(jobs), "on all level full", policy=FirstCome())
    assert sum(text.startswith("[trace]") for text in run.shown) == 10_000
    assert run.plugin.store.size <= BOUND
    assert run.info("10000") == trace_of(run.shown[-60:], "10000")
    assert run.failures == []


def _listed(jobs):  # type: ignore[no-untyped-def]
    return harness(two_hosts(), *jobs).replay.workload


def test_the_oldest_give_way_and_never_the_newest() -> None:
    """R9.5, R9.6, R7.11: in order of capture; a discarded trace is said to be so."""
    store = Store(bound=10_000)
    for number in range(100):
        store.put(str(number), lambda: bytes(500))
        assert store.size <= 10_000
        assert store.get(str(number)) is not None
    kept = [n for n in range(100) if store.get(str(n)) is not None]
    assert kept == list(range(100 - len(kept), 100))
    assert all(store.was_discarded(str(n)) for n in range(100 - len(kept)))
    store.put("5", lambda: bytes(500))
    assert not store.was_discarded("5")
    store.put("big", lambda: bytes(20_000))
    assert store.get("big") is not None
    assert len(store) == 1


def test_a_newer_trace_of_the_oldest_job_is_the_newest() -> None:
    """R9.5: the order is that of capture, not of the first one."""
    store = Store(bound=3000)
    for job in ("1", "2", "3"):
        store.put(job, lambda: bytes(500))
    store.put("1", lambda: bytes(500))
    store.put("4", lambda: bytes(500))
    assert store.get("2") is None
    assert store.get("1") is not None


def test_of_a_job_decided_again_and_again_only_the_last_trace_is_made_bytes() -> None:
    """R7.10: the traces before it are of no use to anybody."""
    made: list[int] = []
    store = Store()
    for job, number in (("1", 1), ("1", 2), ("1", 3), ("2", 4), ("1", 5)):
        store.put(job, lambda number=number: made.append(number) or bytes([number]))
    assert made == [3, 4]
    assert store.get("1") == bytes([5])
    assert store.get("2") == bytes([4])
    assert len(store) == 2


def test_a_discarded_trace_is_reported() -> None:
    """R9.6: until there is a newer one."""
    run = harness(two_hosts(), a_job(1), a_job(2))
    run.plugin.store.bound = 1
    run.trace("on all")
    run.go()
    assert run.info("1") == [f"job 1: {DISCARDED}"]
    assert run.info("2")[0].startswith("[trace] job 2 ")


def test_marks_of_discarded_traces_are_bounded_too() -> None:
    """R9.5: jobs whose numbers lie far apart do not fill the memory with marks."""
    store = Store(bound=1_000_000)
    for number in range(20_000):
        store.put(str(number * 10**6), lambda: bytes(2000))
        assert store.size <= 1_000_000
    assert len(store) > 300
    assert store.was_discarded(str((20_000 - len(store) - 1) * 10**6))


def numbered(number: int, size: int) -> bytes:
    """Bytes that are no others."""
    return b"%09d" % number + bytes(size - 9)


@pytest.mark.parametrize("size", [300, 5000, 200_000])
def test_the_measure_is_that_of_real_memory(size: int) -> None:
    """R9.5: filled past its bound, the store takes what it says, within a fifth."""
    bound = 8 * 2**20
    gc.collect()
    tracemalloc.start()
    try:
        store = Store(bound)
        for number in range(2 * bound // size):
            store.put(str(10**6 + number), partial(numbered, number, size))
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 0.9 * bound < store.size <= bound
    assert abs(store.size - taken) < 0.2 * taken


RSS = """
import sys
from xce_plugins.trace.store import Store

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

before = resident()
store = Store()
number = 0
while not store.was_discarded("1000000"):
    store.put(str(10**6 + number), lambda: b"%09d" % number + bytes(number % 1500))
    store.size
    number += 1
print(store.size, resident() - before)
"""


def test_the_process_takes_what_the_store_says() -> None:
    """R9.5: all 64 MiB, measured from outside the language, within a fifth."""
    done = subprocess.run(
        [sys.executable, "-c", RSS], capture_output=True, text=True, check=True
    )
    size, resident = map(int, done.stdout.split())
    assert 0.95 * BOUND < size <= BOUND
    assert abs(size - resident) < 0.2 * resident


def test_a_record_survives_its_bytes() -> None:
    """R9.5, R7.8: compact, and the same again."""
    for what, wants in WANTS.items():
        for command in ("on all level full", "on all", "on all level full lines 50"):
            record, run = record_of(wide(60), wants, command)
            again = decode(encode(record))
            assert again == record, what
            assert record_lines(again, run.plugin.units()) == record_lines(
                record, run.plugin.units()
            )


def test_bytes_are_compact() -> None:
    """R9.5: a line of a long trace takes a few bytes."""
    record, _ = record_of(wide(1000), WANTS["rejecting"], "on all level full lines 5000")
    assert len(record.entries) > 1500
    assert len(encode(record)) < 12 * len(record.entries)


def test_no_line_of_a_bound_is_longer_for_it() -> None:
    """R9.2: the remark names the bound that was set."""
    cut, run = record_of(wide(200), WANTS["rejecting"], "on all level full lines 77")
    text = "\n".join(record_lines(cut, run.plugin.units()))
    assert re.search(r"\.\.\. \d+ trace lines omitted \(line bound 77\)", text)


def test_lines_that_are_kept_to_be_used_again_are_bounded() -> None:
    """R9.5: a few of each kind, and none that is long."""
    lines = EntryLines(lambda resource, amount: str(amount), Plain())
    for number in range(3 * KEPT):
        entries = Entries([PlanCommitted(number), HostsReleased(f"n[{number}]" * 50)])
        short, long = lines.of(entries)
        assert short.strip() == f"plan {number} committed; no further plans tried"
        assert long.strip() == f"released hosts: {f'n[{number}]' * 50}"
        assert lines.of(entries) == [short, long]
    kinds = [kind for single in lines._kept.values() for kind in single.values()]
    kept = [line for kind in kinds for line in kind.values()]
    assert 0 < len(kept) <= KEPT
    assert max(map(len, kept)) <= KEPT_LENGTH
