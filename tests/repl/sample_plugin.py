"""The example plugin, which uses each hook of the REPL, and plugins that do wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xce_core.hookspecs import hookimpl
from xce_core.model.decisions import Dispatch
from xce_core.sched.policy import NoDecision, Policy
from xce_plugins.builtin_fcfs import Fcfs
from xce_repl.interface import (
    Command,
    CommandError,
    Decided,
    HelpSection,
    Parameter,
    Repl,
    Round,
    Topic,
)


class Sample:
    """Counts decisions, and remarks on those on one job.

    :param alone: the number of a round that is not to be collapsed.
    :ivar told: the hooks called, in order.
    :ivar sessions: the session of each decision told.
    """

    def __init__(self, alone: int = 0) -> None:
        self.alone = alone
        self.told: list[str] = []
        self.sessions: list[int] = []
        self.job = "none"
        self.repl: Repl | None = None
        self._counted = 0
        self._remarked = 0

    @hookimpl
    def xce_repl_started(self, repl: Repl) -> None:
        self.repl = repl
        self.told.append("started")

    @hookimpl
    def xce_repl_commands(self) -> Sequence[Command]:
        return [
            Command("tally", self._tally, "tally [N]", "tell the count", "Adds N to it.", "Sample"),
            Command("fail", self._fail, "fail", "fail in the middle", section="Sample"),
        ]

    def _tally(self, rest: str) -> Iterator[str]:
        if rest and not rest.isdecimal():
            raise CommandError(f"sample: invalid number: {rest}")
        self._counted += int(rest or 0)
        yield f"{self._counted} decisions"

    def _fail(self, rest: str) -> Iterator[str]:
        yield "this far"
        raise ZeroDivisionError("and no further")

    @hookimpl
    def xce_repl_topics(self) -> Sequence[Topic]:
        return [
            Topic("tally", lambda rest: [f"tally of {self.job}"], "tally", "whose tally"),
            Topic("state", self._state, "state", "what the REPL tells", "All of it."),
        ]

    def _state(self, rest: str) -> Iterator[str]:
        assert self.repl is not None
        yield f"{len(self.repl.replay.scheduler.running)} running of {self.repl.run.options.sim}"
        yield f"{self.repl.amount('mem', 3 << 30)} in units {self.repl.units.value}"
        yield f"{self.repl.time(1791367200)}, in a session: {self.repl.in_session}"

    @hookimpl
    def xce_repl_parameters(self) -> Sequence[Parameter]:
        summary = "the job remarked on"
        return [Parameter("remark", lambda: self.job, self._put, summary, ("none",), "JOB|none")]

    def _put(self, value: str) -> None:
        if value == "all":
            raise CommandError("set remark: one job only")
        self.job = value

    @hookimpl
    def xce_repl_help_sections(self) -> Sequence[HelpSection]:
        return [HelpSection("Remarks", ["set remark JOB remarks on decisions on JOB"])]

    @hookimpl
    def xce_repl_wants_each(self) -> bool:
        return self.job != "none" or bool(self.alone)

    @hookimpl
    def xce_repl_decided(self, decided: Decided) -> Sequence[str] | None:
        self._counted += 1
        self.sessions.append(decided.session)
        outcome = decided.outcome
        if isinstance(outcome, NoDecision) or outcome.job.id != self.job:
            return None
        assert self.repl is not None
        self._remarked = decided.session
        inside = "inside" if self.repl.in_session else "outside"
        shown = "shown" if decided.echoed else "not shown"
        return [f"[sample] {decided.session} {inside} {self.repl.time(decided.time)} {shown}"]

    @hookimpl
    def xce_repl_may_collapse(self, ended: Round) -> bool | None:
        return False if ended.number in (self._remarked, self.alone) else None

    @hookimpl
    def xce_repl_refuse_output(self, path: str) -> str | None:
        return "is the sample's own" if path.endswith(".sample") else None

    @hookimpl
    def xce_repl_restarted(self, repl: Repl) -> None:
        self._counted = 0
        self.told.append("restarted")

    @hookimpl
    def xce_repl_shutdown(self) -> None:
        self.told.append("shutdown")


class Watcher:
    """Watches every selection and writes down which hooks it was told of."""

    def __init__(self) -> None:
        self.told: list[str] = []

    @hookimpl
    def xce_session_begun(self, number: int) -> None:
        self.told.append(f"session {number}")

    @hookimpl
    def xce_wants_watch(self) -> Callable[[str], bool]:
        return lambda job: True

    @hookimpl
    def xce_selection_ended(self, outcome: object) -> None:
        self.told.append(type(outcome).__name__)

    @hookimpl
    def xce_session_ended(self, number: int) -> None:
        self.told.append(f"end {number}")


class Raising:
    """Raises wherever it is asked."""

    @hookimpl
    def xce_repl_started(self) -> None:
        raise ValueError("started")

    @hookimpl
    def xce_wants_watch(self) -> Callable[[str], bool]:
        return lambda job: True

    @hookimpl
    def xce_selection_begun(self) -> None:
        raise ValueError("selection")

    @hookimpl
    def xce_repl_decided(self) -> None:
        raise ValueError("decided")

    @hookimpl
    def xce_repl_may_collapse(self) -> None:
        raise ValueError("collapse")

    @hookimpl
    def xce_repl_commands(self) -> None:
        raise ValueError("commands")


class Clashing:
    """Brings names that exist, or that nobody may take."""

    @hookimpl
    def xce_repl_commands(self) -> Sequence[object]:
        def run(rest: str) -> list[str]:
            return ["mine"]

        return [
            Command("step", run, "step", "mine"),
            Command("t", run, "t", "mine"),
            Command("No Name", run, "?", "mine"),
            Command("trace", run, "trace", "mine"),
            Command("stepper", run, "stepper", "mine"),
            "no command",
        ]

    @hookimpl
    def xce_repl_topics(self) -> Sequence[Topic]:
        return [Topic("job", lambda rest: [], "job", "mine")]

    @hookimpl
    def xce_repl_parameters(self) -> Sequence[Parameter]:
        return [Parameter("units", str, lambda value: None, "mine")]


class Careless:
    """Gives what is no contribution, and contributions that fail when they are used."""

    def __init__(self) -> None:
        self.asked = 0

    @hookimpl
    def xce_repl_commands(self) -> Iterator[Command]:
        yield Command("never", lambda rest: [], "never", "never added")
        raise ZeroDivisionError("half way")

    @hookimpl
    def xce_repl_topics(self) -> Sequence[Topic]:
        return [
            Topic("missing", self._missing, "missing", "fail"),
            Topic("text", lambda rest: "one line", "text", "a text"),
            Topic("nothing", lambda rest: None, "nothing", "nothing"),  # type: ignore[arg-type, return-value]
            Topic("number", lambda rest: [1, 2], "number", "numbers"),  # type: ignore[list-item]
            Topic(7, lambda rest: [], "seven", "no name"),  # type: ignore[arg-type]
        ]

    def _missing(self, rest: str) -> Iterator[str]:
        yield "begun"
        raise FileNotFoundError(2, "no such file")

    @hookimpl
    def xce_repl_parameters(self) -> Sequence[Parameter]:
        def fail(value: str = "") -> str:
            raise KeyError(value)

        return [Parameter("shaky", fail, fail, "fail")]  # type: ignore[arg-type]

    @hookimpl
    def xce_repl_help_sections(self) -> object:
        return [5]

    @hookimpl
    def xce_repl_wants_each(self) -> bool:
        self.asked += 1
        raise ValueError(self.asked)


class Late:
    """Fails in the middle of a range of rounds."""

    @hookimpl
    def xce_repl_may_collapse(self, ended: Round) -> None:
        if ended.number == 13:
            raise ValueError("collapse")


class Yielding:
    """Says its lines one by one, and fails after the second of a dispatch."""

    @hookimpl
    def xce_repl_wants_each(self) -> bool:
        return True

    @hookimpl
    def xce_repl_decided(self, decided: Decided) -> Iterator[object]:
        yield "one"
        yield 2
        if isinstance(decided.outcome, Dispatch):
            raise RuntimeError("three")


class Second:
    """Offers a policy of a name that there is, and adds a topic."""

    @hookimpl
    def xce_policies(self) -> dict[str, type[Policy]]:
        return {Fcfs.name: Fcfs}

    @hookimpl
    def xce_repl_topics(self) -> list[Topic]:
        return [Topic("second", lambda rest: ["here"], "second", "second")]


def raising(hook: str) -> object:
    """A plugin that raises in one hook of the REPL, whatever it is told."""

    def implementation(self: object) -> None:
        raise RuntimeError("oh no")

    return type("Awkward", (), {hook: hookimpl(implementation)})()
