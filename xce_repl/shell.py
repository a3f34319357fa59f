"""The loop: takes lines from where they come from, finds their commands, and runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from xce_core.plugins import PluginError
from xce_core.sched.allocator import PluginFailure
from xce_core.sched.faults import FAULTS, describe
from xce_core.sim.atomic import OutputError
from xce_core.sim.workload import InputError
from xce_repl.interface import Block, Command, CommandError
from xce_repl.names import Owned
from xce_repl.output import Output
from xce_repl.registry import Registry
from xce_repl.sources import Listed, Source

BUILT_IN = "the REPL"
"""The owner of what is built in."""

NESTING = 20
"""How deep files of commands may name each other."""


class StopHere(Exception):
    """A command failed, and it was told why."""


_EXPECTED = (CommandError, InputError, OutputError, PluginError, PluginFailure, StopHere)


def answer(found: Owned[Any], name: str, ask: Callable[[], Iterable[object]]) -> Iterator[str]:
    """The lines that *found* gives when it is asked; a text is one line.

    :raises CommandError: for whatever it raises that is none of the user's mistakes; it
        names who brought it.
    """
    try:
        lines = ask()
        for line in (lines,) if isinstance(lines, str) else lines:
            yield line if isinstance(line, str) else str(line)
    except _EXPECTED:
        raise
    except FAULTS as error:
        # Not so where an output of the program's own can't be written, as to a closed pipe.
        if isinstance(error, BrokenPipeError if found.owner != BUILT_IN else OSError):
            raise
        raise CommandError(f"{found.owner}: {name}: {describe(error)}") from error


class Shell:
    """Runs commands.

    :ivar keep_going: whether what is not typed goes on after a command that failed.
    :ivar failed: whether any command failed so far that nobody typed.
    :ivar leaving: set to end the loop.
    :ivar echo: whether each line is shown before it is run.
    :ivar prompt: what a terminal shows before a command.
    :ivar broken_off: set when the user interrupts a move: whatever is not typed ends.
    """

    def __init__(
        self,
        registry: Registry,
        output: Output,
        drain: Callable[[], list[str]],
        keep_going: bool = False,
    ) -> None:
        self._registry = registry
        self._output = output
        self._drain = drain
        self._sources: list[Source] = []
        self._queued: list[Listed] = []
        self.keep_going = keep_going
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

    @property
    def typing(self) -> bool:
        """Whether the line in progress was typed."""
        return bool(self._sources) and self._sources[-1].typed

    def more(self) -> str | None:
        """The next line of the source in use, for a command that takes several; None at its end.

        :raises KeyboardInterrupt: if the user breaks it off, which takes them to the prompt.
        """
        line = self._sources[-1].more("> ") if self._sources else None
        if line is not None and self.echo and not self.typing:
            self._output.line(f"> {line}")
        return line

    def queue(self, lines: list[str], name: str) -> None:
        """Run *lines* too, as a file of that name, once the command in progress is done."""
        self._queued.append(Listed(name, lines, not self.keep_going))

    def stop_here(self) -> None:
        """The command in progress counts as failed, and what went wrong was told already."""
        raise StopHere

    def forget_queue(self) -> None:
        """Whatever is queued is not run, nor what is left of the list in progress."""
        self._queued = []

    def _line(self, line: str, source: Source) -> bool:
        """Run one line and what it queues; whether all of it went well."""
        if self.echo and not source.typed:
            self._output.line(f"{self.prompt}{line}".rstrip())
        if source.typed and not line.strip():
            line = self._again
        before = self._queued
        going = self.execute(line, source.place())
        again = self._again
        # What was queued before belongs to a line further out, and has to wait for its end.
        while self._queued is not before and self._queued and not self.leaving:
            going = self._listed(self._queued.pop(0)) and going
        self._again = again
        self._output.flush()
        return going

    def _listed(self, lines: Listed) -> bool:
        """Run queued lines, up to one that moves the replay on; whether all of it went well."""
        queued, going = self._queued, True
        self._sources.append(lines)
        try:
            while self._queued is queued and not self.leaving and (going or not lines.stops):
                line = lines.next(self.prompt)
                if line is None:
                    break
                going = self.execute(line, lines.place()) and going
        finally:
            self._sources.pop()
        return going

    # Commands.

    def execute(self, line: str, place: str = "") -> bool:
        """Run one line; False, and it is told, if it fails."""
        words = line.strip()
        if not words or words.startswith("#"):
            return True
        name, *rest = words.split(None, 1)
        self._again = ""
        try:
            found = self._registry.commands.find(name)
            self._run(found, "".join(rest))
        except StopHere:
            return False
        except (CommandError, InputError, OutputError, PluginError) as error:
            return self.fails(f"{place}{error}")
        except PluginFailure as error:
            return self.fails(f"{place}plugin {error}")
        self._again = words if found.value.repeats else ""
        return True

    def _run(self, found: Owned[Command], rest: str) -> None:
        try:
            for text in answer(found, found.name, lambda: found.value.run(rest)):
                if text.__class__ is Block:
                    self._output.block(text)
                else:
                    self._output.line(text)
        finally:
            for text in self._drain():
                self._output.line(text)

    def fails(self, message: str) -> bool:
        """Tell that a command failed; False. Who sits at a terminal has seen it, and goes on."""
        if not (self._sources and self._sources[0].typed):
            self.failed = True
        for line in message.splitlines() or [message]:
            self._output.line(line)
        return False
