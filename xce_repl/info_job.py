"""``info job``: all about one job."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from xce_core.model.jobs import OVER, STARTED, Job
from xce_core.model.requests import Primary, Requirement, Shape, SpanKind
from xce_core.sched.policy import Policy
from xce_core.sched.resolve import ResolveError, SchedulingObject
from xce_core.sim.job_lists import fold_jobs
from xce_core.sim.wording import allocation_text, reasons_text
from xce_repl.fitting import host_counts, verdict
from xce_repl.interface import CommandError
from xce_repl.times import duration_text
from xce_repl.watched import state_of
from xce_repl.words import job_id_of, word_of

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

AHEAD = 50
"""How many of the jobs ahead are named."""


class InfoJob:
    """Tells about a job."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def __call__(self, rest: str) -> Iterator[str]:
        """info job ID"""
        word = word_of(rest, "info job ID")
        number, index = job_id_of(word)
        job = self._find(number, index)
        if job is not None:
            return self._job(job)
        if index < 0 and self._simulator.replay.scheduler.history.elements(number):
            return self._array(number)
        state = state_of(word, self._simulator)
        if state == "not submitted":
            raise CommandError(f"unknown job {word}; it was not submitted so far")
        return iter((f"job {word}: {state}",))

    def _find(self, number: int, index: int) -> Job | None:
        name = str(number) if index < 0 else f"{number}[{index}]"
        recent = self._simulator.driver.recent
        return self._simulator.replay.scheduler.jobs.get(name) or recent.find(name)

    def _array(self, number: int) -> Iterator[str]:
        by_state: dict[str, list[int]] = {}
        elements = self._simulator.replay.scheduler.history.elements(number)
        for index in elements:
            state = state_of(f"{number}[{index}]", self._simulator)
            by_state.setdefault(state, []).append(index)
        count = f"{len(elements)} element{'' if len(elements) == 1 else 's'}"
        yield f"job {number}: an array of {count}"
        for state, indexes in by_state.items():
            yield f"  {state} {fold_jobs((number, index) for index in indexes)}"

    def _job(self, job: Job) -> Iterator[str]:
        cause = self._simulator.driver.recent.refusal(job.id)
        yield f"job {job.id}: {'refused: ' + cause if cause else job.state.value}"
        project = f"  project {job.project}" if job.project else ""
        yield f"  user {job.user or '-'}  queue {job.queue}{project}  priority {job.priority}"
        yield f"  {self._times(job)}"
        yield from self._request(job.requirement)
        if job.dependencies:
            needs = ", ".join(f"{needed.job} {needed.when.value}" for needed in job.dependencies)
            yield f"  depends on {needs}"
        if job.allocation is not None:
            yield f"  {allocation_text(job.allocation, self._simulator.replay.cluster)}"
        if cause:
            yield from self._impossible(job)
        elif job.state not in OVER and job.state not in STARTED:
            yield from self._waiting(job)

    def _times(self, job: Job) -> str:
        time, now = self._simulator.time, self._simulator.replay.now
        parts = [f"submitted {time(job.submit_time)}"]
        if job.start_time is not None:
            parts.append(f"started {time(job.start_time)}")
        if job.end_time is not None:
            parts.append(f"ended {time(job.end_time)}")
        elif job.planned_end is not None:
            parts.append(f"ends {time(job.planned_end)}")
        waited = (now if job.start_time is None else job.start_time) - job.submit_time
        if job.end_time is None or job.start_time is not None:
            parts.append(f"waited {duration_text(waited)}")
        if job.time_limit is not None:
            parts.append(f"time limit {duration_text(job.time_limit)}")
        if job.begin_time is not None:
            parts.append(f"not before {time(job.begin_time)}")
        if job.requeues:
            parts.append(f"requeued {job.requeues} time{'' if job.requeues == 1 else 's'}")
        return "  ".join(parts)

    # What it asks for.

    def _request(self, requirement: Requirement) -> Iterator[str]:
        if requirement.shape is Shape.SINGLE:
            yield f"  requests {self._primary(requirement.alternatives[0].members[0])}"
            return
        for label, primary in _labelled(requirement):
            yield f"  requests ({label}) {self._primary(primary)}"

    def _primary(self, primary: Primary) -> str:
        fewest, most = primary.tasks_min, primary.tasks_max
        tasks = f"{fewest}..{most} tasks" if most != fewest else f"{fewest} tasks"
        amounts = " ".join(f"{n}={self._simulator.amount(n, a)}" for n, a in primary.amounts)
        parts = [tasks.replace("1 tasks", "1 task") if tasks == "1 tasks" else tasks, amounts]
        if primary.span.kind is SpanKind.PER_HOST:
            parts.append(f"{primary.span.tasks_per_host} a host")
        elif primary.span.kind is SpanKind.ONE_HOST:
            parts.append("on one host")
        if primary.select is not None:
            parts.append(f"select {primary.select.text}")
        return "  ".join(filter(None, parts))

    # Why it waits.

    def _waiting(self, job: Job) -> Iterator[str]:
        scheduler = self._simulator.replay.scheduler
        said, why = verdict(job, scheduler)
        yield f"  verdict {said.name}: {why}"
        if said.name == "NEVER":
            yield from self._impossible(job)
        if said.name != "NOW":
            yield f"  {reasons_text(scheduler.reasons(job), self._simulator.replay.cluster)}"
        yield from self._stopped(job)
        wanted = job.sched
        if isinstance(wanted, SchedulingObject):
            total = len(scheduler.cluster.hosts)
            labels = [label for label, _ in _labelled(wanted.requirement)]
            asks = [ask for members in wanted.alternatives for ask in members]
            for label, ask in zip(labels, asks, strict=True):
                counts = ", ".join(f"{count} {words}" for count, words in host_counts(ask))
                yield f"  hosts{f' ({label})' if label else ''}: {total}: {counts}"
        yield from self._ahead(job)

    def _impossible(self, job: Job) -> Iterator[str]:
        """What an empty cluster lacks for it, if that is why it can't start."""
        scheduler = self._simulator.replay.scheduler
        with suppress(ResolveError):
            if not scheduler.possible(job):
                reasons = scheduler.feasibility().reasons(job)
                yield f"  on an empty cluster: {reasons_text(reasons, scheduler.cluster)}"

    def _stopped(self, job: Job) -> Iterator[str]:
        """What beside room stands in its way: the policy, or a job ahead in a strict queue."""
        held = self._simulator.driver.recent.held_back.get(job.id)
        if held is not None:
            session, remark = held
            yield f"  held back by the policy in session {session}{': ' if remark else ''}{remark}"
        first = self._first_in_strict_queue(job)
        if first is not None:
            yield f"  its queue is strict: job {first.id} has to start first"

    def _first_in_strict_queue(self, job: Job) -> Job | None:
        """The job that stops *job*, if its queue goes strictly in order and it is not the first."""
        scheduler = self._simulator.replay.scheduler
        in_order = type(scheduler.policy).elect is Policy.elect
        if not job.key or not in_order or not scheduler.strict[job.queue]:
            return None
        ahead = (other for other in scheduler.pending.jobs() if other.queue == job.queue)
        first = next(ahead, None)
        return None if first is job else first

    def _ahead(self, job: Job) -> Iterator[str]:
        """The pending jobs that are considered before it."""
        if not job.key:
            return
        before = []
        for other in self._simulator.replay.scheduler.pending.jobs():
            if other is job:
                break
            before.append((other.number, other.index))
        more = f" and {len(before) - AHEAD} more" if len(before) > AHEAD else ""
        named = f": {fold_jobs(before[:AHEAD])}{more}" if before else ""
        yield f"  ahead of it: {len(before)} job{'' if len(before) == 1 else 's'}{named}"


def _labelled(requirement: Requirement) -> Iterator[tuple[str, Primary]]:
    """Each primary with its path; no path for a single one."""
    alternatives = requirement.alternatives
    for a, compound in enumerate(alternatives, 1):
        for m, primary in enumerate(compound.members, 1):
            parts = []
            if requirement.shape is Shape.ALTERNATIVES:
                parts.append(f"alternative {a}/{len(alternatives)}")
            if len(compound.members) > 1 or requirement.shape is Shape.COMPOUND:
                parts.append(f"member {m}/{len(compound.members)}")
            yield " > ".join(parts), primary
