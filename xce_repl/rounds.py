"""What ``continue`` shows: a line a round, one line for a run of rounds without a change.

Jobs that are refused when they come have a line each, between the rounds.
"""

from __future__ import annotations

from xce_core.model.jobs import Job, Seconds
from xce_core.sim.job_lists import fold_jobs
from xce_repl.backlog import Backlog, Refusal
from xce_repl.hooks import Hooks
from xce_repl.interface import as_block
from xce_repl.times import Clock

ROUNDS_HELD = 500
"""How many lines may be held back before they are shown, where nobody waits for them."""

_NOBODY: list[Job] = []


class Rounds:
    """Collects rounds that are over, until they are shown.

    Most of a long replay comes by here, so that what can wait is left for :meth:`flush`.

    :param at_once: whether each line is wanted as soon as it is there.
    :ivar held: what is held back: first and last round of each line, the time of each, and what
        happened; for a job that was refused no round, and its id and the cause.
    :ivar most: how many of these are enough to be shown.
    """

    def __init__(self, clock: Clock, hooks: Hooks, backlog: Backlog, at_once: bool) -> None:
        self._clock = clock
        self._hooks = hooks
        self._backlog = backlog
        self.most = 1 if at_once else ROUNDS_HELD
        self._signature = 0
        self._pending = ""  # the pending jobs as they were when they last changed, in words
        self._first = 0  # the first round of the range that is going on; 0 if there is none
        self._last = 0
        self._began: Seconds = 0
        self._ended: Seconds = 0
        self.held: list[tuple[int, int, Seconds, Seconds, str]] = []
        for refusal in backlog.early:
            self.refused(refusal)
        backlog.turned_away = self.refused

    def refused(self, refusal: Refusal) -> None:
        """A job was refused when it came, before the round that comes."""
        job, time, why = refusal
        self._end_range()
        self.held.append((0, 0, time, time, f"{job} {why}"))

    def passed(self, number: int, time: Seconds) -> None:
        """A round was passed over, as nothing could be decided in it."""
        backlog = self._backlog
        if backlog.fresh:
            backlog.settle(_NOBODY)
        if backlog.signature != self._signature:
            self._alone(number, time, _NOBODY, _NOBODY)
        else:
            self._last, self._ended = number, time
            if not self._first:
                self._first, self._began = number, time

    def over(
        self, number: int, time: Seconds, taken_over: list[Job], dispatched: list[Job]
    ) -> None:
        """A round is over."""
        backlog = self._backlog
        backlog.settle(taken_over + dispatched if taken_over else dispatched)
        changed = bool(dispatched or taken_over or backlog.signature != self._signature)
        alone = changed
        if self._hooks.judging:
            started = len(taken_over) + len(dispatched)
            alone = not self._hooks.may_collapse(number, time, started, changed) or changed
        if alone:
            self._alone(number, time, taken_over, dispatched)
        else:
            self._last, self._ended = number, time
            if not self._first:
                self._first, self._began = number, time

    def shown(self, taken_over: list[Job], dispatched: list[Job]) -> None:
        """A round is over of which everything was shown already."""
        self._backlog.settle(taken_over + dispatched)
        self._note_pending()

    def _alone(
        self, number: int, time: Seconds, taken_over: list[Job], dispatched: list[Job]
    ) -> None:
        """A round that is no part of a range ends the one before it."""
        if self._first:
            self._end_range()
        if self._backlog.signature != self._signature:
            self._note_pending()
        if not taken_over and len(dispatched) == 1:  # most rounds of most logs
            words = f"dispatched {dispatched[0].id}{self._pending}"
        else:
            words = self._words(taken_over, dispatched)
        self.held.append((number, number, time, time, words))

    def _note_pending(self) -> None:
        self._signature = self._backlog.signature
        text = self._backlog.text()
        self._pending = f"; pending {text}" if text else ""

    def _end_range(self) -> None:
        if self._first:
            words = self._pending[2:] or "idle"
            self.held.append((self._first, self._last, self._began, self._ended, words))
            self._first = 0

    def flush(self) -> list[str]:
        """The lines for all rounds collected so far; the range that was going on is ended."""
        self._end_range()
        return self.lines()

    def lines(self) -> list[str]:
        """The lines that are there, as one block if they are many."""
        text, span = self._clock.text, self._clock.span
        lines = []
        for first, last, begin, end, words in self.held:
            if not first:
                job, _, why = words.partition(" ")
                lines.append(f"job {job} refused ({text(begin)}): {why}")
            elif first == last:
                lines.append(f"round {first} ({text(begin)}): {words}")
            else:
                lines.append(f"rounds {first}-{last} ({span(begin, end)}): {words}")
        self.held.clear()
        return as_block(lines) if len(lines) > 1 else lines

    def _words(self, taken_over: list[Job], dispatched: list[Job]) -> str:
        """What happened in the round, and who pends after it."""
        words = f"; taken over {ids_of(taken_over)}" if taken_over else ""
        if dispatched:
            words += f"; dispatched {ids_of(dispatched)}"
        return f"{words}{self._pending}"[2:] or "idle"


def ids_of(jobs: list[Job]) -> str:
    """The ids of *jobs* as a list, in their order."""
    return fold_jobs((job.number, job.index) for job in jobs)
