"""The first line of a recording: read and checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Seconds
from xce_core.sim import fields
from xce_core.sim.cluster_object import cluster_of
from xce_core.sim.fields import FieldError, Table, mismatch
from xce_core.sim.workload import Timeline

FORMAT = "xce-recording"
VERSION = 1

_ZONE = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*")


class Pends(Enum):
    """Which pends a recording holds.

    With CHANGES a pend is there when a job's reasons differ from those last written for it.
    """

    CHANGES = "changes"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Header:
    """What the first line says."""

    cluster: Cluster
    timeline: Timeline
    policy: str | None
    time_zone: str | None
    time: Seconds | None
    session: int
    pends: Pends


def _zone(value: object) -> str:
    zone = fields.name(value)
    if not _ZONE.fullmatch(zone):
        raise mismatch("a time zone such as UTC or Europe/Paris", value)
    return zone


_HEADER = Table(
    {
        "type": fields.anything,
        "format": fields.anything,
        "version": fields.anything,
        "timeline": fields.choice(Timeline),
        "policy": fields.name,
        "time_zone": _zone,
        "time": fields.moment,
        "session": fields.integer(0),
        "pends": fields.choice(Pends),
        "cluster": fields.as_object,
    },
    ["timeline"],
)


def read_header(value: dict[str, Any], cluster: Cluster | None) -> Header:
    """The header that the first line is; *cluster* takes the place of its own.

    :raises FieldError: naming the field that is wrong.
    """
    # The version first: a later one may have other fields.
    for name, expected in (("type", "header"), ("format", FORMAT), ("version", VERSION)):
        if value.get(name) != expected or value[name] is True:
            raise mismatch(str(expected), value.get(name)).inside(name)
    found = _HEADER(value)
    return Header(
        cluster or _own_cluster(found),
        found["timeline"],
        found.get("policy"),
        found.get("time_zone"),
        found.get("time"),
        found.get("session", 0),
        found.get("pends", Pends.CHANGES),
    )


def _own_cluster(found: dict[str, Any]) -> Cluster:
    if "cluster" not in found:
        raise FieldError("missing: give it here or with --cluster FILE.toml", "cluster")
    try:
        return cluster_of(found["cluster"])
    except FieldError as error:
        raise error.inside("cluster") from None
