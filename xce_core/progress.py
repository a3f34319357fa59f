"""Progress on standard error: jobs, rate and simulated date, only on a terminal."""

from __future__ import annotations

import sys
import time
from datetime import datetime, timezone
from types import TracebackType
from typing import TYPE_CHECKING

import click

from xce_core.model.jobs import Seconds

if TYPE_CHECKING:
    from xce_core.sim.run import Run

EVERY = 512
"""Sessions between looks at the clock."""

PERIOD = 0.5
"""Seconds between updates of the line."""


def moment_text(time: Seconds) -> str:
    """*time* as a date, or in seconds if it lies where dates can't tell."""
    try:
        return f"{datetime.fromtimestamp(time, timezone.utc):%Y-%m-%d %H:%M:%S}"
    except (OSError, OverflowError, ValueError):
        return f"{time} s"


class Progress:
    """One line that is written over; nothing at all if standard error is no terminal."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._shown = sys.stderr.isatty()
        self._ticks = 0
        self._begun = self._last = time.monotonic()
        self._wrote = False

    def __enter__(self) -> Progress:
        return self

    def tick(self) -> None:
        """A session is over."""
        self._ticks += 1
        if self._shown and self._ticks % EVERY == 0:
            now = time.monotonic()
            if now - self._last >= PERIOD:
                self._last = now
                self._write(now)

    def _write(self, now: float) -> None:
        replay = self._run.replay
        rate = replay.dispatched / (now - self._begun)
        date = moment_text(replay.now)
        click.echo(
            f"\r{replay.dispatched:,} jobs started, {rate:,.0f} jobs/s, at {date}\x1b[K",
            err=True,
            nl=False,
        )
        self._wrote = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._wrote:
            click.echo("\r\x1b[K", err=True, nl=False)
