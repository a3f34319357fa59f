"""The verdict on each host of a scan, by the same check that a visit makes."""

from __future__ import annotations

from enum import Enum
from itertools import compress
from typing import Any, NamedTuple

from xce_core.model.cluster import Host
from xce_core.model.rows import Row
from xce_core.sched.ask import Ask
from xce_core.sched.columns import Column
from xce_core.sched.faults import FAULTS, describe
from xce_core.sched.ledger import Claims
from xce_core.sched.rows import host_row


class VerdictKind(Enum):
    """What can come out of looking at a host. The names are stable."""

    ACCEPTED = "accepted"
    SELECTION = "selection mismatch"
    SHORTFALL = "resource shortfall"
    LIMIT = "limit exceeded"
    CLAIMED = "already claimed"
    NOT_EVALUATED = "not evaluated"


class Phase(Enum):
    """Where a host was turned away."""

    PRE_FILTER = "pre-filter"
    PER_HOST = "per-host check"


class Verdict(NamedTuple):
    """What came out of looking at a host; hosts that are alike share one.

    :param kinds: shortfall and limit can stand together; every other kind stands alone.
    :param phase: None where no check turned it away.
    :param unmet: each resource and limit that fell short.
    :param detail: the host's state if it is closed or down; the error if it was not
        evaluated; else empty.
    """

    kinds: tuple[VerdictKind, ...]
    phase: Phase | None = None
    unmet: tuple[Row, ...] = ()
    detail: str = ""


ACCEPTED = Verdict((VerdictKind.ACCEPTED,))
CLAIMED = Verdict((VerdictKind.CLAIMED,))
_NOT_SELECTED = Verdict((VerdictKind.SELECTION,), Phase.PRE_FILTER)
_CLOSED = Verdict((VerdictKind.SELECTION,), Phase.PRE_FILTER, (), "host closed")
_DOWN = Verdict((VerdictKind.SELECTION,), Phase.PRE_FILTER, (), "host down")
_SHORTFALL = (VerdictKind.SHORTFALL,)
_LIMIT = (VerdictKind.LIMIT,)
_BOTH = (VerdictKind.SHORTFALL, VerdictKind.LIMIT)
NOT_EVALUATED = (VerdictKind.NOT_EVALUATED,)


class Lacking(NamedTuple):
    """One column of a check, and who fails it.

    :param hosts: mask of the hosts that have less left than *amount*.
    """

    column: Column
    amount: int
    hosts: int


Key = tuple[Any, ...]
"""Selected, open, closed; for each column of the check that any host fails, None if this host
passes it, else what it has left (and its index if its row is its own); for each its total."""


CLAIMED_KEY: Key = ()
"""Stands for the key of a host that an earlier position has claimed."""


class HostChecks:
    """What the checks say of each host at one instant; of hosts that are alike one is checked.

    :param lacking: the columns of the check that any host fails.
    :param count: how many hosts there are.
    :ivar known: the verdict of the hosts of each key, as far as it was asked for.
    """

    def __init__(self, ask: Ask, claims: Claims, lacking: tuple[Lacking, ...], count: int) -> None:
        self._ask = ask
        self._claims = claims
        self._lacking = lacking
        self._count = count
        self._keys: list[Key] | None = None
        self.known: dict[Key, Verdict] = {CLAIMED_KEY: CLAIMED}
        self._not_evaluated: dict[int, Verdict] = {}

    def keys(self) -> list[Key]:
        """For each host, by index, what its verdict depends on: equal for hosts that are alike."""
        if self._keys is None:
            ask, count = self._ask, self._count
            masks = (ask.selected, ask.hosts.open, ask.hosts.closed)
            flags = [flags_of(mask, count) for mask in masks]
            claims = bool(self._claims.made)
            lacks = [
                lack_by_host(each, claims or each.column.limit is not None, count)
                for each in self._lacking
            ]
            totals = [each.column.totals for each in self._lacking]
            self._keys = list(zip(*flags, *lacks, *totals, strict=True))
        return self._keys

    def explain(self, host: Host, key: Key) -> Verdict:
        """What the checks say of a host with this key, whoever has claimed it."""
        verdict = self._not_evaluated.get(host.index)
        if verdict is None:
            try:
                verdict = self.known[key] = self._check(host, key)
            except FAULTS as error:
                verdict = Verdict(NOT_EVALUATED, None, (), describe(error))
                self._not_evaluated[host.index] = verdict
        return verdict

    def _check(self, host: Host, key: Key) -> Verdict:
        selected, is_open, is_closed, *lacks = key
        if not selected:
            return _NOT_SELECTED
        if not is_open:
            return _CLOSED if is_closed else _DOWN
        unmet = tuple(
            [
                host_row(column, amount, lack[0], host, self._claims)
                for (column, amount, _), lack in zip(self._lacking, lacks, strict=False)
                if lack is not None
            ]
        )
        if not unmet:
            return ACCEPTED
        over = [bool(row.limit) for row in unmet]
        kinds = _SHORTFALL if not any(over) else _LIMIT if all(over) else _BOTH
        return Verdict(kinds, Phase.PER_HOST, unmet)


def lack_by_host(lacking: Lacking, own: bool, count: int) -> list[tuple[int, ...] | None]:
    """By host index what a host that fails has left; None for others.

    :param own: whether the row of each host is its own, so that its index is added.
    """
    column, _, hosts = lacking
    found: list[tuple[int, ...] | None] = [None] * count
    for left, members in column.classes.items():
        alike = (left,)
        if failing := members & hosts:
            for index in compress(range(count), flags_of(failing, count)):
                found[index] = (left, index) if own else alike
    return found


def flags_of(mask: int, count: int) -> bytes:
    """The lowest *count* bits of *mask*, lowest first, as a byte 0 or 1 each.

    Looking up a bit of a wide mask costs by its width; a byte does not.
    """
    return f"{mask:0{count}b}"[::-1].encode().translate(_FLAGS)


_FLAGS = bytes.maketrans(b"01", b"\0\1")
