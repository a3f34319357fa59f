"""Events as lines of a recording, all but submissions and sessions: read and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xce_core.model.cluster import Cluster, HostState
from xce_core.sim import fields
from xce_core.sim.events import Act, HostChange, JobAct, JobChange, JobEnd, QueueChange
from xce_core.sim.fields import FieldError, Table
from xce_core.sim.host_lists import HostLists
from xce_core.sim.job_lists import job_id
from xce_core.sim.recording_jobs import OUTCOMES, known_queue

TimedEvent = JobEnd | JobAct | JobChange | HostChange | QueueChange
EventReader = Callable[[dict[str, Any], int], TimedEvent]

TIMED = {"type": fields.anything, "time": fields.moment}
_ACT = Table({**TIMED, "job": job_id}, ["time", "job"])
_END = Table(
    {**TIMED, "job": job_id, "state": fields.choice(OUTCOMES)}, ["time", "job", "state"]
)
_CHANGES = {
    "priority": fields.integer(),
    "queue": fields.text,
    "time_limit": fields.duration,
    "begin": fields.time,
}
_MODIFY = Table({**TIMED, "job": job_id, **_CHANGES}, ["time", "job"])
_QUEUE = Table({**TIMED, "queue": fields.text, "open": fields.flag}, ["time", "queue", "open"])


def event_readers(cluster: Cluster, hosts: HostLists) -> dict[str, EventReader]:
    """What reads each type of event, but for submissions and sessions."""
    host = Table(
        {**TIMED, "hosts": hosts.mask, "state": fields.choice(HostState)},
        ["time", "hosts", "state"],
    )

    def end(value: dict[str, Any], line: int) -> TimedEvent:
        found = _END(value)
        return JobEnd(found["time"], found["job"], found["state"], line)

    def modify(value: dict[str, Any], line: int) -> TimedEvent:
        found = _MODIFY(value)
        if not found.keys() & _CHANGES.keys():
            raise FieldError(f"expected a change of {', '.join(_CHANGES)}, found none")
        if "queue" in found:
            known_queue(found["queue"], cluster)
        priority, queue, limit, begin = (found.get(name) for name in _CHANGES)
        return JobChange(found["time"], found["job"], priority, queue, limit, begin, line)

    def host_change(value: dict[str, Any], line: int) -> TimedEvent:
        found = host(value)
        return HostChange(found["time"], found["hosts"], found["state"], line)

    def queue_change(value: dict[str, Any], line: int) -> TimedEvent:
        found = _QUEUE(value)
        known_queue(found["queue"], cluster)
        return QueueChange(found["time"], found["queue"], found["open"], line)

    acts = {act.value: _act_reader(act) for act in Act}
    return {
        "end": end, **acts, "modify": modify, "host": host_change, "queue": queue_change
    }


def _act_reader(act: Act) -> EventReader:
    def read(value: dict[str, Any], line: int) -> TimedEvent:
        found = _ACT(value)
        return JobAct(found["time"], found["job"], act, line)

    return read
