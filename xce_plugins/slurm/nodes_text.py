"""A cluster from Slurm's own words: ``scontrol show node`` and the like, or a slurm.conf."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from xce_core.model.cluster import Cluster, Host, HostState, Order, Queue
from xce_core.model.expressions import Value
from xce_core.model.hostlist import HostListError, unfold
from xce_core.model.resources import SLOTS, Counted, Resource
from xce_core.sim.fields import printable
from xce_core.sim.findings import Findings
from xce_core.sim.streams import open_input
from xce_core.sim.workload import InputError
from xce_plugins.slurm.entries import Entry, entries
from xce_plugins.slurm.fields import clean_name
from xce_plugins.slurm.inferred import MEMORY, is_resource
from xce_plugins.slurm.partitions import attribute_of, is_word

FILE_LIMIT = 256 * 2**20
"""How many bytes the text may have."""

HOSTS_LIMIT = 1_000_000
NOT_OPEN = "hosts not open when their description was taken, and so in the replay"
PARTITION_CLOSED = "partitions not open when they were described, and so in the replay"
FUTURE = "hosts that are not there yet (FUTURE), left out"

_NUMBER = re.compile(r"\d{1,9}", re.ASCII)
_MEGABYTES = re.compile(r"\d{1,12}", re.ASCII)
_GRES = re.compile(r"([^:,()]+)(?::([^,()]*))?(?:\(([^)]*)\))?(?:,|$)")
_SUFFIX = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_DOWN = frozenset("DOWN FAIL FAILING ERROR".split())
_CLOSED = frozenset("DRAIN DRAINED DRAINING MAINT NO_RESPOND".split())


def load_nodes(path: str, findings: Findings) -> Cluster:
    """The cluster that the text in the file at *path* describes.

    :raises InputError: if it can't be read, or describes no node.
    """
    with open_input(path) as source:
        data = source.read(FILE_LIMIT + 1)
    if len(data) > FILE_LIMIT:
        raise InputError(path, 0, f"expected a file of at most {FILE_LIMIT} bytes")
    return nodes_cluster(data.decode("utf-8", "replace"), path, findings)


def nodes_cluster(text: str, path: str, findings: Findings) -> Cluster:
    """The cluster that *text* describes: its nodes, partitions and licences.

    :raises InputError: naming the line that is wrong.
    """
    nodes = _Nodes(path, findings)
    partitions = _Partitions(path, findings)
    shared: dict[str, int] = {}
    for line, kind, entry in entries(text, findings):
        if kind == "nodename":
            nodes.add(line, entry)
        elif kind == "partitionname":
            partitions.add(line, entry)
        else:
            shared |= _licences(entry.get("licenses", ""))
    return _cluster(nodes, partitions, shared, path)


class _Nodes:
    """The nodes described so far; ``NodeName=DEFAULT`` gives what later ones leave out."""

    def __init__(self, path: str, findings: Findings) -> None:
        self.found: dict[str, tuple[dict[str, int], dict[str, Value], HostState]] = {}
        self.partitions: dict[str, list[str]] = {}
        self._default: Entry = {}
        self._path = path
        self._findings = findings

    def add(self, line: int, entry: Entry) -> None:
        """Take in a node, or several that are alike."""
        listed = entry.pop("nodename", "")
        if listed.upper() == "DEFAULT":
            self._default |= entry
            return
        said = {**self._default, **entry}
        names = names_in(listed, self._path, line)
        state = _state(said.get("state", ""))
        if state is None:
            self._findings.note(FUTURE, 0, len(names))
            return
        try:
            capacity, attributes = _capacity(said), _features(said)
            capacity, types = _with_gres(capacity, said.get("gres", ""))
        except ValueError as error:
            what = f"NodeName={clean_name(listed[:60])}: {error}"
            raise InputError(self._path, line, what) from None
        if state is not HostState.OPEN:
            self._findings.note(NOT_OPEN, 0, len(names))
        for name in names:
            self.found[name] = (capacity, {**attributes, **types}, state)
            for partition in filter(None, said.get("partitions", "").split(",")):
                self.partitions.setdefault(clean_name(partition), []).append(name)
        if len(self.found) > HOSTS_LIMIT:
            raise InputError(self._path, line, f"expected at most {HOSTS_LIMIT} nodes")


def names_in(listed: str, path: str, line: int) -> list[str]:
    """The node names of a list.

    :raises InputError: if it is none.
    """
    try:
        names = unfold(listed, HOSTS_LIMIT)
    except HostListError as error:
        raise InputError(path, line, printable(f"node list: {error}")) from None
    if not names or not all(name.isprintable() for name in names):
        raise InputError(path, line, f"expected node names, found {listed[:60]!r}")
    return names


def _capacity(said: Mapping[str, str]) -> dict[str, int]:
    capacity = {SLOTS.name: _cpus(said)}
    memory = _number(said, "realmemory", 0, _MEGABYTES) - _number(said, "memspeclimit", 0)
    if memory > 0:
        capacity[MEMORY.name] = memory * 2**20
    return capacity


def _cpus(said: Mapping[str, str]) -> int:
    for name in ("cpuefctv", "cputot", "cpus", "procs"):
        if name in said:
            return _number(said, name, 1)
    boards = _number(said, "boards", 1)
    sockets = _number(said, "sockets", 0) or boards * _number(said, "socketsperboard", 1)
    return sockets * _number(said, "corespersocket", 1) * _number(said, "threadspercore", 1)


def _number(
    said: Mapping[str, str], name: str, otherwise: int, look: re.Pattern[str] = _NUMBER
) -> int:
    text = said.get(name)
    if text is None or text in ("N/A", "(null)"):
        return otherwise
    if look.fullmatch(text) is None:
        raise ValueError(f"{name}: expected a number, found {text[:40]!r}")
    return int(text)


def _features(said: Mapping[str, str]) -> dict[str, Value]:
    """``feature.IB`` and the like, as far as selection expressions can speak of them."""
    for key in ("activefeatures", "availablefeatures", "features", "feature"):
        listed = said.get(key, "")
        if listed and listed != "(null)":
            names = (f"feature.{name.strip()}" for name in listed.split(","))
            return {name: True for name in names if is_word(name)}
    return {}


def _with_gres(
    capacity: dict[str, int], listed: str
) -> tuple[dict[str, int], dict[str, Value]]:
    """*capacity* with ``gpu:tesla:2(S:0-1),nic:1`` added, and ``gpu_type`` and the like."""
    counts: Counter[str] = Counter()
    types: dict[str, Value] = {}
    for name, words, _ in _GRES.findall("" if listed in ("(null)", "N/A") else listed):
        *kinds, last = words.split(":") if words else [""]
        amount = _gres_amount(last)
        if amount is None:  # gpu:tesla is one of that type
            kinds, amount = [*kinds, last], 1
        if "no_consume" in kinds or not is_resource(name.strip()):
            continue
        counts[name.strip()] += amount
        if kinds and kinds[0]:
            types.setdefault(f"{name.strip()}_type", kinds[0])
    return {**capacity, **counts}, types


def _gres_amount(text: str) -> int | None:
    if not text:
        return 1
    number, suffix = (text[:-1], text[-1].upper()) if not text[-1].isdigit() else (text, "")
    if suffix not in _SUFFIX or _NUMBER.fullmatch(number) is None:
        return None
    return int(number) * _SUFFIX[suffix]


def _state(text: str) -> HostState | None:
    """None for a node that is not there yet."""
    words = set(re.split(r"[+\s]", re.sub(r"[*~#!%$@^-]+(?=\+|$)", "", text.upper())))
    if "FUTURE" in words:
        return None
    if words & _DOWN:
        return HostState.DOWN
    return HostState.CLOSED if words & _CLOSED else HostState.OPEN


# Partitions and licences.


class _Partitions:
    """The partitions described so far; ``PartitionName=DEFAULT`` as for nodes."""

    def __init__(self, path: str, findings: Findings) -> None:
        self.queues: dict[str, Queue] = {}
        self.nodes: dict[str, tuple[int, str]] = {}
        self._default: Entry = {}
        self._path = path
        self._findings = findings

    def add(self, line: int, entry: Entry) -> None:
        """Take in a partition."""
        name = clean_name(entry.pop("partitionname", ""))
        if name.upper() == "DEFAULT":
            self._default |= entry
            return
        said = {**self._default, **entry}
        try:
            tier = "prioritytier" if "prioritytier" in said else "priority"
            priority = _number(said, tier, 1)
        except ValueError as error:
            raise InputError(self._path, line, f"PartitionName={name[:60]}: {error}") from None
        is_open = said.get("state", "UP").upper() in ("UP", "DRAIN")
        if not is_open:
            self._findings.note(PARTITION_CLOSED, 0)
        self.queues[name] = Queue(name, priority, Order.STRICT, is_open)
        self.nodes[name] = line, said.get("nodes", "")


def _licences(listed: str) -> dict[str, int]:
    """Totals of ``fluent:30,ansys:100``; ``Licenses=`` of a slurm.conf."""
    found = {}
    for item in filter(None, listed.split(",")):
        name, _, total = item.partition(":")
        total = total.partition(":")[0]
        if is_resource(name) and (not total or _NUMBER.fullmatch(total)):
            found[name] = int(total or 1)
    return found


def _cluster(
    nodes: _Nodes, partitions: _Partitions, shared: Mapping[str, int], path: str
) -> Cluster:
    if not nodes.found:
        what = "expected lines with NodeName=, as of scontrol show node or a slurm.conf"
        raise InputError(path, 0, what)
    for partition, names in nodes.partitions.items():
        for name in names:
            nodes.found[name][1][attribute_of(partition)] = True
    for partition, (line, listed) in partitions.nodes.items():
        everywhere = listed.upper() == "ALL"
        names = list(nodes.found) if everywhere else _members(listed, path, line)
        for name in names:
            if name in nodes.found:
                nodes.found[name][1][attribute_of(partition)] = True
    hosts = tuple(
        Host(name, index, capacity, attributes, state)
        for index, (name, (capacity, attributes, state)) in enumerate(nodes.found.items())
    )
    on_hosts = {name for host in hosts for name in host.capacity}
    licences = {name: total for name, total in shared.items() if name not in on_hosts}
    return Cluster(hosts, _resources(hosts, licences), licences, partitions.queues)


def _members(listed: str, path: str, line: int) -> list[str]:
    return names_in(listed, path, line) if listed not in ("", "(null)") else []


def _resources(hosts: tuple[Host, ...], shared: Mapping[str, int]) -> dict[str, Resource]:
    named = sorted({name for host in hosts for name in host.capacity} - {SLOTS.name, MEMORY.name})
    resources = {SLOTS.name: SLOTS}
    if any(MEMORY.name in host.capacity for host in hosts):
        resources[MEMORY.name] = MEMORY
    resources |= {name: Resource(name, counted=Counted.HOST) for name in named}
    resources |= {name: Resource(name, shared=True, counted=Counted.JOB) for name in shared}
    return resources
