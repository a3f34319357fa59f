"""Host masks as folded host lists and back, by ranges of hosts where names allow it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from xce_core.model.cluster import Cluster, runs_of
from xce_core.model.hostlist import HostListError, fold, unfold
from xce_core.model.ranges import DIGITS_LIMIT, NumberRange, RangeError, parse_ranges
from xce_core.sim.fields import FieldError, shown, text, unknown

KEPT = 1024
"""How many masks and texts are remembered."""

_LOOKED_AT = 2000
_DIGITS_FROM_BEHIND = re.compile(r"([^0-9]*)([0-9]+)")
_ITEM = re.compile(r"([^\[\],\s]*)(?:\[([0-9,:-]+)\]([^\[\],\s]*))?(?:,|\Z)")


@dataclass(slots=True)
class _Segment:
    """Neighbours in the cluster whose names count on, and no others are like them.

    :param width: digits of the first number; 0 for a single host without a number, whose
        name is all *before*.
    """

    before: str
    after: str
    width: int
    number: int
    index: int
    count: int
    _numbers: list[str] | None = None

    @property
    def numbers(self) -> list[str]:
        """The numbers in the names, as they stand there."""
        if self._numbers is None:
            first, width = self.number, self.width
            self._numbers = [f"{each:0{width}}" for each in range(first, first + self.count)]
        return self._numbers

    def texts(self, mask: int) -> str:
        """The hosts of *mask*, which are counted from the segment's first, as one item."""
        if not self.width:
            return self.before
        runs: list[str] = []
        numbers = self.numbers
        for run in runs_of(mask):
            first, last = run.start, run.stop - 1
            runs.append(numbers[first] if first == last else f"{numbers[first]}-{numbers[last]}")
        single = len(runs) == 1 and "-" not in runs[0]
        inside = runs[0] if single else f"[{','.join(runs)}]"
        return f"{self.before}{inside}{self.after}"

    def mask(self, part: NumberRange) -> int | None:
        """The hosts that *part* names; None if it is not plainly inside the segment."""
        widest = max(part.width, self.width)
        like = part.width == self.width or part.first >= 10 ** (widest - 1)
        end = self.number + self.count
        if part.step != 1 or not like or part.first < self.number or part.last >= end:
            return None
        return ((1 << part.count) - 1) << (self.index + part.first - self.number)


class HostLists:
    """The host lists of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._texts: dict[int, str] = {}
        self._masks: dict[str, int] = {}

    def fold(self, mask: int) -> str:
        """The hosts in *mask* as :func:`xce_core.model.hostlist.fold` writes them."""
        found = self._texts.get(mask)
        if found is None:
            if len(self._texts) >= KEPT:
                self._texts.clear()
            found = self._texts[mask] = self._folded(mask)
        return found

    def mask(self, value: object) -> int:
        """The mask of a host list, which names at least one host, and each once.

        :raises FieldError: if it is malformed or names an unknown host.
        """
        listed = text(value)
        found = self._masks.get(listed)
        if found is None:
            if len(self._masks) >= KEPT:
                self._masks.clear()
            found = self._quick_mask(listed) or self._slow_mask(listed)
            self._masks[listed] = found
        return found

    @cached_property
    def _segments(self) -> list[_Segment] | None:
        return _segments(self.cluster)

    @cached_property
    def _by_affix(self) -> dict[tuple[str, str], _Segment]:
        return {(each.before, each.after): each for each in self._segments or ()}

    def _folded(self, mask: int) -> str:
        if self._segments is None:
            return fold(self.cluster.names_of(mask))
        parts = []
        for segment in self._segments:
            part = mask >> segment.index & ((1 << segment.count) - 1)
            if part:
                parts.append(segment.texts(part))
        return ",".join(parts)

    def _quick_mask(self, listed: str) -> int:
        """The mask by ranges; 0 if the list is not as simple as that, or wrong."""
        mask = at = 0
        while at < len(listed):
            match = _ITEM.match(listed, at)
            if match is None:
                return 0
            for part in self._parts(match):
                if part is None or part & mask:
                    return 0
                mask |= part
            at = match.end()
        return 0 if listed.endswith(",") else mask

    def _parts(self, match: re.Match[str]) -> list[int | None]:
        before, ranges, after = match.groups()
        if ranges is None:
            index = self.cluster.index_of.get(before)
            return [None if index is None else 1 << index]
        segment = self._by_affix.get((before, after))
        if segment is None:
            return [None]
        try:
            return [segment.mask(part) for part in parse_ranges(ranges)]
        except RangeError:
            return [None]

    def _slow_mask(self, listed: str) -> int:
        return self.cluster.mask_of(host_names(listed, self.cluster))


class _Kept:
    """The folder of the cluster that was asked about last; a run has but one."""

    lists: HostLists | None = None


def host_lists(cluster: Cluster) -> HostLists:
    """The folder of *cluster*, made once as long as nobody asks about another."""
    if _Kept.lists is None or _Kept.lists.cluster is not cluster:
        _Kept.lists = HostLists(cluster)
    return _Kept.lists


def host_names(listed: str, cluster: Cluster | None) -> list[str]:
    """The names in a host list: at least one, each once, and all of the cluster's if given.

    :raises FieldError: if it is malformed or names an unknown host.
    """
    try:
        found = unfold(listed)
    except HostListError as error:
        raise FieldError(str(error)) from None
    if not found:
        raise FieldError("expected a host list, found an empty one")
    twice = [host for host, count in Counter(found).items() if count > 1]
    if twice:
        raise FieldError(f"host {shown(twice[0])} stands twice")
    for host in found if cluster is not None else ():
        if host not in cluster.index_of:  # type: ignore[union-attr]
            raise unknown("host", host, list(cluster.index_of)[:_LOOKED_AT])  # type: ignore[union-attr]
    return found


def fold_in_order(names: list[str]) -> str:
    """*names* as a host list that unfolds in the same order."""
    folded = fold(names)
    return folded if unfold(folded) == names else ",".join(names)


def _segments(cluster: Cluster) -> list[_Segment] | None:
    """The segments that the cluster is made of; None if names are not as simple."""
    found: list[_Segment] = []
    seen: set[tuple[str, str]] = set()
    for host in cluster.hosts:
        before, digits, after = _split(host.name)
        last = found[-1] if found else None
        if last is not None and _goes_on(last, before, digits, after):
            last.count += 1
        elif (before, after) in seen or len(digits) > DIGITS_LIMIT:
            return None
        else:
            seen.add((before, after))
            found.append(
                _Segment(before, after, len(digits), int(digits or 0), host.index, 1)
            )
    return found


def _split(name: str) -> tuple[str, str, str]:
    """What is before, in and after the last digits of *name*."""
    match = _DIGITS_FROM_BEHIND.match(name[::-1])
    if match is None:
        return name, "", ""
    return name[: -match.end()], match[2][::-1], match[1][::-1]


def _goes_on(last: _Segment, before: str, digits: str, after: str) -> bool:
    if (before, after) != (last.before, last.after) or not last.width:
        return False
    return digits == f"{last.number + last.count:0{last.width}}"
