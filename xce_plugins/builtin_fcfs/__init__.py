"""First come, first served: the default policy, by queue priority, job priority and arrival."""

from __future__ import annotations

from collections.abc import Mapping

from xce_core.hookspecs import hookimpl
from xce_core.model.cluster import Order, Queue
from xce_core.model.jobs import Job
from xce_core.sched.policy import Policy


class Fcfs(Policy):
    """Queues by priority, in them jobs by priority, then by arrival, then by job id.

    A queue with order ``strict`` stops at the first job that can't start; in one with order
    ``greedy`` later jobs may start.
    """

    name = "builtin_fcfs"

    def key(self, job: Job, queue: Queue) -> tuple[object, ...]:
        """Highest queue priority, highest job priority, earliest queue time first."""
        return (-queue.priority, -job.priority, job.queue_time)

    def strict(self, queue: Queue) -> bool:
        """Whether the queue says so."""
        return queue.order is Order.STRICT


@hookimpl
def xce_policies() -> Mapping[str, type[Policy]]:
    """This policy."""
    return {Fcfs.name: Fcfs}
