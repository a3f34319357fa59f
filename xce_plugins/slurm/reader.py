"""Dumps as workloads: the whole dump is read first, since its rows are in no order of time."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from operator import itemgetter
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job, Seconds, format_job_id
from xce_core.sim.events import Act, Event, JobAct
from xce_core.sim.findings import Findings, OnFault, stop_reading
from xce_core.sim.workload import OptionError, Start, Timeline, option_flag
from xce_plugins.slurm.attempts import Attempts, Fate
from xce_plugins.slurm.chains import Chains, Merged
from xce_plugins.slurm.clock import UNKNOWN
from xce_plugins.slurm.inferred import inferred_cluster
from xce_plugins.slurm.lines import Lines
from xce_plugins.slurm.needs import Needs
from xce_plugins.slurm.nodes_text import load_nodes
from xce_plugins.slurm.options import SlurmOptions
from xce_plugins.slurm.partitions import ONE_QUEUE, with_queues
from xce_plugins.slurm.rows import Rows
from xce_plugins.slurm.rules import OUTCOMES, Rules

CANCELLED = "never started: cancelled while it waited, as recorded"
STILL_WAITING = "waits still when the dump was taken: killed at the dump's latest moment"
WAITED_TO_THE_END = "never eligible: it waits for something until it is cancelled"


class Dump:
    """A dump that was read to its end.

    :ivar kills: when the jobs that never started are cancelled, by their place in the chains.
    :ivar origin: where the cluster comes from, for people.
    """

    def __init__(
        self,
        source: BinaryIO,
        path: str,
        options: SlurmOptions,
        on_fault: OnFault = stop_reading,
        findings: Findings | None = None,
    ) -> None:
        self.path = path
        self.options = options
        self.findings = Findings() if findings is None else findings
        self.rules = Rules(path, options, self.findings, on_fault)
        for row in Rows(Lines(source, path), path, options.columns, self.findings):
            self.rules.take(row)
        self.attempts: Attempts = self.rules.attempts
        self.chains = Chains(self.attempts, self.findings, options.attempts == "last")
        self.kills = {
            job: self._killed(self.chains[job])
            for job in range(len(self.chains))
            if self.chains.never_started(job)
        }
        self.origin = ""

    def _killed(self, job: Merged) -> int:
        """When *job*, which never started, is cancelled; it is noted."""
        waits = job.last.fate != Fate.NEVER_STARTED
        self.findings.note(STILL_WAITING if waits else CANCELLED, job.last.line)
        if job.begin == job.kill:
            self.findings.note(WAITED_TO_THE_END, job.last.line)
        return job.kill

    def cluster(self, given: Cluster | None) -> Cluster:
        """The cluster that the user gave, or that of the node lists, with the jobs' queues.

        :raises InputError: if there is none.
        """
        if given is not None and self.options.scontrol is not None:
            what = "there is a cluster from --cluster already"
            raise OptionError(option_flag("scontrol"), what)
        if given is not None:
            self.origin = "the cluster given"
        elif self.options.scontrol is not None:
            given = load_nodes(self.options.scontrol, self.findings)
            self.origin = self.options.scontrol
        else:
            given = inferred_cluster(
                self.attempts, list(self.chains.rows), self.findings, self.path
            )
            self.origin = "inferred from the node lists"
        return with_queues(given, self._queues())

    def _queues(self) -> list[str]:
        if self.options.queues == "one":
            return [ONE_QUEUE]
        names = self.attempts.names.values
        used = {self.attempts.columns["queue"][place] for place in self.chains.rows}
        return sorted(names[number] for number in used) or [ONE_QUEUE]


class SlurmWorkload:
    """A dump opened for replay.

    :ivar notes: what was read by a rule that a reader of the results should know of.
    """

    timeline = Timeline.SIMULATED
    policy: str | None = None

    def __init__(self, dump: Dump, cluster: Cluster | None) -> None:
        self.path = dump.path
        self.cluster = dump.cluster(cluster)
        self.start = Start()
        self.tally = dump.findings.tally
        self.notes = dump.findings.notes
        self._dump = dump

    def events(self) -> Iterator[Event]:
        """Submissions, and cancellations of jobs that never started, in order of time."""
        both = merge(self._submits(), self._kills(), key=itemgetter(0, 1))
        return (event for _, _, event in both)

    def _submits(self) -> Iterator[tuple[Seconds, int, Event]]:
        chains = self._dump.chains
        needs = Needs(self.cluster, self._dump.attempts, self._dump.findings)
        # Chains are in order of ids, and a sort keeps that for those of one moment.
        for number in sorted(range(len(chains)), key=chains.submit):
            job = self._job(chains[number], needs)
            yield job.submit_time, 0, job

    def _kills(self) -> Iterator[tuple[Seconds, int, Event]]:
        chains = self._dump.chains
        for number in sorted(self._dump.kills, key=self._dump.kills.__getitem__):
            merged = chains[number]
            job = format_job_id(merged.first.number, merged.first.element)
            yield merged.kill, 1, JobAct(merged.kill, job, Act.KILL, merged.last.line)

    def _job(self, merged: Merged, needs: Needs) -> Job:
        names = self._dump.attempts.names.values
        first, last = merged.first, merged.last
        queue = ONE_QUEUE if self._dump.options.queues == "one" else names[last.queue]
        limit = None if last.limit == UNKNOWN else last.limit
        return Job(
            format_job_id(first.number, first.element),
            first.number,
            first.element,
            names[first.user],
            queue,
            names[last.project],
            needs.requirement(merged, queue),
            first.submit,
            _run_time(merged, limit),
            limit,
            begin_time=merged.begin,
            outcome=OUTCOMES[last.outcome],
            line=first.line,
        )


def _run_time(merged: Merged, limit: int | None) -> int:
    """How long the job runs.

    If a replay starts a job that never started, it runs until it is cancelled as recorded,
    or until its time limit: a second more than there is keeps its end behind the cancellation.
    """
    if merged.kill == UNKNOWN:
        return merged.run
    most = merged.kill - merged.first.submit + 1
    return most if limit is None else min(most, limit)


def open_workload(
    source: BinaryIO, path: str, options: SlurmOptions, cluster: Cluster | None = None
) -> SlurmWorkload:
    """The dump in *source*, read to its end.

    :param path: what to call it in messages.
    :param cluster: the cluster to use.
    :raises InputError: at the first fault that no repair was asked for.
    """
    return SlurmWorkload(Dump(source, path, options), cluster)
