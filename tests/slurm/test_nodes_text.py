"""Clusters from Slurm's own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.slurm.samples import DATA, FIXTURES
from xce_core.model.cluster import Cluster, HostState, Order
from xce_core.sim.findings import Findings
from xce_core.sim.workload import InputError
from xce_plugins.slurm import load_nodes, nodes_cluster

MIB = 2**20
CONFIGURATIONS = sorted(DATA.glob("slurm/ubsim/**/slurm.conf"))


def described(text: str, findings: Findings | None = None) -> Cluster:
    """The cluster of *text*."""
    return nodes_cluster(text, "nodes", findings or Findings())


def test_what_scontrol_shows_is_a_cluster() -> None:
    """C1: hosts with their capacities, attributes and partitions."""
    cluster = load_nodes(str(FIXTURES / "nodes.txt"), Findings())
    facts = [(host.name, host.capacity, host.attributes) for host in cluster.hosts]
    assert facts == [
        ("n1", {"slots": 8, "mem": 16000 * MIB}, {"feature.ib": True, "partition.batch": True}),
        ("n2", {"slots": 8, "mem": 16000 * MIB}, {"feature.ib": True, "partition.batch": True}),
        (
            "g1",
            {"slots": 4, "mem": 31000 * MIB, "gpu": 2},
            {"gpu_type": "v100", "partition.gpu": True},
        ),
    ]
    assert [(q.name, q.priority, q.is_open) for q in cluster.queues.values()] == [
        ("batch", 1, True),
        ("gpu", 10, True),
    ]
    assert cluster.queues["gpu"].order is Order.STRICT
    assert list(cluster.resources) == ["slots", "mem", "gpu"]


def test_a_node_on_one_line_is_a_node() -> None:
    """As scontrol --oneliner shows it."""
    cluster = described("NodeName=n1 CPUTot=2 RealMemory=10 State=IDLE OS=Linux 5 Gres=gpu:1\n")
    assert cluster.hosts[0].capacity == {"slots": 2, "mem": 10 * MIB, "gpu": 1}


def test_a_configuration_is_a_cluster() -> None:
    """DEFAULT lines, brackets, remarks, lines that go on, whatever else stands there."""
    cluster = described(
        "ClusterName=x  # our own\n"
        "Licenses=fluent:30,ansys,odd@server:3\n"
        "nodename=DEFAULT RealMemory=1000 Sockets=2 CoresPerSocket=4 \\\n"
        "  ThreadsPerCore=2\n"
        "NodeName=n[1-2] Feature=ib,7$\n"
        "NodeName=DEFAULT CPUs=3\n"
        "NodeName=b[01-02],c1 Feature=\"big\" RealMemory=4000\n"
        "PartitionName=DEFAULT State=UP Priority=7\n"
        "PartitionName=all Nodes=ALL\n"
        "PartitionName=big Nodes=b[01-02],elsewhere PriorityTier=9 State=DOWN\n"
    )
    assert [(host.name, host.capacity["slots"]) for host in cluster.hosts] == [
        *(("n1", 16), ("n2", 16), ("b01", 3), ("b02", 3), ("c1", 3))
    ]
    assert cluster.hosts[0].attributes == {"feature.ib": True, "partition.all": True}
    assert cluster.hosts[2].attributes == {
        "feature.big": True,
        "partition.all": True,
        "partition.big": True,
    }
    assert [(q.name, q.priority, q.is_open) for q in cluster.queues.values()] == [
        ("all", 7, True),
        ("big", 9, False),
    ]
    assert cluster.shared == {"fluent": 30, "ansys": 1}


@pytest.mark.parametrize(
    ("listed", "capacity", "types"),
    [
        ("gpu:2", {"gpu": 2}, {}),
        ("gpu", {"gpu": 1}, {}),
        ("gpu:v100", {"gpu": 1}, {"gpu_type": "v100"}),
        ("gpu:v100:2(S:0,1),gpu:a100:1,nic:4", {"gpu": 3, "nic": 4}, {"gpu_type": "v100"}),
        ("gpu:tesla_p100-pcie-16gb:2", {"gpu": 2}, {"gpu_type": "tesla_p100-pcie-16gb"}),
        ("bandwidth:lustre:no_consume:4G,craynetwork:4", {"craynetwork": 4}, {}),
        ("shard:1K", {"shard": 1024}, {}),
        ("(null)", {}, {}),
    ],
)
def test_generic_resources(listed: str, capacity: dict[str, int], types: dict[str, str]) -> None:
    """Counted by name, whatever their types."""
    (host,) = described(f"NodeName=n1 CPUs=1 Gres={listed}").hosts
    assert host.capacity == {"slots": 1, **capacity}
    assert host.attributes == types


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("IDLE", HostState.OPEN),
        ("MIXED+PLANNED", HostState.OPEN),
        ("ALLOCATED*", HostState.OPEN),
        ("UNKNOWN", HostState.OPEN),
        ("IDLE+DRAIN", HostState.CLOSED),
        ("DRAINED", HostState.CLOSED),
        ("MIXED+DRAIN", HostState.CLOSED),
        ("DOWN*", HostState.DOWN),
        ("DOWN+DRAIN", HostState.DOWN),
        ("IDLE~", HostState.OPEN),
        ("IDLE+CLOUD+POWERED_DOWN", HostState.OPEN),
    ],
)
def test_states_of_nodes(state: str, expected: HostState) -> None:
    """A node that is not open is noted, as the replay does without it."""
    findings = Findings()
    (host,) = described(f"NodeName=n1 CPUs=1 State={state}", findings).hosts
    assert host.state is expected
    assert bool(findings.notes) == (expected is not HostState.OPEN)


def test_nodes_of_the_future_are_left_out() -> None:
    """Noted with their number; an Include line is not followed."""
    findings = Findings()
    text = "NodeName=n1 CPUs=1\nNodeName=f[1-3] CPUs=1 State=FUTURE\nInclude /etc/passwd\n"
    assert len(described(text, findings).hosts) == 1
    assert sorted(findings.notes.items()) == [
        ("Include line of a slurm.conf, not followed", 1),
        ("hosts that are not there yet (FUTURE), left out", 3),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"^nodes: expected lines with NodeName="),
        ("ClusterName=x", r"^nodes: expected lines with NodeName="),
        ("#\nNodeName=n[1-", r"^nodes:2: node list: column 5"),
        ("NodeName=n1 CPUs=many", r"^nodes:1: NodeName=n1: cpus: expected a number, found 'many'"),
        ("NodeName=n1 RealMemory=9x", r"^nodes:1: NodeName=n1: realmemory: expected a number"),
        ("NodeName=n1\nPartitionName=p Nodes=n[", r"^nodes:2: node list"),
        ("NodeName=n1\nPartitionName=p PriorityTier=x", r"^nodes:2: PartitionName=p: priority"),
        ("NodeName=n[1-9999999]", r"^nodes:1: node list: .* at most 1000000 names"),
    ],
)
def test_faults_are_told_with_their_line(text: str, said: str) -> None:
    """S6."""
    with pytest.raises(InputError, match=said):
        described(text)


@pytest.mark.skipif(not CONFIGURATIONS, reason="no slurm.conf: set XCE_DATA")
@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.parent.name)
def test_real_configurations(path: Path) -> None:
    """A small machine, and one of 219 nodes."""
    cluster = load_nodes(str(path), Findings())
    slots = sum(host.capacity["slots"] for host in cluster.hosts)
    expected = {"ubsim": (10, 120, ["normal", "debug"]),
                "medium": (217, 87 * 32 + 2 * 32 + (8 + 96 + 24) * 40,
                           ["general-compute", "debug"])}
    assert (len(cluster.hosts), slots, list(cluster.queues)) == expected[path.parent.name]
    gpus = sum(host.capacity.get("gpu", 0) for host in cluster.hosts)
    assert gpus == {"ubsim": 2, "medium": 20}[path.parent.name]
    assert all(host.capacity["mem"] for host in cluster.hosts)
