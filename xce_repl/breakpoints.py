"""Breakpoints and watchpoints: what they wait for, and whether it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from xce_core.model.decisions import Dispatch, Pend
from xce_core.model.jobs import OVER, Job, Seconds
from xce_core.sched.policy import NoDecision, Outcome
from xce_core.sim.replay import Replay
from xce_repl.interface import CommandError
from xce_repl.times import Clock

if TYPE_CHECKING:
    from xce_repl.conditions import Condition, Moment

Mark = tuple[int, Seconds]
"""The number and the time of a session."""


class Event(Enum):
    """What a breakpoint waits for."""

    DECISION = "decision"
    SESSION = "session"
    CHANGE = "change"


@dataclass(slots=True)
class Breakpoint:
    """One breakpoint or watchpoint.

    :param what: what it waits for, as it was set: ``job 42``.
    :param matches: of a decision: whether an outcome is one.
    :param reached: of a session: whether one is, given number and time of the session before
        and its own.
    :param look: of a change: the value that is watched, as text.
    :param about: the jobs that it is about, if it is only about some.
    :param ignore: how many times it is still to be passed.
    :param commands: what is run when the replay has stopped at it.
    """

    number: int
    what: str
    event: Event
    matches: Callable[[Outcome, Replay], bool] | None = None
    reached: Callable[[Mark, Mark], bool] | None = None
    look: Callable[[Replay], str] | None = None
    about: Callable[[Job], bool] | None = None
    condition: Condition | None = None
    temporary: bool = False
    enabled: bool = True
    ignore: int = 0
    hits: int = 0
    seen: str = ""
    commands: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        word = "watchpoint" if self.event is Event.CHANGE else "breakpoint"
        return f"{word} {self.number} ({self.text})"

    @property
    def text(self) -> str:
        """What it waits for, with its condition."""
        return self.what if self.condition is None else f"{self.what} if {self.condition.text}"

    def counts(self, moment: Moment) -> bool:
        """It is reached: whether its condition holds and it need not be passed again."""
        if self.condition is not None and not self.condition.holds(moment):
            return False
        self.hits += 1
        if self.ignore:
            self.ignore -= 1
            return False
        return True


@dataclass(frozen=True, slots=True)
class Stop:
    """The replay is to stop.

    :param points: the breakpoints it stops at.
    :param lines: what is said about that.
    """

    points: tuple[Breakpoint, ...]
    lines: tuple[str, ...]


class Breakpoints:
    """All of them, by number; numbers are never used again.

    :ivar since: the last session that is over.
    :ivar active: whether any of them is enabled.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._points: dict[int, Breakpoint] = {}
        self._count = 0
        self._on: dict[Event, list[Breakpoint]] = {event: [] for event in Event}
        self._interesting: list[Job] = []
        self.since: Mark = (0, float("-inf"))
        self.active = False

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(self._points.values())

    # Changing them.

    def next_number(self) -> int:
        """The number of the breakpoint that is set next."""
        return self._count + 1

    def add(self, point: Breakpoint, replay: Replay) -> None:
        """Enter *point*, whose number is :meth:`next_number`."""
        self._count = point.number
        self._points[point.number] = point
        if point.look is not None:
            point.seen = point.look(replay)
        self.changed(replay)

    def get(self, number: int) -> Breakpoint:
        """The breakpoint of that number.

        :raises CommandError: if there is none.
        """
        if number not in self._points:
            raise CommandError(f"there is no breakpoint {number}; info break lists them")
        return self._points[number]

    def delete(self, point: Breakpoint, replay: Replay) -> None:
        """Forget *point*."""
        self._points.pop(point.number, None)
        self.changed(replay)

    def changed(self, replay: Replay) -> None:
        """Take note of what is enabled now."""
        for event in Event:
            self._on[event] = [p for p in self if p.enabled and p.event is event]
        self.active = any(self._on.values())
        about = self._about()
        jobs = replay.scheduler.jobs.values() if about else ()
        self._interesting = [job for job in jobs if any(is_about(job) for is_about in about)]

    def restarted(self, replay: Replay) -> None:
        """The replay began anew; breakpoints are kept, with what is still to be passed."""
        self.since = (0, float("-inf"))
        for point in self:
            point.hits = 0
            if point.look is not None:
                point.seen = point.look(replay)
        self.changed(replay)

    # What they need.

    def _about(self) -> list[Callable[[Job], bool]]:
        return [p.about for p in self._on[Event.DECISION] if p.about is not None]

    @property
    def about_jobs(self) -> bool:
        """Whether any is about some jobs only."""
        return bool(self._about())

    def submitted(self, job: Job) -> bool:
        """A job comes in: whether any breakpoint is about just this job."""
        for point in self._on[Event.DECISION]:
            if point.about is not None and point.about(job):
                self._interesting.append(job)
                return True
        return False

    def want_each(self) -> bool:
        """Whether one of them waits for what only a session that tells every refusal shows."""
        if any(point.about is None for point in self._on[Event.DECISION]):
            return True
        if self._interesting:
            self._interesting = [job for job in self._interesting if job.state not in OVER]
        return bool(self._interesting)

    # Whether they are reached.

    def session_reached(self, replay: Replay) -> bool:
        """Whether any of them may stop before the session that comes; nothing is counted."""
        mark = (replay.number, replay.now)
        for point in self._on[Event.SESSION]:
            if point.reached is not None and point.reached(self.since, mark):
                return True
        return any(
            point.look is not None and point.look(replay) != point.seen
            for point in self._on[Event.CHANGE]
        )

    def before_session(self, replay: Replay) -> Stop | None:
        """A session is about to begin."""
        mark = (replay.number, replay.now)
        points = [
            point
            for point in self._on[Event.SESSION]
            if point.reached is not None
            and point.reached(self.since, mark)
            and point.counts(self._moment(replay))
        ]
        return self._stop(points, replay)

    def after(self, outcome: Outcome, replay: Replay) -> Stop | None:
        """An outcome has come out and was shown."""
        points = [
            point
            for point in self._on[Event.DECISION]
            if point.matches is not None
            and point.matches(outcome, replay)
            and point.counts(self._moment(replay, outcome))
        ]
        return self._stop(points, replay)

    def at_end(self, replay: Replay) -> Stop | None:
        """The replay is at its end, and values may have changed on the way."""
        return self._stop([], replay)

    def _moment(self, replay: Replay, outcome: Outcome | None = None) -> Moment:
        from xce_repl.conditions import moment_of

        return moment_of(outcome, replay, self._clock)

    def _stop(self, points: list[Breakpoint], replay: Replay) -> Stop | None:
        """The stop at *points* and at the watchpoints whose values changed, if any."""
        lines = [str(point) for point in points]
        for point in self._on[Event.CHANGE]:
            if point.look is not None and (value := point.look(replay)) != point.seen:
                old, point.seen = point.seen, value
                if point.counts(self._moment(replay)):
                    points.append(point)
                    lines.append(f"{point}: {old} -> {value}")
        if not points:
            return None
        for point in points:
            if point.temporary:
                self.delete(point, replay)
        return Stop(tuple(points), tuple(lines))


# What a breakpoint can wait for.


def on_jobs(is_about: Callable[[Job], bool]) -> Callable[[Outcome, Replay], bool]:
    """Any decision on a job of that kind."""
    return lambda outcome, replay: not isinstance(outcome, NoDecision) and is_about(outcome.job)


def on_dispatch(outcome: Outcome, replay: Replay) -> bool:
    """Any dispatch."""
    return isinstance(outcome, Dispatch)


def on_pend(outcome: Outcome, replay: Replay) -> bool:
    """Any pend."""
    return isinstance(outcome, Pend)


def on_host(index: int) -> Callable[[Outcome, Replay], bool]:
    """A dispatch to the host of that index."""

    def matches(outcome: Outcome, replay: Replay) -> bool:
        return isinstance(outcome, Dispatch) and bool(outcome.allocation.hosts >> index & 1)

    return matches
