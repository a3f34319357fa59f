"""The commands that move the replay on: step, continue, until, finish."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from xce_core.model.jobs import Job, Seconds
from xce_core.sched.faults import FAULTS
from xce_core.sched.policy import Outcome
from xce_core.sim.wording import outcome_text
from xce_repl.breakpoints import Breakpoints, Stop
from xce_repl.driver import Driver, Position
from xce_repl.hooks import Hooks
from xce_repl.interface import CommandError
from xce_repl.interrupts import Interrupts
from xce_repl.rounds import Rounds
from xce_repl.shell import Shell
from xce_repl.times import Clock
from xce_repl.words import arguments, count_of, no_words, word_if_any


@dataclass(slots=True)
class Goal:
    """Where a move is to end, if nothing stops it before.

    :param decisions: after so many decisions, each of which is shown; 0 for no bound.
    :param session_over: when the session in progress is over.
    :param before: right before a session of which this is true.
    """

    decisions: int = 0
    session_over: bool = False
    before: Callable[[int, Seconds], bool] | None = None


class Mover:
    """Moves the replay on and tells what happens.

    :ivar stop: what the last move stopped at, if it was a breakpoint.
    """

    def __init__(
        self,
        driver: Driver,
        hooks: Hooks,
        breakpoints: Breakpoints,
        clock: Clock,
        interrupts: Interrupts,
        shell: Shell,
    ) -> None:
        self._driver = driver
        self._hooks = hooks
        self._breakpoints = breakpoints
        self._clock = clock
        self._interrupts = interrupts
        self._shell = shell
        self._rounds: Rounds
        self._heading = -1  # the session whose heading was shown last
        self._mismatches = 0
        self._goal = Goal()
        self.stop: Stop | None = None
        self.restarted()

    def restarted(self) -> None:
        """The replay is a new one."""
        driver, replay = self._driver, self._driver.replay
        self._rounds = Rounds(self._clock, self._hooks, driver.backlog, self._interrupts.on)
        self._heading, self._mismatches = -1, 0
        self._replay = replay
        self.stop = None

    # The commands.

    def step(self, rest: str) -> Iterator[str]:
        """Go to the next decision, or the next N."""
        word = word_if_any(rest, "step [N]")
        return self._move(Goal(decisions=count_of(word) if word else 1))

    def go_on(self, rest: str) -> Iterator[str]:
        """Go on to a breakpoint or the end."""
        word = word_if_any(rest, "continue [N]")
        if word:
            self._ignore(count_of(word) - 1)
        return self._move(Goal())

    def until(self, rest: str) -> Iterator[str]:
        """Go on to a time or a session."""
        return self._move(Goal(before=self.reached(rest)))

    def finish(self, rest: str) -> Iterator[str]:
        """Go to the end of the session in progress."""
        no_words(rest, "finish")
        if self._driver.position not in (Position.INSIDE, Position.READY):
            ended = self._driver.position is Position.END
            hint = "the replay is at its end" if ended else "step goes into the next"
            raise CommandError(f"finish: no session is in progress; {hint}")
        return self._move(Goal(session_over=True))

    def reached(self, text: str) -> Callable[[int, Seconds], bool]:
        """What is true of the sessions from ``#SESSION`` or from ``TIME`` on.

        :raises CommandError: if the first of them is past, or stood at already.
        """
        replay = self._driver.replay
        words = arguments(text, "until TIME|#SESSION", 1, 1 if text.startswith("#") else 2)
        if words[0].startswith("#"):
            wanted = count_of(words[0][1:])
            if wanted <= replay.number:
                raise CommandError(self._not_ahead(f"session {wanted}", wanted == replay.number))
            return lambda number, now: number >= wanted
        time = self._clock.parse(" ".join(words), replay.now)
        if time <= replay.now and self._driver.moved:
            raise CommandError(self._not_ahead(self._clock.text(time), time == replay.now))
        return lambda number, now: now >= time

    def _not_ahead(self, what: str, is_now: bool) -> str:
        """Why it is no use to wait for *what*."""
        driver, replay = self._driver, self._driver.replay
        if driver.ready and is_now:
            return f"the replay stands right before {what} already; step goes on"
        where = {Position.READY: "right before", Position.INSIDE: "inside"}
        stands = f"{where.get(driver.position, 'after')} session {replay.number}"
        return f"{what} is past; the replay stands {stands} ({self._clock.text(replay.now)})"

    def _ignore(self, times: int) -> None:
        points = [p for p in self.stop.points if not p.temporary] if self.stop else []
        if not points:
            raise CommandError("continue N: the replay stands at no breakpoint to pass N-1 times")
        for point in points:
            point.ignore = times

    # The move.

    def _move(self, goal: Goal) -> Iterator[str]:
        """Move on to *goal*, or a breakpoint, or the end; the lines that tell of it."""
        driver = self._driver
        driver.check_usable()
        self._shell.forget_queue()
        self.stop, self._goal = None, goal
        driver.replay.tell.submitted[:] = self._hearers()
        if driver.moved:
            self._breakpoints.since = (driver.replay.number, driver.replay.now)
        with self._interrupts.noticed_by(driver.replay):
            try:
                yield from self._to(goal)
            except FAULTS:
                yield from self._rounds.flush()
                yield from self._hooks.drain()
                raise
            yield from self._arrived()

    def _to(self, goal: Goal) -> Iterator[str]:
        """The move itself; it ends where something stops it."""
        driver, replay, hooks = self._driver, self._driver.replay, self._hooks
        breakpoints, rounds = self._breakpoints, self._rounds
        watched = bool(goal.decisions) or breakpoints.active
        bounded = watched or goal.before is not None
        verified = driver.run.verifier is not None
        ready, held, most = driver.ready, rounds.held, rounds.most
        replay.pass_over = self._pass_over_if_asked if bounded else self._pass_over
        if ready:  # stopped right before a session: what was asked for since counts in it
            each = self._each_wanted(goal) if watched else hooks.look(replay.scheduler)
            driver.tell_each(each)
        while driver.position is not Position.END:
            if not (ready or driver.inside):
                each = self._each_wanted(goal) if watched else hooks.look(replay.scheduler)
                ready = driver.set_out(each)
                if len(held) >= most:
                    yield from rounds.lines()
                if not ready or replay.paused or (bounded and self._stopped_before()):
                    return
            if ready:
                driver.begin()
            if watched or hooks.looking:
                yield from self._session(goal)
                if driver.inside:
                    return
            elif not driver.run_through():
                return
            ready = False
            if goal.decisions and self._heading == replay.number:
                rounds.shown(driver.taken_over, driver.dispatched)
            else:
                rounds.over(replay.number, replay.now, driver.taken_over, driver.dispatched)
            if verified or hooks.notices:
                yield from self._remarks()
            if watched:
                breakpoints.since = (replay.number, replay.now)
            if len(held) >= most:
                yield from rounds.lines()
            if goal.session_over or replay.paused:
                return

    def _each_wanted(self, goal: Goal) -> bool:
        """Whether a plugin or the user wants every refusal of the session that comes told."""
        each = self._hooks.look(self._driver.replay.scheduler)
        return each or bool(goal.decisions) or self._breakpoints.want_each()

    def _at_goal(self) -> bool:
        """Whether the session that comes is the one before which to stop."""
        replay, before = self._driver.replay, self._goal.before
        return before is not None and before(replay.number, replay.now)

    def _pass_over(self) -> bool:
        """Whether the session that comes, in which nothing can be decided, need not be held."""
        replay, rounds = self._replay, self._rounds
        if replay.paused or len(rounds.held) >= rounds.most:
            return False
        rounds.passed(replay.number, replay.now)
        return True

    def _pass_over_if_asked(self) -> bool:
        """The same, unless it is asked to stop before that session."""
        replay, breakpoints = self._replay, self._breakpoints
        if self._at_goal() or (breakpoints.active and breakpoints.session_reached(replay)):
            return False
        if not self._pass_over():
            return False
        if breakpoints.active:
            breakpoints.since = (replay.number, replay.now)
        return True

    def _hearers(self) -> list[Callable[[Job], None]]:
        """Who is told of jobs that come in: whoever was before, and we if a breakpoint asks."""
        others = [tell for tell in self._replay.tell.submitted if tell != self._submitted]
        return [*others, self._submitted] if self._breakpoints.about_jobs else others

    def _submitted(self, job: Job) -> None:
        """A job comes in; if a breakpoint is about it, the session is not passed over."""
        if self._breakpoints.submitted(job):
            self._driver.replay.each = True

    def _stopped_before(self) -> bool:
        """Whether to stop before the session that is ready."""
        replay = self._driver.replay
        if self._breakpoints.active:
            self.stop = self._breakpoints.before_session(replay)
        return self.stop is not None or self._at_goal()

    def _session(self, goal: Goal) -> Iterator[str]:
        """Go through the session; it is left INSIDE if something stops it."""
        driver, hooks, breakpoints = self._driver, self._hooks, self._breakpoints
        replay = driver.replay
        stepping = bool(goal.decisions)
        for outcome in driver.rest():
            echoed = stepping
            if echoed:
                yield from self._decision(outcome)
            if hooks.looking:
                said = hooks.decided(outcome, replay.number, replay.now, echoed)
                if said and not echoed:
                    yield from self._decision(outcome)
                    echoed = True
                yield from said
                if echoed and hooks.notices:
                    yield from hooks.drain()
            self.stop = breakpoints.after(outcome, replay)
            if self.stop is not None and not echoed:
                yield from self._decision(outcome)
            if stepping:
                goal.decisions -= 1
            if self.stop is not None or replay.paused or (stepping and not goal.decisions):
                return

    def _decision(self, outcome: Outcome) -> Iterator[str]:
        """The line of *outcome*, below the heading of its session if that is not there yet."""
        replay = self._driver.replay
        yield from self._rounds.flush()
        if self._heading != replay.number:
            self._heading = replay.number
            yield f"session {replay.number} ({self._clock.text(replay.now)})"
        yield f"  {outcome_text(outcome, replay.cluster)}"

    def _remarks(self) -> Iterator[str]:
        """What plugins did wrong in the session that is over, and what differs in it."""
        if self._hooks.notices:
            yield from self._rounds.lines()  # a range that is going on goes on
            yield from self._hooks.drain()
        verifier = self._driver.run.verifier
        if verifier is not None and verifier.mismatches > self._mismatches:
            self._mismatches = verifier.mismatches
            yield from self._rounds.flush()
            differs = f"differs from the recording ({self._mismatches} so far)"
            yield f"session {self._replay.number} {differs}"

    # Where the move ended.

    def _arrived(self) -> Iterator[str]:
        """Why the replay stands where it does, unless that was shown already."""
        driver, replay = self._driver, self._driver.replay
        yield from self._rounds.flush()
        yield from self._hooks.drain()
        if driver.position is Position.END and self.stop is None:
            self.stop = self._breakpoints.at_end(replay)
        if self.stop is not None:
            yield from self.stop.lines
            for point in self.stop.points:
                self._shell.queue(point.commands, f"breakpoint {point.number}")
        if replay.paused:
            self._shell.forget_queue()
            self._shell.broken_off = True
            yield f"interrupted before event {replay.events_done + 1} ({self._now()})"
        elif driver.position is Position.END:
            scheduler = replay.scheduler
            counts = f"{len(scheduler.running)} running, {scheduler.pending.count} pending"
            yield f"end of trace ({self._now()}): {counts}"
        elif driver.position is Position.READY:
            yield f"before session {replay.number} ({self._clock.text(replay.now)})"

    def _now(self) -> str:
        replay = self._driver.replay
        return f"session {replay.number}, {self._clock.text(replay.now)}"
