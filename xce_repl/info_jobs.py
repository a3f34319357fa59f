"""``info jobs``: a table of jobs, chosen by state, user, queue, host or a condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from xce_core.model.hostlist import fold
from xce_core.model.jobs import OVER, Job, JobState
from xce_repl.conditions import JOB_FACTS, Condition, Moment, tasks_of
from xce_repl.interface import CommandError
from xce_repl.words import columns, known, not_among, split_condition, words_of

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

STATES = [state.value for state in JobState if state not in OVER]
NAMED = ("user", "queue", "host")

Filter = Callable[[Job], bool]


class InfoJobs:
    """Tells about the jobs that are not over."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def __call__(self, rest: str) -> Iterator[str]:
        """info jobs [FILTER ...]"""
        filters = self._filters(rest)
        jobs = [job for job in self._in_order() if all(keep(job) for keep in filters)]
        if not jobs:
            yield "no jobs"
            return
        head = ("job", "state", "user", "queue", "tasks", "submitted", "hosts")
        yield from columns([head, *map(self._row, jobs)])

    def _in_order(self) -> Iterator[Job]:
        """Running jobs by start, pending ones by order, then the others by id."""
        scheduler = self._simulator.replay.scheduler
        yield from scheduler.running.values()
        yield from scheduler.pending.jobs()
        rest = (JobState.WAITING, JobState.HELD)
        others = [job for job in scheduler.jobs.values() if job.state in rest]
        yield from sorted(others, key=lambda job: (job.number, job.index))

    def _filters(self, rest: str) -> list[Filter]:
        words, condition = split_condition(rest)
        filters: list[Filter] = []
        left = words_of(words)
        while left:
            word = left.pop(0)
            if word in STATES:
                filters.append(_in_state(word))
            elif word not in NAMED:
                raise _unknown(word)
            elif left:
                filters.append(self._named(word, left.pop(0)))
            else:
                raise CommandError(f"expected a name after {word}, found nothing")
        if condition:
            filters.append(self._holding(Condition(condition, JOB_FACTS)))
        return filters

    def _named(self, what: str, name: str) -> Filter:
        cluster = self._simulator.replay.cluster
        if what == "user":
            return lambda job: job.user == name
        if what == "queue":
            known(name, cluster.queues, "queue")
            return lambda job: job.queue == name
        bit = 1 << cluster.index_of[known(name, cluster.index_of, "host")]
        return lambda job: job.allocation is not None and bool(job.allocation.hosts & bit)

    def _holding(self, condition: Condition) -> Filter:
        replay, clock = self._simulator.replay, self._simulator.formats.clock
        return lambda job: condition.holds(Moment(replay, clock, job))

    def _row(self, job: Job) -> tuple[str, ...]:
        cluster = self._simulator.replay.cluster
        tasks = tasks_of(job)
        hosts = fold(cluster.names_of(job.allocation.hosts)) if job.allocation else "-"
        submitted = self._simulator.time(job.submit_time)
        return (job.id, job.state.value, job.user or "-", job.queue, str(tasks), submitted, hosts)


def _unknown(word: str) -> CommandError:
    if word in [state.value for state in OVER]:
        what = f"info jobs lists no jobs that are over, so none that is {word}"
        return CommandError(f"{what}; info job ID tells about one")
    return not_among(word, [*STATES, *NAMED, "if"])


def _in_state(word: str) -> Filter:
    state = JobState(word)
    return lambda job: job.state is state
