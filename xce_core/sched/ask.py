"""A primary with everything that counts for it looked up: the form in which it is placed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from xce_core.model.reasons import Reason
from xce_core.model.requests import Primary
from xce_core.model.resources import SLOTS
from xce_core.sched.columns import Column, Counter

UNLIMITED = 1 << 62


class HostClaim(NamedTuple):
    """What the tasks on a host take from one column."""

    column: Column
    per_task: int
    per_host: int
    per_job: int


class SharedClaim(NamedTuple):
    """What an allocation takes from one counter."""

    counter: Counter
    per_task: int
    per_host: int
    per_job: int

    def amount(self, tasks: int, hosts: int) -> int:
        """What *tasks* on *hosts* hosts take."""
        return self.per_task * tasks + self.per_host * hosts + self.per_job


class Hosts:
    """Which hosts take new jobs, and how often anything about any host has changed.

    One such object is shared by a ledger and all its asks.

    :ivar open: mask of the open hosts.
    :ivar changes: counts claims, releases and changes of state.
    """

    __slots__ = ("changes", "closed", "down", "open")

    def __init__(self, open_: int, closed: int, down: int) -> None:
        self.open = open_
        self.closed = closed
        self.down = down
        self.changes = 0


class Ask:
    """A primary bound to the ledger.

    :ivar selected: mask of the hosts that match its selection.
    :ivar has_first: whether its first host takes amounts that the others do not.
    :ivar by_hosts: whether what it takes of the cluster depends on the number of its hosts.
    :ivar limited: whether a limit that counts by host concerns it.
    :ivar refusal: why it could not be placed when that was asked last, with the count of
        changes at that time.
    """

    __slots__ = (
        "_capacities",
        "_needs",
        "_seen",
        "_slots",
        "by_hosts",
        "has_first",
        "host_claims",
        "hosts",
        "limited",
        "primary",
        "refusal",
        "selected",
        "shared_claims",
    )

    def __init__(
        self,
        primary: Primary,
        host_claims: tuple[HostClaim, ...],
        shared_claims: tuple[SharedClaim, ...],
        selected: int,
        hosts: Hosts,
    ) -> None:
        self.primary = primary
        self.host_claims = host_claims
        self.shared_claims = shared_claims
        self.selected = selected
        self.hosts = hosts
        self.has_first = any(claim.per_job for claim in host_claims)
        self.by_hosts = any(claim.per_host for claim in shared_claims)
        self.limited = any(claim.column.limit is not None for claim in host_claims)
        self.refusal: tuple[int, tuple[Reason, ...]] | None = None
        self._needs: dict[int, tuple[tuple[Column, int], ...]] = {}
        self._capacities: Mapping[int, int] = {}
        self._seen = -1
        self._slots = next(
            (
                (claim.per_task, claim.per_host)
                for claim in host_claims
                if claim.column.resource == SLOTS.name and claim.column.limit is None
            ),
            (0, 0),
        )

    def needs(self, tasks: int, first: bool = False) -> tuple[tuple[Column, int], ...]:
        """What a host with *tasks* tasks takes from each column.

        :param first: whether it is the first host, which takes the amounts per job too.
        """
        found = self._needs.get(-tasks if first else tasks)
        if found is None:
            found = tuple(
                (c.column, c.per_task * tasks + c.per_host + (c.per_job if first else 0))
                for c in self.host_claims
            )
            self._needs[-tasks if first else tasks] = found
        return found

    def fitting(self, tasks: int, first: bool = False) -> int:
        """The mask of the open, selected hosts that can take *tasks* tasks now."""
        fits = 0
        for able, hosts in (self.first_capacities() if first else self.capacities()).items():
            if able >= tasks:
                fits |= hosts
        return fits

    def capacities(self) -> Mapping[int, int]:
        """How many tasks each open, selected host can take now: number to host mask.

        Hosts that can take none are left out; a host that nothing bounds counts as
        :data:`UNLIMITED`. Kept until something changes.
        """
        if self._seen != self.hosts.changes:
            self._seen = self.hosts.changes
            self._capacities = self._able(with_job=False)
        return self._capacities

    def first_capacities(self) -> Mapping[int, int]:
        """:meth:`capacities` of a host that also takes the amounts per job."""
        return self._able(with_job=True)

    def _able(self, with_job: bool) -> Mapping[int, int]:
        hosts = self.selected & self.hosts.open
        groups = {UNLIMITED: hosts} if hosts else {}
        for claim in self.host_claims:
            fixed = claim.per_host + claim.per_job if with_job else claim.per_host
            groups = _split(groups, claim, fixed)
        return MappingProxyType(groups)

    def room(self) -> int:
        """How many tasks the hosts can take together."""
        room = 0
        for able, hosts in self.capacities().items():
            room += able * hosts.bit_count()
        return room

    def most_tasks(self) -> int:
        """How many tasks the shared claims have room for, if they all go to one host."""
        most = UNLIMITED
        for counter, per_task, per_host, per_job in self.shared_claims:
            left = counter.total - counter.used - per_host - per_job
            if left < 0:
                return 0
            if per_task:
                most = min(most, left // per_task)
        return most

    def slots(self, tasks: int) -> int:
        """The slots that *tasks* tasks on one host take, per task and per host."""
        per_task, per_host = self._slots
        return per_task * tasks + per_host

    def shared_fit(self, tasks: int, hosts: int) -> bool:
        """Whether every counter has room for *tasks* on *hosts* hosts."""
        return all(c.amount(tasks, hosts) <= c.counter.left for c in self.shared_claims)


def _split(groups: dict[int, int], claim: HostClaim, fixed: int) -> dict[int, int]:
    """*groups* of hosts by tasks they can take, split further by what *claim* allows.

    :param fixed: what it takes of a host beside the amount per task.
    """
    column, per_task, _, _ = claim
    found: dict[int, int] = {}
    for most, hosts in groups.items():
        if column.exempt:
            exempt = hosts & column.exempt
            if exempt:
                found[most] = found.get(most, 0) | exempt
                hosts ^= exempt
        for left, members in column.classes.items():
            if left >= fixed:
                part = members & hosts
                if part:
                    able = (left - fixed) // per_task if per_task else most
                    if able > most:
                        able = most
                    if able > 0:
                        found[able] = found[able] | part if able in found else part
    return found
