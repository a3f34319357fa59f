"""The built-in commands, topics and parameters, given in the way plugins give theirs."""

from __future__ import annotations

from xce_repl.interface import Command
from xce_repl.shell import BUILT_IN
from xce_repl.simulator import Simulator


def contribute(simulator: Simulator) -> None:
    """Enter them all."""
    registry = simulator.registry
    mover = simulator.mover
    registry.add(BUILT_IN, "commands", [
        Command("step", mover.step, "step [N]", "go to the next decision, or the next N", repeats=True),
        Command("continue", mover.go_on, "continue [N]", "go on", repeats=True),
        Command("until", mover.until, "until TIME|#SESSION", "go on", repeats=True),
        Command("finish", mover.finish, "finish", "finish session"),
    ])
