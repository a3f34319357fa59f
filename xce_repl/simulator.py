"""The interactive simulator: its parts put together, as commands and plugins see it."""

from __future__ import annotations

from typing import TextIO

from xce_core.model.amounts import UnitsMode
from xce_core.model.jobs import Seconds
from xce_core.plugins import Plugins
from xce_core.sim.inputs import open_workload
from xce_core.sim.replay import Replay
from xce_core.sim.run import Run, RunOptions
from xce_core.sim.workload import Workload
from xce_repl.breakpoints import Breakpoints
from xce_repl.driver import Driver, Position
from xce_repl.formats import Formats
from xce_repl.help_text import Help
from xce_repl.hooks import Hooks
from xce_repl.interrupts import Interrupts
from xce_repl.moves import Mover
from xce_repl.output import Output
from xce_repl.registry import COLLECTING, Registry
from xce_repl.shell import Shell
from xce_repl.times import UnknownZone


class Simulator:
    """One interactive simulation; what the interface calls a ``Repl``."""

    def __init__(
        self,
        options: RunOptions,
        plugins: Plugins,
        stream: TextIO,
        interactive: bool,
        keep_going: bool,
    ) -> None:
        self.plugins = plugins
        self.keep_history = True
        self.hooks = Hooks(plugins)
        self.output = Output(stream, interactive)
        self.registry = Registry(self.hooks.notices.append)
        self.shell = Shell(self.registry, self.output, self.hooks.drain, keep_going)
        self.help = Help(self)
        self.driver = Driver(options, plugins, self.hooks)
        self.formats = Formats(lambda: self.replay.cluster)
        self.breakpoints = Breakpoints(self.formats.clock)
        self.driver.open()
        interrupts = Interrupts(interactive)
        self.mover = Mover(
            self.driver, self.hooks, self.breakpoints, self.formats.clock, interrupts, self.shell
        )
        self._set_zone(getattr(self.run.workload, "time_zone", None))

    def _set_zone(self, zone: str | None) -> None:
        """Begin with the input's time zone, if it has one that is known."""
        try:
            if zone:
                self.formats.clock.set_zone(zone)
        except UnknownZone as error:
            self.hooks.notices.append(f"time zone of the input: {error}; UTC is used")

    def collect(self) -> None:
        """Gather what plugins give, the built-in ones first."""
        self.hooks.ask("xce_repl_started", None, self)
        for kind in COLLECTING:
            for owner, found in self.hooks.collect(kind):
                self.registry.add(owner, kind, found)

    @property
    def run(self) -> Run:
        """The run."""
        return self.driver.run

    @property
    def replay(self) -> Replay:
        """The replay; a new one after ``restart``."""
        return self.driver.replay

    @property
    def in_session(self) -> bool:
        """Whether a session is in progress."""
        return self.driver.position is Position.INSIDE

    @property
    def units(self) -> UnitsMode:
        """How amounts are shown now."""
        return self.formats.units

    def amount(self, resource: str, amount: int) -> str:
        """*amount* of *resource*, as the units mode shows it."""
        return self.formats.amount(resource, amount)

    def time(self, time: Seconds) -> str:
        """A time in the time zone that is set."""
        return self.formats.clock.text(time)

    def reopened(self) -> Workload:
        """The input opened anew, from its beginning.

        :raises InputError: for a fault in it.
        """
        options = self.run.options
        cluster = self.run.workload.cluster if options.cluster else None
        return open_workload(
            options.sim,
            self.plugins,
            cluster,
            options.form,
            options.input_options,
            options.up_to_cut,
        )

    def restart(self, options: RunOptions | None = None) -> None:
        """Begin anew, with other options if given; breakpoints and parameters are kept."""
        self.driver.open(options)
        self.mover.restarted()
        self.breakpoints.restarted(self.replay)
        self.hooks.ask("xce_repl_restarted", None, self)
