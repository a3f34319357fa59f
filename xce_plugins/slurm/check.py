"""The report of ``--check``: what a dump holds, and what reading it would do to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.sim.workload import InputError
from xce_plugins.slurm.chains import Merged
from xce_plugins.slurm.fields import clean_name
from xce_plugins.slurm.findings import Findings
from xce_plugins.slurm.needs import Needs
from xce_plugins.slurm.options import SKIP_MALFORMED, SlurmOptions
from xce_plugins.slurm.partitions import ONE_QUEUE
from xce_plugins.slurm.reader import Dump
from xce_plugins.slurm.recipe import SHOW_COMMAND
from xce_plugins.slurm.rules import CUT_ARRAY, MALFORMED, STEP

_COUNTS_SHOWN = 10
_MANY = 100
_HINT = "no job has more than one row: requeued attempts are missing if it was taken without"
_REMEDIES = {MALFORMED: SKIP_MALFORMED, CUT_ARRAY: SKIP_MALFORMED}


def check_report(
    source: BinaryIO, path: str, options: SlurmOptions, cluster: Cluster | None = None
) -> list[str]:
    """Lines for the user: the dump's contents, and its faults by cause; nothing runs.

    Faults that would end the reading are counted too, and the reading goes on.

    :raises InputError: for a source that can't be read on at all.
    """
    return Check(source, path, options, cluster).lines()


class Check:
    """One reading of a dump from end to end."""

    def __init__(
        self, source: BinaryIO, path: str, options: SlurmOptions, cluster: Cluster | None
    ) -> None:
        self._findings = Findings()
        self._told: dict[str, str] = {}
        self._dump = Dump(source, path, options, self._stop, self._findings)
        self._load = Load()
        self._partitions: Counter[str] = Counter()
        self._users: set[int] = set()
        self._cluster = self._found_cluster(cluster)
        self._take_jobs()

    def lines(self) -> list[str]:
        """The report."""
        return [
            *self._summary(),
            *self._section("stops the reading:", self._findings.stops),
            *self._section("refused:", self._findings.tally.refused),
            *self._section("repaired:", self._findings.tally.repaired),
            *self._section("notes:", self._findings.notes),
            "such a dump, and a description of its nodes, is collected by:",
            *(f"  {line}" for line in SHOW_COMMAND),
        ]

    def _stop(self, cause: str, error: InputError) -> None:
        self._findings.stop(cause, error.line)
        self._told.setdefault(cause, error.what)

    def _found_cluster(self, given: Cluster | None) -> Cluster | None:
        try:
            return self._dump.cluster(given)
        except InputError as error:
            if error.path != self._dump.path:
                raise
            self._stop("no cluster", error)
            return None

    def _take_jobs(self) -> None:
        dump, chains = self._dump, self._dump.chains
        names = dump.attempts.names.values
        needs = None
        if self._cluster is not None:
            needs = Needs(self._cluster, dump.attempts, self._findings)
        for number in range(len(chains)):
            job = chains[number]
            queue = ONE_QUEUE if dump.options.queues == "one" else names[job.last.queue]
            self._partitions[names[job.last.queue]] += 1
            self._users.add(job.first.user)
            self._load.add(job, [dump.attempts.needs.values[p[-1].need].cpus for p in job.members])
            if needs is not None:
                needs.requirement(job, queue)

    def _summary(self) -> Iterator[str]:
        dump, tally, found = self._dump, self._findings.tally, self._findings
        jobs = len(dump.chains)
        joined = tally.read - tally.refused.total() - jobs
        yield (
            f"{dump.path}: {tally.read} jobs read, {jobs} accepted, "
            f"{tally.refused.total()} refused, {joined} joined to others, "
            f"{found.stops.total()} faults that stop the reading"
        )
        yield f"rows: {dump.rules.rows}, {found.notes[STEP]} of them of steps"
        if dump.rules.clusters:
            yield f"clusters: {', '.join(dump.rules.clusters)}"
        yield self._machine()
        yield f"zone: {dump.options.zone_name or 'not given, UTC in this report'}"
        if dump.rules.states:
            yield f"states: {_counts(dump.rules.states)}"
        if jobs:
            yield from self._contents(jobs)

    def _machine(self) -> str:
        if self._cluster is None:
            return "machine: unknown"
        hosts = self._cluster.hosts
        return f"machine: {len(hosts)} hosts, {self._slots} slots ({self._dump.origin})"

    @property
    def _slots(self) -> int:
        hosts = self._cluster.hosts if self._cluster is not None else ()
        return sum(host.capacity.get("slots", 0) for host in hosts)

    def _contents(self, jobs: int) -> Iterator[str]:
        dump, load = self._dump, self._load
        zone = dump.options.zone or timezone.utc
        first, last = (_date(moment, zone) for moment in (load.first, load.last_submit))
        yield f"submitted: {first} to {last}"
        yield f"started: {jobs - len(dump.kills)}; never started: {len(dump.kills)}"
        yield f"users: {len(self._users)}; partitions: {_counts(self._partitions)}"
        yield f"largest job: {load.largest} CPUs"
        peak = load.peak()
        share = f" ({100 * peak / self._slots:.1f}% of the slots)" if self._slots else ""
        yield f"peak use: {peak} CPUs{share}, by the starts and run times of the dump"
        room = self._slots * (load.last_end - load.first)
        if room:
            yield (
                f"mean load: {100 * load.work / room:.1f}% of {self._slots} slots, over "
                f"{load.last_end - load.first} s from the first submission to the last end"
            )
        repaired = self._findings.tally.repaired.total()
        yield f"repaired or joined: {100 * repaired / self._findings.tally.read:.1f}% of the jobs"
        if not dump.chains.chained and jobs >= _MANY:
            yield f"{_HINT} --duplicates"

    def _section(self, title: str, counts: Counter[str]) -> Iterator[str]:
        if counts:
            yield title
        for cause, count in sorted(counts.items()):
            remedy = f"; repair: {_REMEDIES[cause]}" if cause in _REMEDIES else ""
            line = self._findings.first[cause]
            where = f" (first: line {line}{remedy})" if line else ""
            what = f": {self._told[cause]}" if cause in self._told and not remedy else ""
            yield f"  {count} {cause}{what}{where}"


class Load:
    """The load of the jobs of a dump, as it was."""

    def __init__(self) -> None:
        self.first = self.last_submit = self.last_end = -1
        self.work = 0
        self.largest = 0
        self._steps: list[tuple[int, int]] = []

    def add(self, job: Merged, cpus: list[int]) -> None:
        """Take in a job, with the CPUs of each of its parts."""
        size, submit = sum(cpus), job.first.submit
        self.first = submit if self.first < 0 else min(self.first, submit)
        self.last_submit = max(self.last_submit, submit)
        self.last_end = max(self.last_end, submit)
        self.largest = max(self.largest, size)
        for part, count in zip(job.members, cpus, strict=True):
            for row in part:
                self.work += row.run * count
                if row.run:
                    self.last_end = max(self.last_end, row.start + row.run)
                    self._steps += ((row.start, count), (row.start + row.run, -count))

    def peak(self) -> int:
        """Most CPUs in use at once; a job that starts where another ends does not overlap it."""
        in_use = most = 0
        for _, change in sorted(self._steps):
            in_use += change
            most = max(most, in_use)
        return most


def _date(moment: int, zone: object) -> str:
    local = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=moment)
    return f"{local.astimezone(zone):%Y-%m-%d %H:%M:%S}"  # type: ignore[arg-type]


def _counts(counts: Counter[str]) -> str:
    """The most frequent ones, by name."""
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{clean_name(name)} ({count})" for name, count in most[:_COUNTS_SHOWN]]
    more = f", {len(most) - len(shown)} more" if len(most) > len(shown) else ""
    return ", ".join(shown) + more
