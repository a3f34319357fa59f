"""Cluster files: what the tables mean, and what is said of one that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from tests.sim.recording_samples import THOROUGH, clusters
from xce_core.model.amounts import AmountKind
from xce_core.model.cluster import Cluster, Host, HostState, Order, Queue
from xce_core.model.limits import Dimension, Limit, Scope
from xce_core.model.resources import SLOTS, Counted, Resource
from xce_core.sim.cluster_file import load_cluster
from xce_core.sim.cluster_object import cluster_of
from xce_core.sim.cluster_text import cluster_object
from xce_core.sim.fields import FieldError
from xce_core.sim.workload import InputError

GIB = 2**30

WHOLE = """
[[resources]]
name = "mem"
counted = "host"
kind = "bytes"

[[resources]]
name = "load"
decimals = 1

[[resources]]
name = "license"
shared = true
counted = "job"
total = 10

[[hosts]]
name = "n[01-02]"
capacity = { slots = 8, mem = "64G", load = 0.5 }
attributes = { type = "gpu", rack = 3, fast = true, speed = 2.5 }

[[hosts]]
name = "login"
state = "closed"

[[queues]]
name = "normal"
priority = 50
order = "strict"

[[queues]]
name = "staff"
open = false
users = ["root", "bob"]
default = { request = { mem = "2G" }, select = "mem>=32G" }

[[limits]]
name = "lim_user"
resource = "slots"
value = 100
per = ["user"]

[[limits]]
name = "lim_host"
resource = "jobs"
value = 1
queues = ["normal"]
hosts = ["login", "n01"]

