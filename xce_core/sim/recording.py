"""Recordings, read as they are asked for: the header, the starting state, then the events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, BinaryIO, TypeVar

from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job, Seconds
from xce_core.sim import fields
from xce_core.sim.allocation_fields import DecisionReader
from xce_core.sim.cluster_object import CLUSTER_LIMIT
from xce_core.sim.event_fields import TIMED, TimedEvent, event_readers
from xce_core.sim.events import Event, Recorded, SessionMark
from xce_core.sim.fields import FieldError, Table, mismatch
from xce_core.sim.host_lists import HostLists
from xce_core.sim.json_lines import LINE_LIMIT, JsonLines
from xce_core.sim.recording_header import Header, read_header
from xce_core.sim.recording_jobs import JobReader
from xce_core.sim.workload import InputError, Start, Tally

BYTES_A_HOST = 64
"""How much longer a line may be for each host of the cluster, as it may name them all."""

DECISIONS_LIMIT = 1_000_000
"""How many decisions a session may have."""

_DECIDED = ("session", "dispatch", "pend")

_SESSION = Table({**TIMED, "number": fields.integer(1)}, ["time"])

T = TypeVar("T")

Named = tuple[str, bool]
"""A job that was decided in a session, and whether it was dispatched."""


def looks_like_recording(first_bytes: bytes) -> bool:
    """Whether an expanded input that begins so may be a recording."""
    return first_bytes.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def open_recording(
    source: BinaryIO, path: str, cluster: Cluster | None = None, up_to_cut: bool = False
) -> RecordingWorkload:
    """The recording in *source*, read up to its first event.

    :param path: how messages name it.
    :param cluster: takes the place of the recording's own.
    :param up_to_cut: if the file is cut off in its last line, end before it. A session in
        which it is cut off is left out, as not all of its decisions need be there.
    :raises InputError: for a fault so far; a CutOffError if the file is cut off there.
    """
    lines = JsonLines(source, path, up_to_cut, CLUSTER_LIMIT)
    objects = lines.objects()
    first = next(objects, None)
    try:
        if first is None:
            raise FieldError("expected a header, found nothing")
        header = read_header(first, cluster)
    except FieldError as error:
        raise InputError(path, lines.cut or lines.line, str(error)) from None
    lines.line_limit = LINE_LIMIT + BYTES_A_HOST * len(header.cluster.hosts)
    return RecordingWorkload(lines, objects, path, header)


class RecordingWorkload:
    """A recording opened for replay; its events can be read once.

    :ivar time_zone: the zone in which its times are to be shown; None if it names none.
    :ivar pends: which pends it holds.
    :ivar with_sessions: False to pass over sessions and their decisions, which need not fit
        the cluster then.
    """

    def __init__(
        self, lines: JsonLines, objects: Iterator[dict[str, Any]], path: str, header: Header
    ) -> None:
        self.path = path
        self.cluster = header.cluster
        self.timeline = header.timeline
        self.policy = header.policy
        self.time_zone = header.time_zone
        self.pends = header.pends
        self.tally = Tally()
        self.with_sessions = True
        self._lines = lines
        self._objects = objects
        self._now = header.time
        self._number = header.session
        hosts = HostLists(header.cluster)
        self._decisions = DecisionReader(hosts)
        self._jobs = JobReader(header.cluster, self._decisions)
        self._events = event_readers(header.cluster, hosts)
        self._first: dict[str, Any] | None = None
        self.start = self._read_start(header)

    @property
    def cut(self) -> int:
        """The line in which the file is cut off; 0 as long as it is not known to be."""
        return self._lines.cut

    def events(self) -> Iterator[Event]:
        """All that happens, in time order; each session with its decisions.

        :raises InputError: at the first fault; a CutOffError if the file is cut off, unless
            it is to be read up to there.
        """
        session: SessionMark | None = None
        decisions: list[Recorded] = []
        named: set[Named] = set()
        rest = self._objects
        for value in rest if self._first is None else chain((self._first,), rest):
            kind = value.get("type")
            if not self.with_sessions and kind in _DECIDED:
                continue
            if session is not None:
                if kind == "dispatch":
                    found = [self._told(self._decisions.dispatch, value)]
                    decisions += self._new(found, named, "job")
                    continue
                if kind == "pend":
                    found = self._told(self._decisions.pends, value)
                    decisions += self._new(found, named, "job" if "job" in value else "jobs")
                    continue
                yield _with_decisions(session, decisions)
                session, decisions, named = None, [], set()
            if kind == "session":
                session = self._told(self._session, value)
            elif kind == "submit":
                yield from self._submissions(value)
            else:
                yield self._told(self._event, value)
        if session is not None and not self.cut:
            yield _with_decisions(session, decisions)

    def _new(self, found: list[Recorded], named: set[Named], field: str) -> list[Recorded]:
        """Decisions that may stand beside those on the *named* jobs, which theirs are put to.

        A job may pend and then be dispatched in the same session, as a policy may hold it back.
        """
        for recorded in found:
            name = (recorded.job, recorded.allocation is not None)
            if name in named or (recorded.job, True) in named:
                what = f"{field}: job {recorded.job} is decided twice in a session"
                raise InputError(self.path, self._lines.line, what)
            if len(named) == DECISIONS_LIMIT:
                what = f"{field}: expected at most {DECISIONS_LIMIT} decisions in a session"
                raise InputError(self.path, self._lines.line, what)
            named.add(name)
        return found

    def _told(self, read: Callable[[dict[str, Any], int], T], value: dict[str, Any]) -> T:
        """What *read* makes of *value*; its error with the place."""
        try:
            return read(value, self._lines.line)
        except FieldError as error:
            raise InputError(self.path, self._lines.line, str(error)) from None

    # The starting state.

    def _read_start(self, header: Header) -> Start:
        jobs: dict[str, Job] = {}
        running = []
        latest = header.time
        for value in self._objects:
            if value.get("type") != "job":
                self._first = value
                break
            for job, allocation in self._told(self._starting, value):
                if job.id in jobs:
                    what = f"job: job {job.id} stands twice"
                    raise InputError(self.path, self._lines.line, what)
                jobs[job.id] = job
                times = (latest, job.submit_time, job.start_time)
                latest = max(time for time in times if time is not None)
                if allocation is not None:
                    running.append((job.id, allocation))
        self._now = latest
        return Start(tuple(jobs.values()), tuple(running), header.time, header.session)

    def _starting(self, value: dict[str, Any], line: int) -> list[Any]:
        found = list(self._jobs.started(value, line))
        for job, _ in found[:1]:
            for name, time in (("time", job.submit_time), ("start", job.start_time)):
                if self._now is not None and time is not None and time > self._now:
                    what = f"{self._now} or earlier, the time of the starting state"
                    raise mismatch(what, time).inside(name)
        return found

    # Events.

    def _submissions(self, value: dict[str, Any]) -> Iterator[Job]:
        try:
            for job in self._jobs.submitted(value, self._lines.line):
                self._check_time(job.submit_time)
                self.tally.read += 1
                yield job
        except FieldError as error:
            raise InputError(self.path, self._lines.line, str(error)) from None

    def _session(self, value: dict[str, Any], line: int) -> SessionMark:
        found = _SESSION(value)
        self._check_time(found["time"])
        number = found.get("number", self._number + 1)
        if number <= self._number:
            raise mismatch(f"{self._number + 1} or more", number).inside("number")
        self._number = number
        return SessionMark(found["time"], number, (), line)

    def _event(self, value: dict[str, Any], line: int) -> TimedEvent:
        kind = value.get("type")
        reader = self._events.get(kind) if isinstance(kind, str) else None
        if reader is None:
            raise self._unfit(kind)
        event = reader(value, line)
        self._check_time(event.time)
        return event

    def _unfit(self, kind: object) -> FieldError:
        """Why a line of this type can't stand here."""
        if kind in ("dispatch", "pend"):
            return FieldError(f"expected a session before its {kind}", "type")
        if kind == "header":
            return FieldError("expected one header, found another", "type")
        if kind == "job":
            return FieldError("expected the starting state before all events", "type")
        if not isinstance(kind, str):
            error = FieldError("missing") if kind is None else mismatch("a text", kind)
            return error.inside("type")
        known = [*self._events, "submit", "session", "dispatch", "pend", "job"]
        return fields.unknown("type", kind, known).inside("type")

    def _check_time(self, time: Seconds) -> None:
        if self._now is not None and time < self._now:
            raise mismatch(f"{self._now} or later", time).inside("time")
        self._now = time


def _with_decisions(session: SessionMark, decisions: list[Recorded]) -> SessionMark:
    return SessionMark(session.time, session.number, tuple(decisions), session.line)
