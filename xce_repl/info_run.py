"""``info session``, ``time``, ``plugins`` and ``verify``: where the replay stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xce_core.plugin_list import Found, list_plugins
from xce_core.sim.events import JobEnd, SessionMark
from xce_core.sim.simulated import SimulatedReplay
from xce_core.sim.workload import InputError
from xce_repl.driver import Position
from xce_repl.words import columns, no_words

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator


class InfoRun:
    """Tells about the replay itself."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._events: int | None = None

    def session(self, rest: str) -> Iterator[str]:
        """info session"""
        no_words(rest, "info session")
        driver, scheduler = self._simulator.driver, self._simulator.replay.scheduler
        yield f"session {self._simulator.replay.number} ({self._now()}): {self._stands()}"
        if driver.position is Position.INSIDE:
            started, taken_over = len(driver.dispatched), len(driver.taken_over)
            others = driver.decided - started - taken_over
            yield f"  so far: {started} dispatched, {taken_over} taken over, {others} others"
        yield f"  policy {scheduler.policy.name}"
        yield f"  jobs: {scheduler.pending.count} pending, {len(scheduler.running)} running, " + (
            f"{self._others()} held or waiting"
        )

    def _stands(self) -> str:
        driver = self._simulator.driver
        if driver.position is Position.BETWEEN:
            return "over" if driver.moved else "nothing has happened yet"
        return {
            Position.READY: "about to begin",
            Position.INSIDE: "in progress",
            Position.END: "over; the replay is at its end",
        }.get(driver.position, f"broken off: {driver.failure}")

    def _others(self) -> int:
        scheduler = self._simulator.replay.scheduler
        return len(scheduler.jobs) - len(scheduler.running) - scheduler.pending.count

    def _now(self) -> str:
        return self._simulator.time(self._simulator.replay.now)

    def time(self, rest: str) -> Iterator[str]:
        """info time"""
        no_words(rest, "info time")
        replay = self._simulator.replay
        yield f"session {replay.number}"
        yield f"time {self._now()} ({replay.now})"
        yield f"events {replay.events_done} done, {self._left()} left"

    def _left(self) -> str:
        """How many events are left, which takes reading the input again."""
        replay = self._simulator.replay
        if replay.finished:
            return "0"
        if self._simulator.run.options.sim == "-":
            return "an unknown number"
        if self._events is None:
            try:
                self._events = sum(1 for _ in self._all_events())
            except InputError as error:
                return f"an unknown number ({error})"
        return str(self._events - replay.events_done)

    def _all_events(self) -> Iterator[object]:
        """The events that this timeline counts."""
        simulated = isinstance(self._simulator.replay, SimulatedReplay)
        for event in self._simulator.reopened().events():
            if not (simulated and isinstance(event, (JobEnd, SessionMark))):
                yield event

    def plugins(self, rest: str) -> Iterator[str]:
        """info plugins"""
        no_words(rest, "info plugins")
        rows = [("plugin", "version", "source", "hooks")]
        for row in list_plugins(self._simulator.plugins):
            rows.append((row.name, row.version or "-", row.source or "-", _hooks(row)))
        yield from columns(rows)

    def verify(self, rest: str) -> Iterator[str]:
        """info verify"""
        no_words(rest, "info verify")
        verifier = self._simulator.run.verifier
        if verifier is None:
            yield "the replay is not verified; --sim-verify does that"
            return
        yield f"decisions compared {verifier.compared}, mismatches {verifier.mismatches}"
        if verifier.first is not None:
            yield from verifier.first.lines(self._simulator.run.options.sim)


def _hooks(row: Found) -> str:
    """What a plugin listens to, or why it does not; and what of it can't be used."""
    if not row.loaded:
        return f"left out: {row.failure}" if row.failure else "not loaded: nothing needs it"
    failure = f"; but it {row.failure}" if row.failure else ""
    return f"{', '.join(row.hooks)}{failure}"
