"""The built-in parameters of ``set`` and ``show``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xce_core.model.amounts import UnitsMode
from xce_repl.control import OutputParameter
from xce_repl.interface import CommandError, Parameter
from xce_repl.names import brief
from xce_repl.words import word_of

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

ON_OFF = ("on", "off")
PROMPT_LENGTH = 200
"""How long a prompt may be."""


def parameters(simulator: Simulator) -> list[Parameter]:
    """All of them."""
    formats, shell = simulator.formats, simulator.shell
    output = OutputParameter(simulator)

    def set_echo(value: str) -> None:
        shell.echo = switch("echo", value)

    def set_history(value: str) -> None:
        simulator.keep_history = switch("history", value)

    def set_prompt(value: str) -> None:
        if len(value) > PROMPT_LENGTH or not value.isprintable():
            what = f"at most {PROMPT_LENGTH} characters that can be printed"
            raise CommandError(f"set prompt: expected {what}, found {brief(value)}")
        shell.prompt = word_of(value, "set prompt TEXT") if value[0] in "\"'" else value

    modes = tuple(mode.value for mode in UnitsMode)
    return [
        Parameter(
            "units", lambda: formats.units.value, formats.set_units,
            "how amounts of bytes are shown", modes,
        ),
        Parameter(
            "timezone", lambda: formats.clock.zone,
            lambda value: formats.clock.set_zone(word_of(value, "set timezone ZONE")),
            "the time zone of the times shown, such as UTC or Europe/Paris", form="ZONE",
        ),
        Parameter(
            "output", output.get, output.put,
            "the file that gets the replay as a recording; set it before the replay begins",
            ("off",), "FILE|off",
        ),
        Parameter(
            "prompt", lambda: f'"{shell.prompt}"', set_prompt, "what the prompt is", form="TEXT"
        ),
        Parameter(
            "echo", lambda: on_off(shell.echo), set_echo,
            "whether commands that are not typed are shown before they run", ON_OFF,
        ),
        Parameter(
            "history", lambda: on_off(simulator.keep_history), set_history,
            "whether what is typed is kept for the next time", ON_OFF,
        ),
    ]  # fmt: skip


def switch(name: str, value: str) -> bool:
    """Whether *value* is ``on``.

    :raises CommandError: if it is not ``off`` either.
    """
    if value not in ON_OFF:
        raise CommandError(f"set {name}: expected on or off, found {brief(value)}")
    return value == "on"


def on_off(value: bool) -> str:
    """``on`` or ``off``."""
    return "on" if value else "off"
