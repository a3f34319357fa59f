"""What a job can ask for: the resources of a cluster and how each is counted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from xce_core.model.amounts import AmountKind


class Counted(Enum):
    """Once for each what a requested amount is needed."""

    TASK = "task"
    HOST = "host"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class Resource:
    """A consumable amount that hosts, or the cluster as a whole, have and jobs take.

    Amounts are integers: bytes for :attr:`AmountKind.BYTES`, else counts of
    10**-``decimals`` units, so that fractions exist only where a resource says so.

    :param name: its name in requests, limits and output.
    :param shared: True for a cluster-wide resource such as a licence, False for one of hosts.
    :param counted: whether a request names the amount per task, per host or per job. An
        amount per job of a host resource is taken on the first host of the allocation.
    """

    name: str
    shared: bool = False
    counted: Counted = Counted.TASK
    kind: AmountKind = AmountKind.NUMBER
    decimals: int = 0


SLOTS = Resource("slots")
"""The host resource that every cluster has: one a task unless the request says otherwise."""

JOBS = Resource("jobs", shared=True, counted=Counted.JOB)
"""One a running job: not a resource that can be requested, only one that a limit may cap."""
