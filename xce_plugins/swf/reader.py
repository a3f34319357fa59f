"""Opens a log as a workload."""

from __future__ import annotations

import io
from collections.abc import Iterator
from operator import attrgetter
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job
from xce_core.sim.events import Event
from xce_core.sim.findings import Findings
from xce_core.sim.workload import InputError, Start, Timeline
from xce_plugins.swf.fields import QUEUE, FieldError, whole
from xce_plugins.swf.header import is_remark, split_header
from xce_plugins.swf.interned import queue_name
from xce_plugins.swf.lines import Lines
from xce_plugins.swf.machine import (
    DEFAULT_QUEUE,
    Machine,
    cluster_of,
    machine_of,
    slots_of,
    with_only_queues,
    with_queues,
)
from xce_plugins.swf.options import MERGE_PARTIAL, SORT_SUBMIT, SwfOptions
from xce_plugins.swf.plain import plain_reader
from xce_plugins.swf.rules import PRECEDING_LATER, Rules

HELD_LIMIT = 2**30
"""How many bytes of an input that can be read only once are held to look for its queues."""

QUEUES_LIMIT = 10_000
"""How many queues a log may have."""


class SwfWorkload:
    """A log opened for replay: a job for each line, as it is asked for.

    :attr:`notes` counts what was read by a rule that a reader of the results should know
    of; like :attr:`tally` it is filled while :meth:`events` is read.
    """

    timeline = Timeline.SIMULATED
    policy: str | None = None

    def __init__(
        self,
        lines: Lines,
        path: str,
        options: SwfOptions,
        cluster: Cluster | None,
        queues: tuple[str, ...],
    ) -> None:
        self.path = path
        self.start = Start()
        self.header, self._batches = split_header(lines.batches())
        machine = machine_of(self.header, options.procs)
        self.cluster = _cluster(machine, path, cluster, queues)
        self._lines = lines
        self._options = options
        self._findings = Findings()
        self.tally = self._findings.tally
        self.notes = self._findings.notes
        self._rules = Rules(path, options, slots_of(self.cluster), self._findings)

    def events(self) -> Iterator[Event]:
        """The jobs in order of submission; to be read once.

        :raises InputError: at the first fault that no repair was asked for.
        """
        repairs = self._options.repairs
        if SORT_SUBMIT in repairs or MERGE_PARTIAL in repairs:
            return self._held()
        return self._jobs()

    def _held(self) -> Iterator[Job]:
        """All jobs in order of submission, when the last line has been read."""
        jobs = list(self._jobs())
        jobs.sort(key=attrgetter("submit_time"))
        given: set[str] = set()
        for job in jobs:
            if job.dependencies and job.dependencies[0].job not in given:
                job.dependencies = ()
                self._findings.note(PRECEDING_LATER, job.line)
            if self._options.dependencies:
                given.add(job.id)
            yield job

    def _jobs(self) -> Iterator[Job]:
        """The jobs in order of lines."""
        rules, lines = self._rules, self._lines
        one_queue = DEFAULT_QUEUE if self._options.queues == "one" else ""
        plain = plain_reader(rules, self._findings, one_queue)
        for first, batch in self._batches:
            for at, line in enumerate(batch, first):
                job = plain(line, at) or rules.job(line, at, at == lines.unfinished)
                if job is not None:
                    yield job


def open_workload(
    source: BinaryIO, path: str, options: SwfOptions, cluster: Cluster | None = None
) -> SwfWorkload:
    """The log in *source*, which is expanded, with its header read.

    With the log's own queues, the log is read once before to find them; a source that can be
    read only once, such as a pipe or compressed data, is held in memory for that.

    :param path: what to call it in messages.
    :param cluster: the cluster to use in place of the header's machine.
    :raises InputError: if it is no log, or says nothing of its machine.
    """
    queues: tuple[str, ...] = (DEFAULT_QUEUE,)
    if options.queues == "log":
        source = _rereadable(source, path)
        queues = _queues_in(source, path)
    return SwfWorkload(Lines(source, path), path, options, cluster, queues)


def _rereadable(source: BinaryIO, path: str) -> BinaryIO:
    if source.seekable():
        return source
    held = source.read(HELD_LIMIT + 1)
    if len(held) > HELD_LIMIT:
        what = f"expected at most {HELD_LIMIT} bytes where the log's queues are kept"
        raise InputError(path, 0, f"{what}: give a plain file")
    return io.BytesIO(held)


def _queues_in(source: BinaryIO, path: str) -> tuple[str, ...]:
    """The names of all queues in the log, in order of their numbers; *source* is rewound."""
    origin = source.tell()
    found: set[bytes] = set()
    for _, lines in Lines(source, path).batches():
        fields = (line.split(None, QUEUE) for line in lines if not is_remark(line))
        found.update(tokens[QUEUE - 1] for tokens in fields if len(tokens) >= QUEUE)
        if len(found) > QUEUES_LIMIT:
            raise InputError(path, 0, f"field {QUEUE} (queue): more than {QUEUES_LIMIT} queues")
    source.seek(origin)
    numbers = sorted({number for token in found if (number := _number(token)) is not None})
    known = [queue_name(number) for number in numbers if number >= 0]
    return (*known, *([queue_name(-1)] if len(known) < len(numbers) else []))


def _number(token: bytes) -> int | None:
    """The queue's number; None for what the reading of its line will complain about."""
    try:
        return whole([token], 1)
    except FieldError:
        return None


def _cluster(
    machine: Machine | None, path: str, given: Cluster | None, queues: tuple[str, ...]
) -> Cluster:
    if given is not None:
        return with_queues(given, queues)
    return with_only_queues(cluster_of(machine, path), queues)
