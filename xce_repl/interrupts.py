"""Ctrl-C while the replay moves: a flag that is looked at between events."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from xce_core.sim.replay import Replay

PATIENCE = 3
"""How many times Ctrl-C has to be pressed to break off what does not come back by itself."""


class Interrupts:
    """On a terminal an interrupt pauses the replay; elsewhere it ends the program.

    :ivar on: whether there is a terminal.
    """

    def __init__(self, on: bool) -> None:
        self.on = on

    @contextmanager
    def noticed_by(self, replay: Replay) -> Iterator[None]:
        """While the block runs, an interrupt sets the replay's ``paused``."""
        if not self.on:
            yield
            return
        count = 0

        def notice(number: int, frame: FrameType | None) -> None:
            nonlocal count
            count += 1
            replay.paused = True
            if count >= PATIENCE:
                raise KeyboardInterrupt

        before = signal.signal(signal.SIGINT, notice)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            replay.paused = False
