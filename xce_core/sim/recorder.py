"""The recorder: writes a replay down as a recording while it goes on."""

from __future__ import annotations

from typing import TextIO

from xce_core.model.decisions import Dispatch, Pend
from xce_core.model.jobs import Job, Seconds
from xce_core.sched.policy import Outcome
from xce_core.sim.events import HostChange, JobAct, JobChange
from xce_core.sim.observer import Happening, Observer
from xce_core.sim.replay import Replay
from xce_core.sim.workload import Timeline
from xce_core.sim.writer import RecordingWriter


class Recorder(Observer):
    """Writes what is told, in the order in which it is told.

    What it writes is always on the recorded timeline: it says when jobs ended and sessions
    took place, whoever decided that.
    """

    def __init__(self, stream: TextIO, policy: str) -> None:
        self._stream = stream
        self._policy = policy
        self._writer: RecordingWriter
        self._replay: Replay
        self._start: dict[str, str] = {}  # lines of jobs that are not submitted yet

    def begun(self, replay: Replay) -> None:
        """The header; the starting state is noted as it is now, before anything comes of it."""
        self._replay = replay
        workload = replay.workload
        self._writer = RecordingWriter(
            self._stream,
            replay.cluster,
            Timeline.RECORDED,
            self._policy,
            getattr(workload, "time_zone", None),
        )
        start = workload.start
        self._writer.header(start.time, start.session)
        holdings = dict(start.running)
        self._start = {
            job.id: self._writer.job_line(job, holdings.get(job.id)) for job in start.jobs
        }

    def submitted(self, job: Job) -> None:
        """A submission, or a job of the starting state; those that are refused are left out."""
        if self._replay.starting:
            self._writer.start_line(self._start.pop(job.id))
        else:
            self._writer.submit(job)

    def session(self, number: int, time: Seconds) -> None:
        """A session."""
        self._writer.session(number, time)

    def decided(self, outcome: Outcome, changed: bool) -> None:
        """A dispatch, or the first pend of a job in a session if its reasons are new."""
        if isinstance(outcome, Dispatch):
            self._writer.dispatch(outcome)
        elif isinstance(outcome, Pend) and changed:
            self._writer.pend([outcome.job], outcome.reasons)

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        """An end."""
        if told:
            self._writer.end(job.id, self._replay.now, job.state)

    def happened(self, event: Happening) -> None:
        """Anything else."""
        if isinstance(event, JobAct):
            self._writer.act(event)
        elif isinstance(event, JobChange):
            self._writer.change(event)
        elif isinstance(event, HostChange):
            self._writer.hosts(event)
        else:
            self._writer.queue(event)

    def finished(self, replay: Replay) -> None:
        """The last pends."""
        self._writer.finish()
