"""The header, the machine and the queues."""

from __future__ import annotations

import pytest

from tests.swf.samples import MACHINE, a_line, jobs_of, opened
from xce_core.model.cluster import Order, Queue, uniform_cluster
from xce_core.sim.workload import InputError
from xce_plugins.swf import SwfOptions


@pytest.mark.parametrize(
    ("header", "hosts", "slots"),
    [
        ("; MaxNodes: 144\n; MaxProcs: 1152\n", 144, 8),
        ("; MaxNodes: 5\n; MaxProcs: 8\n", 8, 1),
        ("; MaxNodes: 16\n; MaxProcs: 8\n", 8, 1),
        ("; MaxProcs: 8\n", 8, 1),
        ("; MaxNodes: -1\n; MaxProcs: 100\n", 100, 1),
        ("; MaxNodes: 256\n", 256, 1),
        (";MaxNodes:338 (batch partition; 512 total)\r\n", 338, 1),
        ("; MaxProcs: UNKNOWN\n; MaxNodes : 3\n", 3, 1),
        ("; MaxProcs: -1\n; MaxProcs: 8\n; MaxProcs: 9\n", 8, 1),
        (";; maxprocs: 1,152\n", 1152, 1),
    ],
)
def test_the_header_gives_the_machine(header: str, hosts: int, slots: int) -> None:
    """As headers are really written."""
    cluster = opened(header + a_line()).cluster
    assert [host.capacity["slots"] for host in cluster.hosts] == [slots] * hosts


def test_an_option_goes_before_the_header() -> None:
    """Hosts of one slot each."""
    cluster = opened("; MaxNodes: 4\n; MaxProcs: 8\n" + a_line(), SwfOptions(procs=6)).cluster
    assert [host.capacity["slots"] for host in cluster.hosts] == [1] * 6


@pytest.mark.parametrize("text", [a_line(), "", "; MaxProcs: 0\n", a_line() + MACHINE])
def test_without_a_machine_the_way_out_is_named(text: str) -> None:
    """S6: the header counts only before the first job."""
    with pytest.raises(InputError, match=r"give --cluster FILE.toml or the option procs=N"):
        opened(text)


def test_a_cluster_goes_before_the_header() -> None:
    """Its slots bound the jobs, its queue is the one that its file configures."""
    cluster = uniform_cluster(2, 3, Queue("default", priority=7, order=Order.GREEDY))
    workload = opened(MACHINE + a_line(1, procs=6) + a_line(2, procs=7), cluster=cluster)
    assert [job.number for job in jobs_of(workload)] == [1]
    assert workload.cluster is cluster


def test_queues_that_the_cluster_lacks_are_added() -> None:
    """Strict ones, beside its own."""
    cluster = uniform_cluster(2, 3, Queue("q1", priority=7))
    text = MACHINE + a_line(1, queue=1) + a_line(2, queue=10) + a_line(3, queue=2)
    workload = opened(text, SwfOptions(queues="log"), cluster)
    queues = workload.cluster.queues
    assert {name: (q.priority, q.order.value) for name, q in queues.items()} == {
        "q1": (7, "greedy"),
        "q2": (0, "strict"),
        "q10": (0, "strict"),
    }
    assert [job.queue for job in jobs_of(workload)] == ["q1", "q10", "q2"]


def test_a_log_without_jobs_is_a_log() -> None:
    """Nothing to do is no fault."""
    assert jobs_of(opened(MACHINE)) == []
