"""The report of ``--check``: what a dump holds, and what reading it would do to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.sim.check_report import counts_text, finding_lines, mean_load_lines, peak_share
from xce_core.sim.findings import Findings
from xce_core.sim.workload import InputError
from xce_plugins.slurm.fields import clean_name
from xce_plugins.slurm.load import Load
from xce_plugins.slurm.needs import Needs
from xce_plugins.slurm.options import SKIP_MALFORMED, SlurmOptions
from xce_plugins.slurm.partitions import ONE_QUEUE
from xce_plugins.slurm.reader import Dump
from xce_plugins.slurm.recipe import SHOW_COMMAND
from xce_plugins.slurm.rules import CUT_ARRAY, MALFORMED, STEP

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
            *finding_lines(self._findings, _REMEDIES, self._told),
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
            yield f"states: {counts_text(dump.rules.states, clean_name)}"
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
        yield f"users: {len(self._users)}; partitions: {counts_text(self._partitions, clean_name)}"
        yield f"largest job: {load.largest} CPUs"
        peak = load.peak()
        share = peak_share(peak, self._slots)
        yield f"peak use: {peak} CPUs{share}, by the starts and run times of the dump"
        yield from mean_load_lines(load.work, self._slots, load.last_end - load.first)
        repaired = self._findings.tally.repaired.total()
        yield f"repaired or joined: {100 * repaired / self._findings.tally.read:.1f}% of the jobs"
        if not dump.chains.chained and jobs >= _MANY:
            yield f"{_HINT} --duplicates"


def _date(moment: int, zone: object) -> str:
    local = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=moment)
    return f"{local.astimezone(zone):%Y-%m-%d %H:%M:%S}"  # type: ignore[arg-type]
