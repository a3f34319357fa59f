"""The replay and where in it the simulator stands: every move is one step of these."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from xce_core.model.decisions import Dispatch, Pend
from xce_core.model.jobs import Job
from xce_core.plugins import Plugins
from xce_core.sched.policy import Outcome
from xce_core.sim.replay import Replay
from xce_core.sim.run import Run, RunOptions
from xce_repl.backlog import Backlog
from xce_repl.hooks import Hooks
from xce_repl.interface import CommandError
from xce_repl.recent import Recent


class Position(Enum):
    """Where the replay stands."""

    BETWEEN = "between two sessions"
    READY = "right before a session"
    INSIDE = "inside a session"
    END = "at the end"
    BROKEN = "broken off by an error"


# Looked up so often that it shows in a long replay.
_BETWEEN, _READY, _INSIDE, _END, _BROKEN = Position


class Discarded(Exception):
    """A run is given up: its outputs are not to appear."""


class Driver:
    """One run at a time, with the one iterator of outcomes that is live.

    :ivar run: the run.
    :ivar position: where it stands.
    :ivar dispatched: jobs started in the current session so far.
    :ivar taken_over: those started in it because the recording has it so.
    :ivar decided: outcomes in the current session so far.
    :ivar failure: what broke the replay off.
    :ivar each: whether every refusal is to be told, whatever else is wanted.
    """

    def __init__(self, options: RunOptions, plugins: Plugins, hooks: Hooks) -> None:
        self._options = options
        self._plugins = plugins
        self._hooks = hooks
        self._outcomes: Iterator[Outcome] | None = None
        self._open = False
        self.run: Run
        self.backlog: Backlog
        self.recent: Recent
        self.position = _BETWEEN
        self.moved = False
        self.dispatched: list[Job] = []
        self.taken_over: list[Job] = []
        self.decided = 0
        self.failure: Exception | None = None
        self.each = False

    @property
    def options(self) -> RunOptions:
        """What the present run was asked for."""
        return self._options

    @property
    def replay(self) -> Replay:
        """The present replay."""
        return self.run.replay

    def open(self, options: RunOptions | None = None) -> None:
        """Open the input and bring about the starting state; a run that is open is given up.

        :raises InputError: for a fault in the input; PluginError, OutputError likewise. The
            run that is open then stays as it is.
        """
        options = options or self._options
        backlog = Backlog()
        recent = Recent(backlog)
        run = Run(options, self._plugins, (backlog, recent))
        run.__enter__()
        try:
            self._hooks.attach(run.replay.scheduler)
            run.replay.begin()
        except BaseException as error:
            run.__exit__(type(error), error, error.__traceback__)
            raise
        self.give_up()
        self._options, self.run, self.backlog, self.recent = options, run, backlog, recent
        self._open = True
        self.each = run.replay.each
        self.position, self.moved, self.failure = _BETWEEN, False, None
        self.dispatched, self.taken_over, self.decided = [], [], 0

    @property
    def ready(self) -> bool:
        """Whether a session is about to begin."""
        return self.position is _READY

    @property
    def inside(self) -> bool:
        """Whether a session is in progress."""
        return self.position is _INSIDE

    # Moving on.

    def tell_each(self, each: bool) -> None:
        """Whether the session that is ready is to tell every refusal by itself."""
        self.run.replay.each = self.each or each

    def set_out(self, each: bool) -> bool:
        """Bring about the next session; False if there is none, or it was paused before it.

        :param each: whether that session is to tell every refusal by itself.
        """
        replay = self.run.replay
        self.tell_each(each)
        self.moved = True
        try:
            ready = replay.advance()
        except BaseException as error:
            self._break(error)
            raise
        if ready:
            self.position = _READY
        elif replay.finished:
            self.position = _END
        return ready

    def begin(self) -> None:
        """The session that is ready begins."""
        self._hooks.session_begins()
        self.dispatched.clear()
        self.taken_over.clear()
        self.decided = 0
        self._outcomes = self.run.replay.outcomes()
        self.position = _INSIDE

    def rest(self) -> Iterator[Outcome]:
        """The outcomes of the session from here on; it is over when all are out.

        One may stop in between and ask for the rest later.
        """
        assert self._outcomes is not None
        try:
            for outcome in self._outcomes:
                self.decided += 1
                self._note(outcome)
                yield outcome
        except GeneratorExit:
            raise
        except BaseException as error:
            self._break(error)
            raise
        self._outcomes = None
        self.position = _BETWEEN

    def run_through(self) -> bool:
        """Go through the rest of the session; False if the replay is paused before it is over."""
        assert self._outcomes is not None
        replay, decided = self.run.replay, self.decided
        try:
            for outcome in self._outcomes:
                decided += 1
                self._note(outcome)
                if replay.paused:
                    self.decided = decided
                    return False
        except BaseException as error:
            self._break(error)
            raise
        self.decided = decided
        self._outcomes = None
        self.position = _BETWEEN
        return True

    def _note(self, outcome: Outcome) -> None:
        if isinstance(outcome, Dispatch):
            jobs = self.taken_over if outcome.reconstructed else self.dispatched
            jobs.append(outcome.job)
        elif isinstance(outcome, Pend):
            self.recent.pended(outcome, self.run.replay.number)

    def check_usable(self) -> None:
        """Whether the replay can go on.

        :raises CommandError: if an error broke it off.
        """
        if self.position is _BROKEN:
            raise CommandError("the replay was broken off by an error; restart begins anew")

    def _break(self, error: BaseException) -> None:
        """The replay can't go on."""
        self.break_off()
        self.failure = error if isinstance(error, Exception) else Discarded(repr(error))
        self.position = _BROKEN

    # Ending.

    def break_off(self) -> None:
        """Leave the session that is going on where it is."""
        if self._outcomes is not None:
            outcomes, self._outcomes = self._outcomes, None
            close = getattr(outcomes, "close", None)
            if close is not None:
                close()

    def give_up(self) -> None:
        """The run ends here and its outputs do not appear."""
        if self._open:
            self._open = False
            self.break_off()
            self.run.__exit__(Discarded, Discarded(), None)

    def finish(self) -> None:
        """The run ends here; its outputs appear, with what was replayed so far.

        A session that is going on is finished first if there are outputs: half of one would
        be no true record.

        :raises Exception: what broke the replay off, if anything did; nothing appears then.
        """
        if self.failure is not None:
            self.give_up()
            if not isinstance(self.failure, Discarded):
                raise self.failure
            return
        if self._has_outputs() and self._outcomes is not None:
            self.run_through()
        self.break_off()
        self.replay.finish()
        self._open = False
        self.run.__exit__(None, None, None)

    def _has_outputs(self) -> bool:
        options = self._options
        return bool(options.output or options.log or options.jobs_csv)
