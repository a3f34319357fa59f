"""The loop: takes lines from where they come from, finds their commands, and runs them."""

from __future__ import annotations

from collections.abc import Callable

from xce_core.plugins import PluginError
from xce_core.sched.allocator import PluginFailure, describe
from xce_core.sim.atomic import OutputError
from xce_core.sim.workload import InputError
from xce_repl.interface import Block, Command, CommandError
from xce_repl.names import Owned
from xce_repl.output import Output
from xce_repl.registry import Registry
from xce_repl.sources import Source

BUILT_IN = "the REPL"
"""The owner of what is built in."""

NESTING = 20
"""How deep files of commands may name each other."""


_EXPECTED = (CommandError, InputError, OutputError, PluginError, PluginFailure)


class StopHere(Exception):
    """A command failed, and it was told why."""


class Shell:
    """Runs commands.

    :ivar failed: whether any command failed so far.
    :ivar leaving: set to end the loop.
    :ivar echo: whether each line is shown before it is run.
    :ivar prompt: what a terminal shows before a command.
    :ivar broken_off: set when the user interrupts a move: whatever is not typed ends.
    """

    def __init__(self, registry: Registry, output: Output, drain: Callable[[], list[str]]) -> None:
        self._registry = registry
        self._output = output
        self._drain = drain
        self._sources: list[Source] = []
        self._queued: list[tuple[str, str]] = []
        self.failed = False
        self.leaving = False
        self.echo = False
        self.prompt = "(xce) "
        self.broken_off = False
        self._again = ""

    # Sources.

    def run(self, source: Source) -> bool:
        """Run the commands of *source*; False if it was ended by a failed one, or an interrupt.

        :raises CommandError: if files of commands are nested too deep.
        """
        if len(self._sources) >= NESTING:
            raise CommandError(f"more than {NESTING} files of commands are nested")
        self._sources.append(source)
        try:
            while not self.leaving:
                line = source.next(self.prompt)
                if line is None:
                    return True
                going = self._line(line, source)
                if source.typed:
                    self.broken_off = False
                elif self.broken_off or (source.stops and not going):
                    return False
            return True
        finally:
            self._sources.pop()

    def more(self) -> str | None:
        """The next line of the source in use, for a command that takes several."""
        line = self._sources[-1].next("> ") if self._sources else None
        if line is not None and self.echo and not self._sources[-1].typed:
            self._output.line(f"> {line}")
        return line

    def queue(self, lines: list[str], name: str) -> None:
        """Run *lines* too once the command in progress is done."""
        self._queued += [(line, f"{name}:{n}: ") for n, line in enumerate(lines, 1)]

    def stop_here(self) -> None:
        """The command in progress counts as failed, and what went wrong was told already."""
        raise StopHere

    def forget_queue(self) -> None:
        """Whatever is queued is not run."""
        self._queued = []

    def _line(self, line: str, source: Source) -> bool:
        """Run one line and what it queues; whether all of it went well."""
        if self.echo and not source.typed:
            self._output.line(f"{self.prompt}{line}".rstrip())
        if source.typed and not line.strip():
            line = self._again
        going = self.execute(line, source.place())
        while self._queued and not self.leaving:
            text, place = self._queued.pop(0)
            going = self.execute(text, place) and going
        self._output.flush()
        return going

    # Commands.

    def execute(self, line: str, place: str = "") -> bool:
        """Run one line; False, and it is told, if it fails."""
        words = line.strip()
        if not words or words.startswith("#"):
            return True
        name, _, rest = words.partition(" ")
        self._again = ""
        try:
            found = self._registry.commands.find(name)
            self._run(found, rest.strip())
        except StopHere:
            return False
        except CommandError as error:
            return self.fails(f"{place}{error}")
        except (InputError, OutputError, PluginError) as error:
            return self.fails(f"{place}{error}")
        except PluginFailure as error:
            return self.fails(f"{place}plugin {error}")
        self._again = words if found.value.repeats else ""
        return True

    def _run(self, found: Owned[Command], rest: str) -> None:
        try:
            for text in found.value.run(rest):
                if text.__class__ is Block:
                    self._output.lines(text)
                else:
                    self._output.line(text)
        except (*_EXPECTED, StopHere, OSError):
            raise
        except Exception as error:
            raise CommandError(f"{found.owner}: {found.name}: {describe(error)}") from error
        finally:
            for text in self._drain():
                self._output.line(text)

    def fails(self, message: str) -> bool:
        """Tell that a command failed; False."""
        self.failed = True
        for line in message.splitlines() or [message]:
            self._output.line(line)
        return False
