"""What a job asks for, as fields of its line: read, and told whether defaults fill it in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from xce_core.model.cluster import Cluster, Queue
from xce_core.model.requests import (
    FREE,
    ONE_HOST,
    Compound,
    Primary,
    Requirement,
    Span,
    SpanKind,
)
from xce_core.model.resources import SLOTS, Resource
from xce_core.sim import fields
from xce_core.sim.cluster_object import amounts
from xce_core.sim.fields import FieldError, Table, list_of

TASKS_LIMIT = 10**9
"""How many tasks a primary may have."""

PRIMARIES_LIMIT = 1000
"""How many members a compound, and how many alternatives a job may have."""

KEPT = 20_000
"""How many requirements are remembered, to be shared by jobs that are alike."""

_TASKS = fields.integer(1, TASKS_LIMIT)


def _tasks(value: object) -> tuple[int, int]:
    """The fewest and the most tasks."""
    if not isinstance(value, list):
        return (_TASKS(value),) * 2
    if len(value) != 2:
        raise fields.FieldError(f"expected [fewest, most], found {len(value)} numbers")
    fewest, most = list_of(_TASKS)(value)
    if fewest > most:
        raise FieldError(f"expected [fewest, most], found {fewest} before {most}")
    return fewest, most


def _span(value: object) -> Span:
    """``free``, ``one-host``, or a number of tasks per host."""
    if value == "free":
        return FREE
    if value == "one-host":
        return ONE_HOST
    if isinstance(value, bool) or not isinstance(value, int):
        raise fields.mismatch("free, one-host or a number of tasks per host", value)
    return Span(SpanKind.PER_HOST, _TASKS(value))


_FIELDS = ("tasks", "request", "select", "span", "members", "alternatives", "complete")

REQUIREMENT_CHECKS = {**dict.fromkeys(_FIELDS, fields.anything), "complete": fields.flag}
"""The fields of a line that say what a job asks for, to be checked when they are read."""

_PRIMARY = Table(
    {
        "tasks": _tasks,
        "request": fields.as_object,
        "select": fields.expression,
        "span": _span,
    }
)
_COMPOUND = Table({"members": fields.anything}, ["members"])


class Filling:
    """What primaries of a queue get that they leave out: the queue's default, then slots.

    :ivar resources: the resources of the cluster.
    """

    def __init__(self, queue: Queue, resources: Mapping[str, Resource]) -> None:
        default = queue.default
        self.resources = resources
        self._select = default.select if default is not None else None
        self._amounts = dict(default.amounts) if default is not None else {}
        if SLOTS.name in resources:
            self._amounts.setdefault(SLOTS.name, 10 ** resources[SLOTS.name].decimals)

    def fill(self, primary: Primary) -> Primary:
        """*primary* with what it leaves out."""
        asked = dict(primary.amounts)
        missing = [item for item in self._amounts.items() if item[0] not in asked]
        select = primary.select if primary.select is not None else self._select
        return replace(primary, amounts=(*primary.amounts, *missing), select=select)

    def fills_nothing(self, requirement: Requirement) -> bool:
        """Whether *requirement* leaves out nothing."""
        return all(
            self.fill(primary) == primary
            for compound in requirement.alternatives
            for primary in compound.members
        )


class RequirementReader:
    """Makes requirements; equal ones are the same object, as far as they are remembered."""

    def __init__(self, cluster: Cluster) -> None:
        self._resources = cluster.resources
        self._fillings = {
            queue.name: Filling(queue, cluster.resources) for queue in cluster.queues.values()
        }
        self._by_text: dict[object, Requirement] = {}
        self._made: dict[Requirement, Requirement] = {}

    def read(self, line: Mapping[str, Any], queue: Queue) -> Requirement:
        """The requirement that the fields of *line* say, for a job of *queue*.

        :raises FieldError: naming the field that is wrong.
        """
        # By their text, as in Python 1 and true and 1.0 are equal.
        said = repr([line.get(name) for name in _FIELDS])
        key = (said, queue.name if queue.default is not None else "")
        found = self._by_text.get(key)
        if found is None:
            if len(self._by_text) >= KEPT:
                self._by_text.clear()
                self._made.clear()
            filling = self._fillings[queue.name]
            made = _requirement(line, self._resources, None if line.get("complete") else filling)
            found = self._by_text[key] = self._made.setdefault(made, made)
        return found


def _requirement(
    line: Mapping[str, Any], resources: Mapping[str, Resource], filling: Filling | None
) -> Requirement:
    said = [name for name in _FIELDS[:-1] if line.get(name) is not None]
    for name in ("members", "alternatives"):
        if name in said and len(said) > 1:
            other = next(each for each in said if each != name)
            raise FieldError(f"can't stand beside {other}", name)
    make = _Primaries(resources, filling)
    if "members" in said:
        return Requirement.compound(make.members(line["members"], least=1))
    if "alternatives" in said:
        return Requirement.any_of(make.alternatives(line["alternatives"]))
    return Requirement.single(make.primary({name: line[name] for name in said}))


class _Primaries:
    """Makes primaries and what consists of them."""

    def __init__(self, resources: Mapping[str, Resource], filling: Filling | None) -> None:
        self._resources = resources
        self._filling = filling

    def primary(self, value: object) -> Primary:
        found = _PRIMARY(value)
        fewest, most = found.get("tasks", (1, 1))
        request = amounts(found.get("request", {}), self._resources, "request")
        primary = Primary(
            fewest, most, tuple(request.items()), found.get("select"), found.get("span", FREE)
        )
        return primary if self._filling is None else self._filling.fill(primary)

    def members(self, value: object, least: int = 0) -> tuple[Primary, ...]:
        try:
            return list_of(self.primary, least, PRIMARIES_LIMIT)(value)
        except FieldError as error:
            raise error.inside("members") from None

    def alternatives(self, value: object) -> tuple[Compound, ...]:
        try:
            return list_of(self._compound, 1, PRIMARIES_LIMIT)(value)
        except FieldError as error:
            raise error.inside("alternatives") from None

    def _compound(self, value: object) -> Compound:
        if "members" not in fields.as_object(value):
            return Compound((self.primary(value),))
        return Compound(self.members(_COMPOUND(value)["members"]))
