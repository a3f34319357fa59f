"""How the command line hands over to an interactive front end, which it finds by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xce_core.installed import FRONTENDS
from xce_core.plugins import PluginError
from xce_core.sched.faults import FAULTS, describe

if TYPE_CHECKING:
    from xce_core.plugins import Plugins
    from xce_core.sim.run import Run, RunOptions


@dataclass(frozen=True, slots=True)
class Startup:
    """What a front end is to do at first.

    :param commands: in the order given: True and the name of a file of commands, or False
        and a command.
    :param batch: whether to leave after these, instead of asking for more.
    :param keep_going: whether a failed command lets those after it run.
    :param init: whether the user's own file of commands is read.
    """

    commands: Sequence[tuple[bool, str]] = ()
    batch: bool = False
    keep_going: bool = False
    init: bool = True


Frontend = Callable[["RunOptions", "Plugins", Startup], "tuple[Run, int]"]
"""Runs what the user asks for; gives the run, which is over, and an exit status."""


def load_frontend(name: str, plugins: Plugins) -> Frontend:
    """The installed front end of that name.

    :raises PluginError: if there is none, or it can't be loaded.
    """
    for entry in plugins.installed.frontends.get(name, ()):
        try:
            frontend: Frontend = entry.load()
        except FAULTS as error:
            raise PluginError(name, describe(error)) from error
        return frontend
    raise PluginError(name, f"no front end of this name is installed (group {FRONTENDS})")
