"""The commands about the simulator itself: source, restart, snapshot, quit, and asking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from xce_core.sim.atomic import AtomicFile
from xce_repl.driver import Position
from xce_repl.interface import CommandError
from xce_repl.names import Names, Owned
from xce_repl.sources import script
from xce_repl.words import no_words

if TYPE_CHECKING:
    from xce_repl.interface import Parameter, Topic
    from xce_repl.simulator import Simulator

Ask = Callable[[str], Iterable[str]]


class Control:
    """Runs these commands."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    # Asking.

    def info(self, rest: str) -> Iterable[str]:
        """info TOPIC [...]"""
        name, _, words = rest.partition(" ")
        topics: Names[Topic] = self._simulator.registry.topics
        if not name:
            return self._simulator.help.topics()
        return topics.find(name).value.run(words.strip())

    def show(self, rest: str) -> Iterator[str]:
        """show [PARAMETER]"""
        parameters = self._simulator.registry.parameters
        found: list[Owned[Parameter]] = [parameters.find(rest)] if rest else list(parameters)
        for parameter in found:
            yield f"{parameter.name} {parameter.value.get()}".rstrip()

    def set(self, rest: str) -> Iterator[str]:
        """set PARAMETER VALUE"""
        name, _, value = rest.partition(" ")
        if not name:
            yield from self._simulator.help.parameters()
            return
        self._simulator.registry.parameters.find(name).value.put(value.strip())

    # Doing.

    def source(self, rest: str) -> Iterator[str]:
        """source FILE"""
        if not rest:
            raise CommandError("usage: source FILE")
        simulator = self._simulator
        if not simulator.shell.run(script(os.path.expanduser(rest), not simulator.keep_going)):
            simulator.shell.stop_here()
        return iter(())

    def restart(self, rest: str) -> Iterator[str]:
        """restart"""
        no_words(rest, "restart")
        check_again(self._simulator)
        self._simulator.restart()
        yield f"at the start of {self._simulator.run.options.sim}"

    def snapshot(self, rest: str) -> Iterator[str]:
        """snapshot FILE"""
        simulator = self._simulator
        if not rest:
            raise CommandError("usage: snapshot FILE")
        if simulator.driver.position is Position.INSIDE:
            raise CommandError("snapshot: a session is in progress; finish goes to its end")
        simulator.driver.check_usable()
        if simulator.run.options.sim == "-":
            raise CommandError("snapshot: the input is standard input, which can't be read again")
        from xce_core.sim.snapshot import write_snapshot

        path = os.path.expanduser(rest)
        refuse_path("snapshot", path, simulator)
        with AtomicFile(path) as stream:
            due = simulator.driver.position is Position.READY
            write_snapshot(simulator.replay, simulator.reopened(), stream, due)
        yield f"wrote {path}"

    def quit(self, rest: str) -> Iterator[str]:
        """quit"""
        no_words(rest, "quit")
        self._simulator.shell.leaving = True
        return iter(())


def check_again(simulator: Simulator) -> None:
    """Whether the replay can begin anew.

    :raises CommandError: if its input or its output is there only once.
    """
    options = simulator.run.options
    if options.sim == "-":
        raise CommandError("restart: the input is standard input, which can't be read again")
    if "-" in (options.output, options.jobs_csv, options.log):
        raise CommandError("restart: the output goes to standard output and can't begin anew")


def refuse_path(command: str, path: str, simulator: Simulator) -> None:
    """Whether *path* may be written to.

    :raises CommandError: if it is in use, here or by a plugin.
    """
    options = simulator.run.options
    if path == "-":
        raise CommandError(f"{command}: standard output is in use")
    for other, what in (
        (options.sim, "the input"), (options.cluster, "the cluster file"),
        (options.output, "the output"), (options.jobs_csv, "the table of jobs"),
        (options.log, "the scheduler's log"),
    ):  # fmt: skip
        if other and same_file(path, other):
            raise CommandError(f"{command}: {path} is {what}")
    for why in simulator.hooks.refusals(path):
        raise CommandError(f"{command}: {path} {why}")


def same_file(one: str, other: str) -> bool:
    """Whether two paths lead to the same file, be it there or not."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)


class OutputParameter:
    """``set output FILE|off``: where the replay is written as a recording."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def get(self) -> str:
        """The file, or off."""
        return self._simulator.run.options.output or "off"

    def put(self, value: str) -> None:
        """Begin to write, before anything has happened."""
        simulator = self._simulator
        if not value:
            raise CommandError("usage: set output FILE|off")
        if simulator.driver.moved:
            what = "it is written from its start on; restart, then set output"
            raise CommandError(f"set output: the replay has begun and {what}")
        path = None if value == "off" else os.path.expanduser(value)
        if path is not None and not (
            simulator.run.options.output and same_file(path, simulator.run.options.output)
        ):
            refuse_path("set output", path, simulator)
        check_again(simulator)
        simulator.restart(replace(simulator.run.options, output=path))
