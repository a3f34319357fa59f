"""From what a job was given as a whole to a requirement that the cluster understands."""

from __future__ import annotations

from dataclasses import replace

from xce_core.model.cluster import Cluster
from xce_core.model.requests import FREE, ONE_HOST, Primary, Requirement, Span, SpanKind
from xce_core.model.resources import SLOTS, Counted, Resource
from xce_core.sim.findings import Findings
from xce_core.sim.requirement_fields import Filling
from xce_plugins.slurm.attempts import Attempts, Need
from xce_plugins.slurm.chains import Merged
from xce_plugins.slurm.fields import clean_name
from xce_plugins.slurm.inferred import MEMORY
from xce_plugins.slurm.partitions import Selections

NOT_HELD = "asks for what is no resource of the cluster ({}), which is left out"
UNEVEN = "CPUs do not divide over its nodes: they are spread freely"
_NAMED = 20


class Needs:
    """Makes requirements; equal ones are the same object."""

    def __init__(self, cluster: Cluster, attempts: Attempts, findings: Findings) -> None:
        self._cluster = cluster
        self._attempts = attempts
        self._findings = findings
        self._selections = Selections(cluster)
        self._fillings = {
            name: Filling(queue, cluster.resources) for name, queue in cluster.queues.items()
        }
        self._primaries: dict[tuple[int, int, str], tuple[Primary, tuple[str, ...]]] = {}
        self._requirements: dict[tuple[Primary, ...], Requirement] = {}
        self._named: set[str] = set()

    def requirement(self, job: Merged, queue: str) -> Requirement:
        """What the last attempt of *job* had; a member for each part, in their order."""
        primaries = []
        for part in job.members:
            row = part[-1]
            key = row.need, row.queue, queue
            found = self._primaries.get(key)
            if found is None:
                found = self._primaries[key] = self._primary(*key)
            primary, notes = found
            for note in notes:
                self._findings.note(note, row.line)
            primaries.append(primary)
        members = tuple(primaries)
        made = self._requirements.get(members)
        if made is None:
            single = len(members) == 1
            made = Requirement.single(members[0]) if single else Requirement.compound(members)
            self._requirements[members] = made
        return made

    def _primary(self, need: int, partition: int, queue: str) -> tuple[Primary, tuple[str, ...]]:
        wanted = self._attempts.needs.values[need]
        amounts: list[tuple[str, int]] = []
        notes: list[str] = []
        pairs = [(SLOTS.name, wanted.cpus), (MEMORY.name, wanted.memory)]
        for name, total in (*pairs, *wanted.gres, *wanted.licences):
            resource = self._resource(name, (name, total) in wanted.licences)
            if resource is not None and total:
                amounts.append((name, _amount(resource, total, wanted)))
            elif total:
                notes.append(self._not_held(name))
        if wanted.cpus % wanted.nodes:
            notes.append(UNEVEN)
        primary = Primary(wanted.cpus, wanted.cpus, tuple(amounts), span=_span(wanted))
        filled = self._fillings[queue].fill(primary)
        if filled.select is None:
            select = self._selections.of(self._attempts.names.values[partition])
            filled = replace(filled, select=select)
        return filled, tuple(notes)

    def _resource(self, name: str, licence: bool) -> Resource | None:
        """The cluster's resource of that name, if it is one of hosts, or shared as licences are."""
        found = self._cluster.resources.get(name)
        return found if found is not None and found.shared is licence else None

    def _not_held(self, name: str) -> str:
        if name not in self._named and len(self._named) >= _NAMED:
            return NOT_HELD.format("and others")
        self._named.add(name)
        return NOT_HELD.format(clean_name(name))


def _span(need: Need) -> Span:
    """The spread it had, as far as totals tell."""
    if need.nodes == 1:
        return ONE_HOST
    if need.cpus % need.nodes:
        return FREE
    return Span(SpanKind.PER_HOST, need.cpus // need.nodes)


def _amount(resource: Resource, total: int, need: Need) -> int:
    """*total* of the job as the resource counts it, rounded up."""
    shares = {Counted.TASK: need.cpus, Counted.HOST: need.nodes, Counted.JOB: 1}
    return -(-total * int(10**resource.decimals) // shares[resource.counted])
