"""Recordings, written line by line: the inverse of the reader."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Allocation, Dispatch
from xce_core.model.jobs import (
    STARTED,
    Job,
    JobState,
    Seconds,
    canonical_seconds,
    parse_job_id,
)
from xce_core.model.reasons import Reasons
from xce_core.sim.cluster_text import cluster_object
from xce_core.sim.events import (
    Event,
    HostChange,
    JobAct,
    JobChange,
    JobEnd,
    QueueChange,
    Recorded,
    SessionMark,
)
from xce_core.sim.job_lists import JobId, fold_jobs
from xce_core.sim.recording_header import FORMAT, VERSION, Pends
from xce_core.sim.recording_texts import Texts, as_json, quoted
from xce_core.sim.workload import Timeline

JOBS_A_LINE = 1000
"""How many jobs a line of pends may have."""


class RecordingWriter:
    """Writes a recording; the caller keeps the order: header, starting state, events.

    The same calls give the same bytes, all of them ASCII. Pends with the same reasons that
    follow each other share a line, so the last ones are written by the next other call, or
    by :meth:`finish`.

    :param pends: what the caller writes of pends.
    """

    def __init__(
        self,
        stream: TextIO,
        cluster: Cluster,
        timeline: Timeline,
        policy: str | None = None,
        time_zone: str | None = None,
        pends: Pends = Pends.CHANGES,
    ) -> None:
        self._put = stream.write
        self._cluster = cluster
        self._timeline = timeline
        self._policy = policy
        self._time_zone = time_zone
        self._pends = pends
        self._texts = Texts(cluster)
        self._start_time: Seconds | None = None
        self._pending: list[JobId] = []
        self._reasons: Reasons | None = None

    def header(self, time: Seconds | None = None, session: int = 0) -> None:
        """The first line.

        :param time: the time of the starting state; None if it is that of the first event.
        :param session: number of sessions before.
        """
        self._start_time = time
        said = {
            "type": "header",
            "format": FORMAT,
            "version": VERSION,
            "timeline": self._timeline.value,
            "policy": self._policy,
            "time_zone": self._time_zone,
            "time": time,
            "session": session or None,
            "pends": self._pends.value if self._pends is not Pends.CHANGES else None,
            "cluster": cluster_object(self._cluster),
        }
        told = {name: value for name, value in said.items() if value is not None}
        self._put(as_json(told) + "\n")

    def start_job(self, job: Job, allocation: Allocation | None = None) -> None:
        """A job of the starting state, as it stands now.

        :param allocation: what it holds, if it is running or suspended; None for what the
            job says of that.
        """
        self.start_line(self.job_line(job, job.allocation if allocation is None else allocation))

    def start_line(self, text: str) -> None:
        """A line of the starting state, as :meth:`job_line` gave it."""
        self._put(text)

    def job_line(self, job: Job, allocation: Allocation | None) -> str:
        """The line of a job of the starting state, as it stands now.

        :param allocation: what it holds, if it is running or suspended.
        """
        text = f'{{"type":"job",{self._texts.submitted(job)},"state":"{job.state.value}"'
        if job.held and job.state is not JobState.HELD:
            text += ',"held":true'
        if job.state in STARTED and job.start_time is not None:
            text += f',"start":{job.start_time}'
        if allocation is not None:
            text += f',"allocation":{{{self._texts.allocation(allocation)}}}'
        for name, value in (
            ("eligible", job.eligible_time),
            ("remaining", self._remaining(job)),
            ("requeues", job.requeues or None),
            ("not_before", job.not_before),
        ):
            if value is not None:
                text += f',"{name}":{value}'
        return text + "}\n"

    # Events.

    def event(self, event: Event) -> None:
        """Any event; a session with its decisions."""
        if isinstance(event, Job):
            self.submit(event)
        elif isinstance(event, SessionMark):
            self.session(event.number, event.time)
            for recorded in event.decisions:
                self.recorded(recorded)
        elif isinstance(event, JobEnd):
            self.end(event.job, event.time, event.state)
        elif isinstance(event, JobAct):
            self.act(event)
        elif isinstance(event, JobChange):
            self.change(event)
        elif isinstance(event, HostChange):
            self.hosts(event)
        else:
            self.queue(event)

    def submit(self, job: Job) -> None:
        """A submission, at the job's submit time."""
        held = ',"held":true' if job.held else ""
        self._line(f'{{"type":"submit",{self._texts.submitted(job)}{held}}}\n')

    def session(self, number: int, time: Seconds) -> None:
        """A session; its decisions follow."""
        self._line(f'{{"type":"session","time":{time},"number":{number}}}\n')

    def dispatch(self, dispatch: Dispatch) -> None:
        """A dispatch in the current session."""
        self._dispatched(dispatch.job.id, dispatch.allocation, dispatch.reconstructed)

    def pend(self, jobs: Iterable[Job], reasons: Reasons) -> None:
        """Jobs that pend for the same reasons in the current session, in this order."""
        self._pended([(job.number, job.index) for job in jobs], reasons)

    def recorded(self, recorded: Recorded) -> None:
        """A decision as a recording has it."""
        if recorded.allocation is not None:
            self._dispatched(recorded.job, recorded.allocation, recorded.reconstructed)
        elif recorded.reasons is not None:
            self._pended([parse_job_id(recorded.job)], recorded.reasons)

    def end(self, job: str, time: Seconds, state: JobState) -> None:
        """The job of this id came to its end."""
        self._line(f'{{"type":"end","time":{time},"job":"{job}","state":"{state.value}"}}\n')

    def act(self, act: JobAct) -> None:
        """Somebody did something to a job."""
        self._line(f'{{"type":"{act.act.value}","time":{act.time},"job":"{act.job}"}}\n')

    def change(self, change: JobChange) -> None:
        """Fields of a job were modified."""
        text = f'{{"type":"modify","time":{change.time},"job":"{change.job}"'
        if change.priority is not None:
            text += f',"priority":{change.priority}'
        if change.queue is not None:
            text += f',"queue":{quoted(change.queue)}'
        if change.time_limit is not None:
            text += f',"time_limit":{change.time_limit}'
        if change.begin_time is not None:
            text += f',"begin":{change.begin_time}'
        self._line(text + "}\n")

    def hosts(self, change: HostChange) -> None:
        """Hosts changed their state."""
        hosts = self._texts.hosts(change.hosts)
        state = change.state.value
        self._line(f'{{"type":"host","time":{change.time},"hosts":{hosts},"state":"{state}"}}\n')

    def queue(self, change: QueueChange) -> None:
        """A queue was opened or closed."""
        queue, is_open = quoted(change.queue), "true" if change.is_open else "false"
        self._line(f'{{"type":"queue","time":{change.time},"queue":{queue},"open":{is_open}}}\n')

    def finish(self) -> None:
        """Write what is still to be written; the stream stays open."""
        self._flush_pends()

    # Lines.

    def _line(self, text: str) -> None:
        if self._pending:
            self._flush_pends()
        self._put(text)

    def _pended(self, ids: list[JobId], reasons: Reasons) -> None:
        if self._pending and (reasons is not self._reasons and reasons != self._reasons):
            self._flush_pends()
        self._reasons = reasons
        self._pending += ids
        if len(self._pending) >= JOBS_A_LINE:
            self._flush_pends()

    def _flush_pends(self) -> None:
        while self._pending:
            assert self._reasons is not None
            jobs, self._pending = self._pending[:JOBS_A_LINE], self._pending[JOBS_A_LINE:]
            field = "job" if len(jobs) == 1 else "jobs"
            reasons = self._texts.reasons(self._reasons)
            self._put(f'{{"type":"pend","{field}":"{fold_jobs(jobs)}",{reasons}}}\n')

    def _dispatched(self, job: str, allocation: Allocation, reconstructed: bool) -> None:
        mark = ',"reconstructed":true' if reconstructed else ""
        self._line(f'{{"type":"dispatch","job":"{job}",{self._texts.allocation(allocation)}{mark}}}\n')

    def _remaining(self, job: Job) -> Seconds | None:
        """What is left of the run time of a job of the starting state."""
        if job.planned_end is None or self._start_time is None:
            return job.remaining
        return canonical_seconds(job.planned_end + job.cut_short - self._start_time)