[[limits]]
name = "lim_mem"
resource = "mem"
value = "1T"
users = ["alice", "bob"]
projects = ["p"]
per = ["project"]
"""


def cluster_from(tmp_path: Path, text: str | bytes) -> Cluster:
    file = tmp_path / "c.toml"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_cluster(str(file))


def fault_of(tmp_path: Path, text: str | bytes) -> str:
    """What is said of *text*, without the path."""
    with pytest.raises(InputError) as caught:
        cluster_from(tmp_path, text)
    assert caught.value.path == str(tmp_path / "c.toml")
    return str(caught.value).removeprefix(f"{tmp_path}/c.toml:")


def test_every_part_of_a_cluster_file(tmp_path: Path) -> None:
    """C1: resources, hosts, queues and limits."""
    cluster = cluster_from(tmp_path, WHOLE)
    assert dict(cluster.resources) == {
        "slots": SLOTS,
        "mem": Resource("mem", counted=Counted.HOST, kind=AmountKind.BYTES),
        "load": Resource("load", decimals=1),
        "license": Resource("license", shared=True, counted=Counted.JOB),
    }
    assert cluster.shared == {"license": 10}
    capacity = {"slots": 8, "mem": 64 * GIB, "load": 5}
    attributes = {"type": "gpu", "rack": 3, "fast": True, "speed": 2.5}
    assert cluster.hosts == (
        Host("n01", 0, capacity, attributes),
        Host("n02", 1, capacity, attributes),
        Host("login", 2, {}, {}, HostState.CLOSED),
    )
    normal, staff = cluster.queues.values()
    assert normal == Queue("normal", 50, Order.STRICT)
    assert (staff.is_open, staff.users) == (False, frozenset({"root", "bob"}))
    assert staff.default is not None
    assert staff.default.amounts == (("mem", 2 * GIB),)
    assert str(staff.default.select) == "mem >= 32G"
    assert cluster.limits == (
        Limit("lim_user", "slots", 100, (Scope(Dimension.USER, None, True),)),
        Limit(
            "lim_host",
            "jobs",
            1,
            (
                Scope(Dimension.QUEUE, ("normal",), False),
                Scope(Dimension.HOST, ("n01", "login"), True),
            ),
        ),
        Limit(
            "lim_mem",
            "mem",
            1024 * GIB,
            (
                Scope(Dimension.USER, ("alice", "bob"), False),
                Scope(Dimension.PROJECT, ("p",), True),
            ),
        ),
    )


def test_the_least_cluster(tmp_path: Path) -> None:
    """C1: hosts alone; there are slots, and a queue named default."""
    cluster = cluster_from(tmp_path, '[[hosts]]\nname = "a"\ncapacity.slots = 2')
    assert list(cluster.resources) == ["slots"]
    assert list(cluster.queues) == ["default"]
    assert cluster.hosts == (Host("a", 0, {"slots": 2}),)


def test_slots_can_be_defined_anew(tmp_path: Path) -> None:
    """C1: for instance with fractions."""
    text = '[[resources]]\nname="slots"\ndecimals=1\n[[hosts]]\nname="a"\ncapacity.slots=0.5'
    assert cluster_from(tmp_path, text).hosts[0].capacity == {"slots": 5}


@THOROUGH
@given(clusters())
def test_a_cluster_written_reads_as_what_it_was(cluster: Cluster) -> None:
    """S5: through JSON, which keeps the order and the kinds of attributes."""
    text = json.dumps(cluster_object(cluster))
    again = cluster_of(json.loads(text))
    assert again == cluster
    assert json.dumps(cluster_object(again)) == text
    for one, other in zip(again.hosts, cluster.hosts, strict=True):
        assert repr(sorted(one.attributes.items())) == repr(sorted(other.attributes.items()))


def test_users_of_a_queue_are_written_in_order() -> None:
    """S5, C7: never in the order of a hash."""
    users = frozenset("eve bob alice dan carol".split())
    cluster = Cluster((Host("a", 0, {}),), {"slots": SLOTS}, {}, {"q": Queue("q", users=users)})
    (queue,) = cluster_object(cluster)["queues"]
    assert queue["users"] == ["alice", "bob", "carol", "dan", "eve"]
    assert cluster_of(cluster_object(cluster)) == cluster


HOST = '[[hosts]]\nname = "n[1-2]"\ncapacity = { slots = 4 }\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", " hosts: missing"),
        ("hosts = []", " hosts: expected at least 1 in the list, found 0"),
        ("[hosts]", " hosts: expected a list, found an object"),
        ("hosts = [1]", " hosts[1]: expected an object, found 1"),
        ("[[host]]", " host: unknown field; did you mean hosts?"),
        ("[[hosts]]\nname = n1", "2:8: TOML: invalid value"),
        ('[[hosts]]\nname = "n1', " TOML: "),
        (b"\n[[hosts]]\nname = '\xff'", "3: expected text in UTF-8, found another byte"),
        ("x = " + "[" * 9999, " TOML: nested too deeply"),
        ("x = " + "9" * 9999, " "),
        ("[[hosts]]\ncapacity = {}", " hosts[1].name: missing"),
        (HOST + HOST, ' hosts[2].name: host "n1" stands twice'),
        (HOST + "capasity = 1", " hosts[1].capasity: unknown field; did you mean capacity?"),
        (HOST + 'state = "up"', ' hosts[1].state: expected one of open, closed, down, found "up"'),
        (
            HOST + "attributes = { day = 2020-02-02 }",
            " hosts[1].attributes.day: expected a text, a number, true or false, found a date",
        ),
        (
            HOST + "attributes = { slots = 2 }",
            " hosts[1].attributes.slots: is the name or a capacity of every host",
        ),
        (
            HOST + 'attributes = { "a b" = 2 }',
            ' hosts[1].attributes."a b": expected a letter or \'_\', then letters, digits,'
            " '_', '.' and '-', found \"a b\"",
        ),
        (
            '[[hosts]]\nname = "a\\u001b"',
            " hosts[1].name: expected a name of at most 255 printable characters,"
            ' found "a\\u001b"',
        ),
        (
            '[[hosts]]\nname = "n[1-9999999]"',
            " hosts[1].name: column 1: expected at most 1000000 names, found more",
        ),
        (
            '[[hosts]]\nname = "a"\ncapacity.mem = "64G"',
            ' hosts[1].capacity: unknown resource "mem"',
        ),
        (
            '[[hosts]]\nname = "a"\ncapacity.slots = -1',
            " hosts[1].capacity.slots: expected a number of zero or more, found -1",
        ),
        (HOST + '[[resources]]\nname = "jobs"', " resources[1].name: jobs is a word for limits"),
        (
            HOST + '[[resources]]\nname = "gpu"\n' * 2,
            ' resources[2].name: resource "gpu" stands twice',
        ),
        (
            HOST + '[[resources]]\nname = "gpu"\ntotal = 3',
            " resources[1].total: only a shared resource has a total",
        ),
        (
            HOST + '[[resources]]\nname = "gpu"\nkind = "byte"',
            ' resources[1].kind: expected number or bytes, found "byte"',
        ),
        (
            HOST + '[[resources]]\nname = "gpu"\ndecimals = 7',
            " resources[1].decimals: expected a whole number, 6 or less, found 7",
        ),
        (
            HOST + '[[resources]]\nname = "mem"\nkind = "bytes"\ndecimals = 1',
            " resources[1].decimals: bytes have no decimals",
        ),
        (
            HOST + '[[resources]]\nname = "slots"\nkind = "bytes"',
            " resources[1].name: slots must be a number of each host",
        ),
        (HOST + '[[queues]]\nname = ""', ' queues[1].name: expected a name, found ""'),
        (HOST + '[[queues]]\nname = "q"\n' * 2, ' queues[2].name: queue "q" stands twice'),
        (
            HOST + '[[queues]]\nname = "q"\norder = "fifo"',
            ' queues[1].order: expected strict or greedy, found "fifo"',
        ),
        (
            HOST + '[[queues]]\nname = "q"\ndefault.select = "mem >="',
            " queues[1].default.select: column 7: expected a value, found the end",
        ),
        (
            HOST + '[[queues]]\nname = "q"\ndefault.request.slots = 0.5',
            " queues[1].default.request.slots: expected a whole number, found 0.5",
        ),
        (
            HOST + '[[limits]]\nname = "l"\nresource = "slots"\nvalue = 1\nqueues = ["q"]',
            ' limits[1].queues: unknown queue "q"',
        ),
        (
            HOST + '[[limits]]\nname = "l"\nresource = "slots"\nvalue = 1\nusers = ["a", "a"]',
            ' limits[1].users[2]: "a" stands twice',
        ),
        (
            HOST + '[[limits]]\nname = "l"\nresource = "slots"\nvalue = 1\nhosts = ["n1", "n1"]',
            ' limits[1].hosts: host "n1" stands twice',
        ),
        (
            HOST + '[[limits]]\nname = "l"\nresource = "jobs"\nvalue = 1\n' * 2,
            ' limits[2].name: limit "l" stands twice',
        ),
    ],
)
def test_a_fault_names_the_table(tmp_path: Path, text: str, fault: str) -> None:
    """S6: the path of the field, and the line where TOML tells it."""
    assert fault_of(tmp_path, text).startswith(fault)


def test_a_cluster_file_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S8: an endless one is not read."""
    monkeypatch.setattr("xce_core.sim.cluster_file.CLUSTER_LIMIT", 10)
    assert fault_of(tmp_path, HOST) == " expected a file of at most 10 bytes"


def test_what_is_no_object() -> None:
    """S6: the cluster of a header is checked the same way."""
    with pytest.raises(FieldError, match="expected an object, found 3"):
        cluster_of(3)
