"""Jobs as lines of a recording: read and checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xce_core.model.cluster import Cluster, Queue
from xce_core.model.decisions import Allocation
from xce_core.model.jobs import (
    STARTED,
    Dependency,
    DependsOn,
    Job,
    JobState,
    format_job_id,
)
from xce_core.sim import fields
from xce_core.sim.allocation_fields import DecisionReader
from xce_core.sim.fields import FieldError, Table, list_of, mismatch, unknown
from xce_core.sim.job_lists import job_id, submitted_ids
from xce_core.sim.requirement_fields import REQUIREMENT_CHECKS, RequirementReader

OUTCOMES = (JobState.DONE, JobState.FAILED, JobState.KILLED)
_STARTING = (
    JobState.PENDING,
    JobState.HELD,
    JobState.WAITING,
    JobState.RUNNING,
    JobState.SUSPENDED,
)
_MAY_BE_HELD = STARTED | {JobState.HELD}

_DEPENDENCY = Table(
    {"job": job_id, "when": fields.choice(DependsOn), "delay": fields.duration}, ["job"]
)


def _dependency(value: object) -> Dependency:
    found = _DEPENDENCY(value)
    return Dependency(found["job"], found.get("when", DependsOn.DONE), found.get("delay", 0))


_SUBMIT_CHECKS = {
    "type": fields.anything,
    "time": fields.time,
    "job": submitted_ids,
    "user": fields.maybe_name,
    "queue": fields.text,
    "project": fields.maybe_name,
    "priority": fields.integer(),
    **REQUIREMENT_CHECKS,
    "run_time": fields.duration,
    "time_limit": fields.duration,
    "begin": fields.time,
    "depends": list_of(_dependency),
    "held": fields.flag,
    "outcome": fields.choice(OUTCOMES),
}
_SUBMIT = Table(_SUBMIT_CHECKS, ["time", "job"])


class JobReader:
    """Makes jobs of one cluster from the lines of its recording."""

    def __init__(self, cluster: Cluster, decisions: DecisionReader) -> None:
        self._cluster = cluster
        self._requirements = RequirementReader(cluster)
        self._only = next(iter(cluster.queues)) if len(cluster.queues) == 1 else None
        self._start = Table(
            {
                **_SUBMIT_CHECKS,
                "state": fields.choice(_STARTING),
                "start": fields.moment,
                "allocation": decisions.allocation,
                "eligible": fields.moment,
                "remaining": fields.duration,
                "requeues": fields.integer(0),
                "not_before": fields.moment,
            },
            ["time", "job", "state"],
        )

    def submitted(self, value: dict[str, Any], line: int) -> Iterator[Job]:
        """The job of a submission, or the elements of its array.

        :raises FieldError: naming the field that is wrong, before anything is given.
        """
        return self._jobs(_SUBMIT(value), line)

    def started(
        self, value: dict[str, Any], line: int
    ) -> Iterator[tuple[Job, Allocation | None]]:
        """The job or jobs of a line of the starting state, with what each holds.

        :raises FieldError: naming the field that is wrong.
        """
        found = self._start(value)
        state: JobState = found["state"]
        allocation: Allocation | None = found.get("allocation")
        _check_state(found, state)
        for job in self._jobs(found, line):
            if allocation is not None:
                _check_allocation(job, allocation)
            job.state = state
            job.held = job.held or state is JobState.HELD
            job.start_time = found.get("start")
            job.eligible_time = found.get("eligible")
            job.remaining = found.get("remaining")
            job.requeues = found.get("requeues", 0)
            job.not_before = found.get("not_before")
            yield job, allocation

    def _jobs(self, found: dict[str, Any], line: int) -> Iterator[Job]:
        queue = self._queue(found.get("queue"))
        user = found.get("user", "")
        if queue.users is not None and user not in queue.users:
            raise FieldError(f"{fields.shown(user)} may not submit to queue {queue.name}", "user")
        requirement = self._requirements.read(found, queue)
        depends = found.get("depends", ())
        for number, index in found["job"]:
            name = format_job_id(number, index)
            for dependency in depends:
                if dependency.job in (name, str(number)):
                    raise FieldError(f"job {name} can't wait for itself", "depends")
            yield Job(
                name,
                number,
                index,
                user,
                queue.name,
                found.get("project", ""),
                requirement,
                found["time"],
                found.get("run_time"),
                found.get("time_limit"),
                found.get("priority", 0),
                found.get("begin"),
                depends,
                found.get("outcome", JobState.DONE),
                line,
                held=found.get("held", False),
            )

    def _queue(self, name: str | None) -> Queue:
        if name is None:
            name = self._only
            if name is None:
                raise FieldError("missing, as there are several queues", "queue")
        return self._cluster.queues[known_queue(name, self._cluster)]


def known_queue(value: object, cluster: Cluster) -> str:
    """The name of a queue of *cluster*.

    :raises FieldError: in the field ``queue``, if it is none.
    """
    name = fields.text(value)
    if name not in cluster.queues:
        raise unknown("queue", name, cluster.queues).inside("queue")
    return name


def _check_state(found: dict[str, Any], state: JobState) -> None:
    """Whether the fields of a job in the starting state suit its state."""
    for name in ("start", "allocation"):
        if (name in found) != (state in STARTED):
            what = f"missing for a {state.value} job"
            raise FieldError(what if state in STARTED else f"a {state.value} job has none", name)
    if state in STARTED:
        if len(found["job"]) > 1:
            raise FieldError(f"expected one {state.value} job in a line", "job")
        if found["start"] < found["time"]:
            expected = f"{found['time']} or later, its submission"
            raise mismatch(expected, found["start"]).inside("start")
    if found.get("held") and state not in _MAY_BE_HELD:
        raise FieldError(f"a {state.value} job is not held", "held")


def _check_allocation(job: Job, allocation: Allocation) -> None:
    """Whether *job* asks for the alternative and the members that it holds."""
    alternatives = job.requirement.alternatives
    if allocation.alternative >= len(alternatives):
        raise _beyond(len(alternatives), allocation.alternative, "alternative")
    members = len(alternatives[allocation.alternative].members)
    for place, placement in enumerate(allocation.placements, 1):
        if placement.member >= members:
            raise _beyond(members, placement.member, "hosts", place, "member")


def _beyond(count: int, found: int, *path: str | int) -> FieldError:
    what = f"expected at most {count}, as the job asks, found {found + 1}"
    return FieldError(what, "allocation", *path)
