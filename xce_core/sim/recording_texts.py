"""Parts of the lines of a recording as JSON texts, remembered where they come again."""

from __future__ import annotations

import json

from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Allocation
from xce_core.model.jobs import Dependency, DependsOn, Job, JobState
from xce_core.model.reasons import Reason, Reasons
from xce_core.model.requests import Primary, Requirement, Shape, Span, SpanKind
from xce_core.sim.cluster_text import request_object
from xce_core.sim.host_lists import HostLists
from xce_core.sim.requirement_fields import Filling

REQUIREMENTS_KEPT = 20_000
REASONS_KEPT = 256  # few, as each may name thousands of hosts


class Texts:
    """The parts for one cluster; what is given holds no braces around it."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._hosts = HostLists(cluster)
        self._fillings = {
            queue.name: Filling(queue, cluster.resources) for queue in cluster.queues.values()
        }
        self._requirements: dict[tuple[Requirement, str], str] = {}
        self._reasons: dict[Reasons, str] = {}

    def hosts(self, mask: int) -> str:
        """A host list, quoted."""
        return quoted(self._hosts.fold(mask))

    def submitted(self, job: Job) -> str:
        """What was submitted, but for whether the job is held."""
        text = f'"time":{job.submit_time},"job":"{job.id}"'
        if job.user:
            text += f',"user":{quoted(job.user)}'
        text += f',"queue":{quoted(job.queue)}'
        if job.project:
            text += f',"project":{quoted(job.project)}'
        if job.priority:
            text += f',"priority":{job.priority}'
        text += self._requirement(job.requirement, job.queue)
        if job.run_time is not None:
            text += f',"run_time":{job.run_time}'
        if job.time_limit is not None:
            text += f',"time_limit":{job.time_limit}'
        if job.begin_time is not None:
            text += f',"begin":{job.begin_time}'
        if job.dependencies:
            text += f',"depends":[{",".join(map(_dependency, job.dependencies))}]'
        if job.outcome is not JobState.DONE:
            text += f',"outcome":"{job.outcome.value}"'
        return text

    def _requirement(self, requirement: Requirement, queue: str) -> str:
        key = (requirement, queue)
        text = self._requirements.get(key)
        if text is None:
            if len(self._requirements) >= REQUIREMENTS_KEPT:
                self._requirements.clear()
            text = self._requirements[key] = self._requirement_text(requirement, queue)
        return text

    def _requirement_text(self, requirement: Requirement, queue: str) -> str:
        """The fields of *requirement*, with a comma before each."""
        alternatives = [
            [self._primary(primary) for primary in compound.members]
            for compound in requirement.alternatives
        ]
        if requirement.shape is Shape.SINGLE:
            said: dict[str, object] = alternatives[0][0]
        elif requirement.shape is Shape.COMPOUND:
            said = {"members": alternatives[0]}
        else:
            said = {
                "alternatives": [
                    members[0] if len(members) == 1 else {"members": members}
                    for members in alternatives
                ]
            }
        if not self._fillings[queue].fills_nothing(requirement):
            said["complete"] = True
        return f",{as_json(said)[1:-1]}"

    def _primary(self, primary: Primary) -> dict[str, object]:
        fewest, most = primary.tasks_min, primary.tasks_max
        said: dict[str, object] = {"tasks": fewest if fewest == most else [fewest, most]}
        if primary.amounts:
            said["request"] = request_object(primary.amounts, self._cluster.resources)
        if primary.select is not None:
            said["select"] = primary.select.text
        if primary.span.kind is not SpanKind.FREE:
            said["span"] = _span(primary.span)
        return said

    def allocation(self, allocation: Allocation) -> str:
        """Which alternative was chosen, and the hosts."""
        text = f'"alternative":{allocation.alternative + 1},' if allocation.alternative else ""
        parts = []
        for placement in allocation.placements:
            part = f'"hosts":{self.hosts(placement.hosts)},"tasks":{placement.tasks}'
            if placement.member:
                part += f',"member":{placement.member + 1}'
            parts.append(part + (',"first":true' if placement.first else ""))
        return f'{text}"hosts":[{",".join(f"{{{part}}}" for part in parts)}]'

    def reasons(self, reasons: Reasons) -> str:
        """The main reason, and all."""
        text = self._reasons.get(reasons)
        if text is None:
            if len(self._reasons) >= REASONS_KEPT:
                self._reasons.clear()
            entries = ",".join(map(self._reason, reasons.entries))
            text = f'"main":"{reasons.main.name}","reasons":[{entries}]'
            self._reasons[reasons] = text
        return text

    def _reason(self, reason: Reason) -> str:
        text = f'{{"code":"{reason.code.name}"'
        if reason.name:
            text += f',"name":{quoted(reason.name)}'
        if reason.hosts:
            text += f',"hosts":{self.hosts(reason.hosts)}'
        return text + "}"


def _dependency(dependency: Dependency) -> str:
    text = f'{{"job":"{dependency.job}"'
    if dependency.when is not DependsOn.DONE:
        text += f',"when":"{dependency.when.value}"'
    return text + (f',"delay":{dependency.delay}}}' if dependency.delay else "}")


def _span(span: Span) -> int | str:
    return span.tasks_per_host if span.kind is SpanKind.PER_HOST else span.kind.value


def as_json(value: object) -> str:
    """*value* as JSON, ASCII without blanks."""
    return json.dumps(value, separators=(",", ":"))


def quoted(text: str) -> str:
    """*text* as JSON."""
    return f'"{text}"' if text.isascii() and text.isalnum() else as_json(text)
