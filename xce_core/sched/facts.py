"""What is told of a selection that is watched, beside values that the model has."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from xce_core.model.jobs import Seconds
from xce_core.model.limits import Limit
from xce_core.model.requests import Shape


class Selected(NamedTuple):
    """A selection as it begins.

    :param job: the id that the policy chose.
    :param position: 1 for the first selection of the session.
    :param queue_priority: None if the job is not known.
    :param limits: the cluster-wide limits that match the job, each with its scope instance;
        None if the job has no scheduling object.
    :param remarks: the policy's own keys.
    """

    job: str
    session: int
    time: Seconds
    position: int
    policy: str
    queue: str = ""
    queue_priority: int | None = None
    priority: int | None = None
    queue_time: Seconds | None = None
    remarks: Mapping[str, str] = MappingProxyType({})
    limits: tuple[tuple[Limit, str], ...] | None = None
    known: bool = False


class Path(NamedTuple):
    """Which requirement is meant.

    :param shape: how the job wrote its requirement.
    :param alternative: from 1, of *alternatives*.
    :param member: from 1, of *members*; 0 for the alternative or compound as a whole.
    """

    shape: Shape
    alternative: int
    alternatives: int
    member: int
    members: int
