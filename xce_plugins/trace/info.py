"""``info trace``: the stored trace of a job, or of the elements of an array."""

from __future__ import annotations

from collections.abc import Iterator

from xce_core.model.jobs import format_job_id, parse_job_id
from xce_core.sched import history
from xce_core.sched.scheduler import Scheduler
from xce_plugins.trace.codec import decode
from xce_plugins.trace.json_form import json_line
from xce_plugins.trace.render import Units, record_lines
from xce_plugins.trace.store import Store
from xce_plugins.trace.usage import INFO_USAGE
from xce_repl.interface import CommandError

NONE = "no trace available"
DISCARDED = "trace discarded (memory bound)"


def info_lines(text: str, store: Store, scheduler: Scheduler, show: Units) -> Iterator[str]:
    """The lines for *text*, which names a job.

    :raises CommandError: if it does not.
    """
    words = text.split()
    if len(words) not in (1, 2) or words[1:] not in ([], ["json"]):
        raise CommandError(f"usage: {INFO_USAGE}")
    try:
        number, index = parse_job_id(words[0])
    except ValueError as error:
        raise CommandError(f"info trace: {error}") from None
    as_json = len(words) == 2
    return _lines(number, index, store, scheduler, show if not as_json else None)


def _lines(
    number: int, index: int, store: Store, scheduler: Scheduler, show: Units | None
) -> Iterator[str]:
    job = format_job_id(number, index)
    if store.get(job) is not None or store.was_discarded(job):
        yield from _trace(job, store, show)
        return
    elements = store.elements(number) if index < 0 else []
    for element in elements:
        yield from _trace(element, store, show)
    if not elements:
        yield from _states(number, index, scheduler)


def _trace(job: str, store: Store, show: Units | None) -> Iterator[str]:
    trace = store.get(job)
    if trace is None:
        yield f"job {job}: {DISCARDED}"
    elif show is None:
        yield json_line(decode(trace))
    else:
        yield from record_lines(decode(trace), show)


def _states(number: int, index: int, scheduler: Scheduler) -> Iterator[str]:
    """What is known of a job, or of each element of an array, without a trace."""
    job = format_job_id(number, index)
    if index < 0 and job not in scheduler.jobs:
        elements = scheduler.history.elements(number)
        if elements:
            for element in elements:
                name = format_job_id(number, element)
                yield f"job {name}: {NONE} ({_state(number, element, scheduler)})"
            return
    state = _state(number, index, scheduler)
    yield f"job {job}: {NONE} ({state})" if state else f"job {job}: unknown job"


def _state(number: int, index: int, scheduler: Scheduler) -> str:
    """The job's state in a word; empty if there never was such a job."""
    job = scheduler.jobs.get(format_job_id(number, index))
    if job is not None:
        return job.state.value
    past = scheduler.history.of(number, index)
    return history.in_words(past) if past else ""
