"""A small stand-in for the REPL: it drives a replay and calls a trace plugin in the fixed order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import pluggy

from tests.workloads import ListedWorkload
from xce_core.hookspecs import PROJECT, SeamSpecs
from xce_core.model.amounts import UnitsMode
from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Seconds
from xce_core.sched.policy import Outcome, Policy
from xce_core.sched.scheduler import Scheduler
from xce_core.sched.seams import Failures, Seams
from xce_core.sim.events import Event
from xce_core.sim.observer import Observer
from xce_core.sim.recorded import RecordedReplay
from xce_core.sim.replay import Replay
from xce_core.sim.run import RunOptions
from xce_core.sim.simulated import SimulatedReplay
from xce_core.sim.wording import outcome_text
from xce_core.sim.workload import Timeline, Workload
from xce_plugins.trace.tracing import TracePlugin
from xce_repl.hookspecs import ReplSpecs
from xce_repl.interface import Block, Command, CommandError, Decided, Round, Topic


@dataclass
class FakeRun:
    """What the plugin looks at of a run: its options."""

    options: RunOptions


class Harness:
    """One replay with a trace plugin, and others if given.

    :ivar shown: every line that would be on the console.
    :ivar outcomes: every outcome.
    :ivar failures: plugin, hook and error of each plugin that raised.
    """

    def __init__(
        self,
        workload: Workload,
        policy: Policy | None = None,
        others: Iterable[tuple[str, object]] = (),
        observers: tuple[Observer, ...] = (),
        generators: Iterable[Any] = (),
        options: RunOptions | None = None,
        plugin: TracePlugin | None = None,
        seams: bool = True,
    ) -> None:
        self.plugin = plugin or TracePlugin()
        self.units = UnitsMode.AUTO
        self.in_session = False
        self.run = FakeRun(options or RunOptions(sim="/nonexistent/input.jsonl"))
        self.shown: list[str] = []
        self.outcomes: list[Outcome] = []
        self.failures: list[tuple[str, str, str]] = []
        self.plugin_failures: list[str] = []
        self.stop_at: Callable[[Outcome], bool] | None = None
        scheduler = Scheduler(
            workload.cluster,
            policy or Policy(),
            list(generators),
            lambda failure: self.plugin_failures.append(str(failure)),
        )
        kind = SimulatedReplay if workload.timeline is Timeline.SIMULATED else RecordedReplay
        self.replay: Replay = kind(workload, scheduler, observers, True)
        self.manager = pluggy.PluginManager(PROJECT)
        self.manager.add_hookspecs(SeamSpecs)
        self.manager.add_hookspecs(ReplSpecs)
        self.manager.register(self.plugin, "trace")
        for name, other in others:
            self.manager.register(other, name)
        if seams:
            failures = Failures(lambda *failure: self.failures.append(failure))
            scheduler.seams = Seams(self.manager.hook, failures)
        self.plugin.xce_repl_started(self)
        (command,) = self.plugin.xce_repl_commands()
        (topic,) = self.plugin.xce_repl_topics()
        self.command: Command = command
        self.topic: Topic = topic
        self.replay.begin()
        self._iterator: Any = None

    # What the plugin sees of the REPL.

    def amount(self, resource: str, amount: int) -> str:
        return str(amount)

    def time(self, time: Seconds) -> str:
        return datetime.fromtimestamp(time, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")

    # What a user does.

    def trace(self, text: str) -> list[str]:
        """Run ``trace TEXT``; a mistake is told in the lines."""
        try:
            return list(self.command.run(text))
        except CommandError as error:
            return [str(error)]

    def info(self, text: str) -> list[str]:
        """Run ``info trace TEXT``."""
        try:
            return list(self.topic.run(text))
        except CommandError as error:
            return [str(error)]

    def go(self, sessions: int = -1) -> list[str]:
        """Go on for so many sessions (-1: to the end), or to where ``stop_at`` says stop.

        The lines that this showed.
        """
        start = len(self.shown)
        while sessions:
            if self._iterator is None:
                if not self.replay.advance():
                    break
                self._iterator = self.replay.outcomes()
                self.in_session = True
            if self._session():
                break
            sessions -= 1
        return self.shown[start:]

    def step(self) -> list[str]:
        """Go to the next outcome."""
        before, self.stop_at = self.stop_at, lambda outcome: True
        try:
            return self.go()
        finally:
            self.stop_at = before

    def _session(self) -> bool:
        """Run the session on; True if it was stopped."""
        for outcome in self._iterator:
            self.outcomes.append(outcome)
            self.shown.append(outcome_text(outcome, self.replay.cluster))
            decided = Decided(outcome, self.replay.number, self.replay.now, True)
            for text in self.plugin.xce_repl_decided(decided) or ():
                self.shown += text.split("\n") if isinstance(text, Block) else [text]
            if self.stop_at is not None and self.stop_at(outcome):
                return True
        self._iterator = None
        self.in_session = False
        over = Round(self.replay.number, self.replay.now, 0, False)
        if self.plugin.xce_repl_may_collapse(over) is False:
            self.shown.append(f"round {over.number} alone")
        return False

    def close(self) -> None:
        """Leave."""
        self.plugin.xce_repl_shutdown()


def listed(cluster: Cluster, *events: Event, timeline: Timeline = Timeline.SIMULATED) -> Workload:
    """A workload of *events* on *cluster*."""
    return ListedWorkload(cluster, events, timeline)


def traced(
    workload: Workload, command: str = "on all level full", **given: Any
) -> Harness:
    """A replay traced by *command* from beginning to end."""
    harness = Harness(workload, **given)
    assert harness.trace(command) == []
    harness.go()
    harness.close()
    return harness


def trace_of(lines: list[str], job: str, session: int | None = None) -> list[str]:
    """The first trace of *job* in *lines*, of that session if one is given."""
    head = f"[trace] job {job} session " + ("" if session is None else f"{session} ")
    start = next(n for n, line in enumerate(lines) if line.startswith(head))
    end = start + 1
    while end < len(lines) and lines[end].startswith("  "):
        end += 1
    return lines[start:end]
