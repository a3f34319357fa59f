"""What watchpoints can look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xce_core.model.jobs import Job
from xce_core.sched import history
from xce_core.sim.replay import Replay
from xce_repl.interface import CommandError
from xce_repl.names import brief
from xce_repl.words import arguments, canonical_id, job_id_of, known, not_among

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

USAGE = "watch job ID.state|host NAME.free|host NAME.state [if CONDITION]"

Look = Callable[[Replay], str]


def look_at(what: str, simulator: Simulator) -> tuple[Look, str]:
    """What gives the value that *what* names, and *what* in full.

    :raises CommandError: if there is no such thing to watch.
    """
    kind, subject = arguments(what, USAGE, 2, 2)
    name, _, attribute = subject.rpartition(".")
    if kind and "job".startswith(kind):
        _check(subject, attribute, "job ID", ("state",))
        job = canonical_id(name)
        return WatchedJob(job, simulator), f"job {job}.state"
    if kind and "host".startswith(kind):
        _check(subject, attribute, "host NAME", ("free", "state"))
        return _of_host(name, attribute, simulator), f"host {name}.{attribute}"
    raise not_among(kind, ("job", "host"))


def _check(subject: str, attribute: str, what: str, attributes: tuple[str, ...]) -> None:
    if attribute not in attributes or subject == f".{attribute}":
        forms = " or ".join(f"{what}.{each}" for each in attributes)
        raise CommandError(f"expected {forms}, found {brief(subject)}")


def _of_host(name: str, attribute: str, simulator: Simulator) -> Look:
    index = simulator.replay.cluster.index_of
    at = index[known(name, index, "host")]
    if attribute == "free":
        return lambda replay: str(replay.scheduler.ledger.columns["slots"].left(at))
    return lambda replay: replay.scheduler.ledger.state_of(at).value


class WatchedJob:
    """The state of one job, which is kept in sight also when it is over."""

    def __init__(self, job_id: str, simulator: Simulator) -> None:
        self._id = job_id
        self._simulator = simulator
        self._seen: tuple[Replay, Job] | None = None

    def __call__(self, replay: Replay) -> str:
        job = replay.scheduler.jobs.get(self._id)
        if job is not None:
            self._seen = (replay, job)
        elif self._seen is None or self._seen[0] is not replay:
            return state_of(self._id, self._simulator)
        return self._seen[1].state.value


def state_of(job_id: str, simulator: Simulator) -> str:
    """The state of a job, as far as it is known: also before it comes and after it is over."""
    scheduler = simulator.replay.scheduler
    recent = simulator.driver.recent
    job = scheduler.jobs.get(job_id) or recent.find(job_id)
    if job is not None:
        return job.state.value if recent.refusal(job_id) is None else "refused"
    past = scheduler.history.of(*job_id_of(job_id))
    return history.in_words(past) if past else "not submitted"
