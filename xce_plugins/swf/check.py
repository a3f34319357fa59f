"""The report of ``--check``: what a log holds, and what reading it would do to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job, Seconds
from xce_core.sim.check_report import counts_text, finding_lines, mean_load_lines, peak_share
from xce_core.sim.findings import Findings
from xce_core.sim.workload import InputError
from xce_plugins.swf.fields import STATUS, WAIT, FieldError, seconds
from xce_plugins.swf.header import Header, split_header
from xce_plugins.swf.lines import Lines
from xce_plugins.swf.load import Load
from xce_plugins.swf.machine import Machine, machine_fault, machine_of, slots_of
from xce_plugins.swf.options import (
    CLAMP_PROCS,
    LIMIT_RUN,
    MERGE_PARTIAL,
    RAISE_LIMIT,
    RENUMBER,
    SKIP_MALFORMED,
    SORT_SUBMIT,
    SwfOptions,
)
from xce_plugins.swf.rules import (
    CUT_OFF,
    MALFORMED,
    OVER_LIMIT,
    PART,
    REPEATED,
    TOO_LARGE,
    UNORDERED,
    Rules,
)

_LAST_YEAR = 253_402_300_800  # 1 January 10000, which dates can't tell
_REMEDIES = {
    TOO_LARGE: CLAMP_PROCS,
    REPEATED: RENUMBER,
    PART: MERGE_PARTIAL,
    MALFORMED: SKIP_MALFORMED,
    CUT_OFF: SKIP_MALFORMED,
    UNORDERED: SORT_SUBMIT,
    OVER_LIMIT: f"{RAISE_LIMIT} or {LIMIT_RUN}",
}


def check_report(
    source: BinaryIO, path: str, options: SwfOptions, cluster: Cluster | None = None
) -> list[str]:
    """Lines for the user: the log's contents, and its faults by cause; nothing runs.

    Faults that would end the reading are counted too, and the reading goes on.

    :raises InputError: for a source that can't be read on at all.
    """
    return Check(source, path, options, cluster).lines()


class Check:
    """One reading of a log from end to end."""

    def __init__(
        self, source: BinaryIO, path: str, options: SwfOptions, cluster: Cluster | None
    ) -> None:
        self._path = path
        self._lines = Lines(source, path)
        self._header, self._batches = split_header(self._lines.batches())
        machine = machine_of(self._header, options.procs)
        self._findings = Findings()
        if cluster is None and (fault := machine_fault(machine)):
            self._findings.stop(fault, 0)
        self._machine_line, self._slots = _machine(machine, cluster)
        self._rules = Rules(path, options, self._slots, self._findings, self._stop)
        self._load = Load()
        self._accepted = 0
        self._users: set[str] = set()
        self._queues: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._last_submit: Seconds = 0

    def lines(self) -> list[str]:
        """The report."""
        for first, batch in self._batches:
            for at, line in enumerate(batch, first):
                job = self._rules.job(line, at, at == self._lines.unfinished)
                if job is not None:
                    self._take(job, line.split())
        self._load.finish()
        return [*self._summary(), *finding_lines(self._findings, _REMEDIES, {})]

    def _stop(self, cause: str, error: InputError) -> None:
        self._findings.stop(cause, error.line)

    def _take(self, job: Job, tokens: list[bytes]) -> None:
        self._accepted += 1
        self._users.add(job.user)
        self._queues[job.queue] += 1
        self._statuses[tokens[STATUS - 1].decode("ascii")] += 1
        self._last_submit = max(self._last_submit, job.submit_time)
        procs = job.requirement.alternatives[0].members[0].tasks_min
        self._load.add(job.submit_time, _wait(tokens), job.run_time or 0, procs)

    def _summary(self) -> Iterator[str]:
        tally, stops = self._findings.tally, self._findings.stops
        yield (
            f"{self._path}: {tally.read} jobs read, {self._accepted} accepted, "
            f"{tally.refused.total()} refused, {stops.total()} faults that stop the reading"
        )
        for key in ("Computer", "Acknowledge", "Preemption"):
            if key in self._header.values:
                yield f"{key.lower()}: {_printable(self._header.values[key])}"
        yield self._machine_line
        if self._accepted:
            yield f"submitted: {_span(self._load.first or 0, self._last_submit, self._header)}"
            yield f"users: {len(self._users)}; queues: {counts_text(self._queues)}"
            yield f"status of those accepted: {counts_text(self._statuses)}"
            yield from self._load_lines()

    def _load_lines(self) -> Iterator[str]:
        load = self._load
        yield f"largest job: {load.largest} processors"
        yield from mean_load_lines(load.work, self._slots or 0, load.span)
        if load.unknown_waits == self._accepted:
            yield "peak use: not known, as there are no wait times"
        elif load.unordered:
            yield "peak use: not known, as the lines are not in order of submit time"
        else:
            share = peak_share(load.peak, self._slots or 0)
            yield f"peak use: {load.peak} processors{share}, by the wait times of the log"


def _machine(machine: Machine | None, cluster: Cluster | None) -> tuple[str, int | None]:
    """The line about the machine, and its slots; None if there is no machine."""
    if cluster is not None:
        slots = slots_of(cluster)
        return f"machine: {len(cluster.hosts)} hosts, {slots} slots (the cluster given)", slots
    if machine is None:
        return "machine: unknown", None
    shape = f"{machine.hosts} hosts of {machine.slots} slot{'s' if machine.slots > 1 else ''}"
    return f"machine: {shape} ({machine.origin})", machine.hosts * machine.slots


def _wait(tokens: list[bytes]) -> Seconds:
    """The recorded wait; it plays no part in a replay, so anything unreadable is unknown."""
    try:
        return seconds(tokens, WAIT)
    except FieldError:
        return -1


def _span(first: Seconds, last: Seconds, header: Header) -> str:
    text = f"{first} to {last} s"
    origin = header.number("UnixStartTime")
    if origin is None or not 0 <= origin + first <= origin + last < _LAST_YEAR:
        return text
    return f"{text} ({_date(origin + first)} to {_date(origin + last)} UTC)"


def _date(unix: Seconds) -> str:
    return f"{datetime(1970, 1, 1) + timedelta(seconds=int(unix)):%Y-%m-%d %H:%M:%S}"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
