"""Which cluster the jobs run on, and what they ask of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.slurm.samples import (
    FIXTURES,
    HEADER,
    a_row,
    in_utc,
    jobs_of,
    never_started,
    read,
    report,
)
from xce_core.model.amounts import AmountKind
from xce_core.model.cluster import Cluster, Host, Order, Queue, uniform_cluster
from xce_core.model.jobs import Job
from xce_core.model.requests import Primary
from xce_core.model.resources import SLOTS, Counted, Resource
from xce_core.sim.cluster_file import load_cluster
from xce_core.sim.workload import InputError

GIB = 2**30


def primaries(job: Job) -> tuple[Primary, ...]:
    """The members that *job* asks for."""
    return job.requirement.alternatives[0].members


def test_hosts_have_the_most_that_was_in_use_on_them_at_once() -> None:
    """A job that starts where another ends does not overlap it."""
    rows = a_row(1, 0, 0, 100, cpus=4) + a_row(2, 0, 50, 100, cpus=2)
    rows += a_row(3, 0, 100, 200, cpus=5, node_list="n1") + a_row(4, 0, 10, 10, cpus=1)
    rows += a_row(5, 0, 0, 9, cpus=6, nodes=2, node_list="n[9-10]")
    cluster = read(rows).cluster
    assert [(host.name, host.capacity) for host in cluster.hosts] == [
        ("n1", {"slots": 6}),
        ("n9", {"slots": 3}),
        ("n10", {"slots": 3}),
    ]


def test_memory_and_generic_resources_are_inferred_too() -> None:
    """An equal share on each of a job's nodes, rounded up."""
    rows = a_row(1, given="cpu=4,mem=3G,node=2,gres/gpu=3", node_list="n[1-2]")
    cluster = read(rows).cluster
    capacity = {"slots": 2, "mem": 3 * GIB // 2, "gpu": 2}
    assert [host.capacity for host in cluster.hosts] == [capacity] * 2
    assert [
        (resource.name, resource.kind, resource.counted) for resource in cluster.resources.values()
    ] == [
        ("slots", AmountKind.NUMBER, Counted.TASK),
        ("mem", AmountKind.BYTES, Counted.HOST),
        ("gpu", AmountKind.NUMBER, Counted.HOST),
    ]


def test_partitions_are_queues_on_the_nodes_that_they_used() -> None:
    """Strict and equal; a partition without nodes may use all."""
    rows = a_row(1) + a_row(2, partition="gpu-a:b", node_list="g1")
    rows += never_started(3, partition="idle")
    workload = read(rows)
    jobs = jobs_of(workload)
    assert [host.attributes for host in workload.cluster.hosts] == [
        {"partition.gpu-a_b": True},
        {"partition.normal": True},
    ]
    queues = workload.cluster.queues
    assert {name: (queue.order, queue.priority) for name, queue in queues.items()} == {
        "gpu-a:b": (Order.STRICT, 0),
        "idle": (Order.STRICT, 0),
        "normal": (Order.STRICT, 0),
    }
    selects = [primaries(job)[0].select for job in jobs]
    assert [select and select.text for select in selects] == [
        *("partition.normal", "partition.gpu-a_b", None)
    ]


def test_all_jobs_can_go_to_one_queue() -> None:
    """On the nodes of their partitions nevertheless."""
    rows = a_row(1) + a_row(2, partition="gpu", node_list="g1")
    workload = read(rows, in_utc(queues="one"))
    assert list(workload.cluster.queues) == ["default"]
    assert {job.queue for job in jobs_of(workload)} == {"default"}
    assert all(primaries(job)[0].select for job in jobs_of(read(rows, in_utc(queues="one"))))


def test_without_node_lists_the_way_out_is_named() -> None:
    """S6: a dump shows outcomes, not the machine."""
    for rows in (never_started(), a_row(node_list="n[1-")):
        with pytest.raises(InputError, match=r"give --cluster FILE\.toml or -o scontrol=FILE"):
            read(rows)
    assert "machine: unknown" in report(HEADER + never_started())


def test_a_cluster_that_is_given_says_what_counts() -> None:
    """Amounts as its resources count them, its queues as they are, its default selection."""
    resources = {
        "slots": SLOTS,
        "mem": Resource("mem", counted=Counted.TASK, kind=AmountKind.BYTES),
        "gpu": Resource("gpu", counted=Counted.JOB),
        "ansys": Resource("ansys", shared=True, counted=Counted.JOB),
    }
    hosts = tuple(Host(f"n{n}", n, {"slots": 8, "mem": 8 * GIB}) for n in range(2))
    cluster = Cluster(hosts, resources, {"ansys": 5}, {"normal": Queue("normal", priority=3)})
    tres = "cpu=3,mem=4G,node=1,gres/gpu=2,gres/nic=1,license/ansys=2,license/other=1"
    workload = read(a_row(given=tres) + a_row(2, partition="new"), None, cluster)
    job = jobs_of(workload)[0]
    assert primaries(job)[0].amounts == (
        *(("slots", 1), ("mem", (4 * GIB + 2) // 3), ("gpu", 2), ("ansys", 2)),
    )
    assert workload.cluster.queues["normal"].priority == 3
    assert workload.cluster.queues["new"].order is Order.STRICT
    assert sorted(note for note in workload.notes if "left out" in note) == [
        "asks for what is no resource of the cluster (nic), which is left out",
        "asks for what is no resource of the cluster (other), which is left out",
    ]


def test_a_queue_default_of_the_cluster_file_is_used(tmp_path: Path) -> None:
    """Its selection goes before the partition's attribute."""
    path = tmp_path / "cluster.toml"
    path.write_text(
        '[[resources]]\nname = "mem"\nkind = "bytes"\n'
        '[[hosts]]\nname = "n[1-2]"\ncapacity = {slots = 8, mem = "1G"}\n'
        "attributes = {\"partition.normal\" = true}\n"
        '[[hosts]]\nname = "m1"\ncapacity = {slots = 8}\nattributes = {big = true}\n'
        '[[queues]]\nname = "fat"\ndefault = {select = "big", request = {mem = "1M"}}\n'
    )
    rows = a_row(1) + a_row(2, partition="fat")
    jobs = jobs_of(read(rows, None, load_cluster(str(path))))
    selects = [primaries(job)[0].select for job in jobs]
    assert [select and select.text for select in selects] == ["partition.normal", "big"]
    assert dict(primaries(jobs[1])[0].amounts)["mem"] == 2**20


def test_a_description_of_the_nodes_is_the_cluster() -> None:
    """Of a file that the user names."""
    options = in_utc(scontrol=str(FIXTURES / "nodes.txt"))
    workload = read(a_row(partition="batch") + a_row(2, partition="gpu"), options)
    assert [host.name for host in workload.cluster.hosts] == ["n1", "n2", "g1"]
    assert workload.cluster.queues["gpu"].priority == 10
    select = primaries(jobs_of(workload)[1])[0].select
    assert select is not None
    assert select.text == "partition.gpu"
    with pytest.raises(InputError, match="there is a cluster from --cluster already"):
        read(a_row(), options, uniform_cluster(1, 1, Queue("q")))
    with pytest.raises(InputError, match="no such file"):
        read(a_row(), in_utc(scontrol="/no/such/file"))
