"""A cluster from the node lists of a dump: what was in use on each node at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from xce_core.model.amounts import AmountKind
from xce_core.model.cluster import Cluster, Host
from xce_core.model.hostlist import HostListError, unfold
from xce_core.model.resources import SLOTS, Counted, Resource
from xce_core.sim.findings import Findings
from xce_core.sim.workload import InputError
from xce_plugins.slurm.attempts import Attempt, Attempts
from xce_plugins.slurm.clock import UNKNOWN
from xce_plugins.slurm.fields import NAME_LIMIT
from xce_plugins.slurm.partitions import is_word, partition_attributes

INFERRED = "hosts inferred from the node lists, each with the most that was in use on it at once"
NODES_UNREADABLE = "node list not understood"
NO_NODES = (
    "names no nodes on which jobs ran: give --cluster FILE.toml or -o scontrol=FILE (the text of "
    "scontrol show node, or a slurm.conf)"
)

MEMORY = Resource("mem", counted=Counted.HOST, kind=AmountKind.BYTES)
_HOSTS_LIMIT = 1_000_000
_NUMBERS = re.compile(r"(\d+)")


class NodeLists:
    """The hosts that the node lists of a dump name, by number."""

    def __init__(self, attempts: Attempts, findings: Findings, path: str) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._texts = attempts.node_lists.values
        self._read: dict[int, tuple[int, ...]] = {}
        self._findings = findings
        self._path = path

    def hosts(self, row: Attempt) -> tuple[int, ...]:
        """The hosts on which *row* ran; none if that is not known."""
        found = self._read.get(row.nodes)
        if found is None:
            found = self._read[row.nodes] = self._unfolded(self._texts[row.nodes], row.line)
        return found

    def _unfolded(self, text: str, line: int) -> tuple[int, ...]:
        try:
            names = unfold(text, _HOSTS_LIMIT)
        except HostListError:
            names = [""]
        if any(not name.isprintable() or not 0 < len(name) <= NAME_LIMIT for name in names):
            self._findings.note(NODES_UNREADABLE, line)
            return ()
        found = tuple(dict.fromkeys(self._number(name) for name in names))
        if len(self.names) > _HOSTS_LIMIT:
            raise InputError(self._path, line, f"expected at most {_HOSTS_LIMIT} different nodes")
        return found

    def _number(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number


class Peaks:
    """The most of everything that was in use at once on each host, and by which partitions."""

    def __init__(self) -> None:
        self.capacity: dict[int, Counter[str]] = {}
        self.partitions: dict[int, dict[int, None]] = {}
        self._in_use: dict[int, Counter[str]] = {}

    def start(self, row: Attempt, hosts: tuple[int, ...], share: Mapping[str, int]) -> None:
        """A job starts on *hosts*, and takes *share* on each."""
        for host in hosts:
            peak = self.capacity.setdefault(host, Counter())
            in_use = self._in_use.setdefault(host, Counter())
            self.partitions.setdefault(host, {})[row.queue] = None
            for name, amount in share.items():
                in_use[name] += amount
                if in_use[name] > peak[name]:
                    peak[name] = in_use[name]

    def end(self, hosts: tuple[int, ...], share: Mapping[str, int]) -> None:
        """A job that took *share* on each of *hosts* ends."""
        for host in hosts:
            self._in_use[host].subtract(share)


def inferred_cluster(
    attempts: Attempts, used: list[int], findings: Findings, path: str
) -> Cluster:
    """The hosts that jobs ran on, without queues.

    :param used: places of the rows to go by.
    :raises InputError: if no row names any.
    """
    lists = NodeLists(attempts, findings, path)
    peaks = Peaks()
    starts = attempts.columns["start"]
    ran = [place for place in used if starts[place] != UNKNOWN]
    for begins, row in _steps(attempts, ran):
        hosts = lists.hosts(row)
        if not hosts:
            continue
        share = _share(attempts, row, len(hosts))
        if begins:
            peaks.start(row, hosts, share)
        if not begins or row.run == 0:
            peaks.end(hosts, share)
    if not peaks.capacity:
        raise InputError(path, 0, NO_NODES)
    findings.note(INFERRED, 0, len(peaks.capacity))
    return _cluster(attempts, lists, peaks)


def _steps(attempts: Attempts, ran: list[int]) -> Iterator[tuple[bool, Attempt]]:
    """Starts (True) and ends of jobs in order of time; what ends frees before a start takes."""
    starts, runs = attempts.columns["start"], attempts.columns["run"]
    ends = sorted((p for p in ran if runs[p]), key=lambda place: starts[place] + runs[place])
    ended = 0
    for place in sorted(ran, key=starts.__getitem__):
        now = starts[place]
        while ended < len(ends) and starts[ends[ended]] + runs[ends[ended]] <= now:
            yield False, attempts[ends[ended]]
            ended += 1
        yield True, attempts[place]


def _share(attempts: Attempts, row: Attempt, hosts: int) -> dict[str, int]:
    """What the job takes on each of its hosts, if it takes the same on each."""
    need = attempts.needs.values[row.need]
    share = {SLOTS.name: -(-need.cpus // hosts)}
    if need.memory:
        share[MEMORY.name] = -(-need.memory // hosts)
    share |= {name: -(-amount // hosts) for name, amount in need.gres if is_resource(name)}
    return share


def is_resource(name: str) -> bool:
    """Whether a generic resource can go by its own name."""
    return is_word(name) and name not in (SLOTS.name, MEMORY.name, "name", "jobs")


def _cluster(attempts: Attempts, lists: NodeLists, peaks: Peaks) -> Cluster:
    names = attempts.names.values
    order = sorted(peaks.capacity, key=lambda host: natural(lists.names[host]))
    partitions = {host: [names[queue] for queue in peaks.partitions[host]] for host in order}
    attributes = partition_attributes([partitions[host] for host in order])
    hosts = tuple(
        Host(lists.names[host], index, dict(sorted(peaks.capacity[host].items())), facts)
        for index, (host, facts) in enumerate(zip(order, attributes, strict=True))
    )
    found = sorted({name for host in hosts for name in host.capacity} - {SLOTS.name, MEMORY.name})
    resources = {SLOTS.name: SLOTS, MEMORY.name: MEMORY}
    resources |= {name: Resource(name, counted=Counted.HOST) for name in found}
    if not any(MEMORY.name in host.capacity for host in hosts):
        del resources[MEMORY.name]
    return Cluster(hosts, resources, {}, {})


def natural(name: str) -> list[tuple[int, str]]:
    """A key that puts n9 before n10."""
    parts = _NUMBERS.split(name)
    return [(len(part) if at % 2 else 0, part) for at, part in enumerate(parts)]
