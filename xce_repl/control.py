"""The commands about the simulator itself: source, restart, snapshot, quit, and asking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from xce_core.sim.atomic import AtomicFile
from xce_repl.driver import Position
from xce_repl.interface import CommandError
from xce_repl.names import Owned
from xce_repl.registry import parameter_usage
from xce_repl.shell import answer
from xce_repl.sources import script
from xce_repl.words import no_words, path_of, word_if_any

if TYPE_CHECKING:
    from xce_repl.interface import Parameter
    from xce_repl.simulator import Simulator


class Control:
    """Runs these commands."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    # Asking.

    def info(self, rest: str) -> Iterable[str]:
        """info TOPIC [...]"""
        if not rest:
            return self._simulator.help.topics()
        name, *words = rest.split(None, 1)
        topic = self._simulator.registry.topics.find(name)
        return answer(topic, f"info {topic.name}", lambda: topic.value.run("".join(words)))

    def show(self, rest: str) -> Iterator[str]:
        """show [PARAMETER]"""
        name = word_if_any(rest, "show [PARAMETER]")
        parameters = self._simulator.registry.parameters
        failures: list[CommandError] = []
        for parameter in [parameters.find(name)] if name else parameters:
            try:
                yield from answer(parameter, f"show {parameter.name}", shown(parameter))
            except CommandError as error:
                failures.append(error)
        if failures:  # after those that can be shown
            raise failures[0]

    def set(self, rest: str) -> Iterable[str]:
        """set PARAMETER VALUE"""
        if not rest:
            return self._simulator.help.parameters()
        name, *value = rest.split(None, 1)
        parameter = self._simulator.registry.parameters.find(name)
        if not value:
            usage = parameter_usage(parameter.value)
            raise CommandError(f"usage: {usage} ({parameter.value.summary})")

        def put() -> Iterable[str]:
            parameter.value.put(value[0])
            return ()

        return answer(parameter, f"set {parameter.name}", put)

    # Doing.

    def source(self, rest: str) -> Iterator[str]:
        """source FILE"""
        path = os.path.expanduser(path_of(rest, "source FILE"))
        shell = self._simulator.shell
        if not shell.run(script(path, not shell.keep_going)):
            shell.stop_here()
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
        path = os.path.expanduser(path_of(rest, "snapshot FILE"))
        if simulator.driver.position is Position.INSIDE:
            raise CommandError("snapshot: a session is in progress; finish goes to its end")
        simulator.driver.check_usable()
        if simulator.run.options.sim == "-":
            raise CommandError("snapshot: the input is standard input, which can't be read again")
        from xce_core.sim.snapshot import write_snapshot

        refuse_path("snapshot", path, simulator)
        with AtomicFile(path) as stream:
            due = simulator.driver.position is Position.READY
            write_snapshot(simulator.replay, simulator.reopened(), stream, due)
        yield f"wrote {path}"

    def quit(self, rest: str) -> Iterator[str]:
        """quit"""
        return self._leave(rest, "quit")

    def exit(self, rest: str) -> Iterator[str]:
        """exit"""
        return self._leave(rest, "exit")

    def _leave(self, rest: str, usage: str) -> Iterator[str]:
        no_words(rest, usage)
        self._simulator.shell.leaving = True
        return iter(())


def shown(parameter: Owned[Parameter]) -> Callable[[], list[str]]:
    """What gives the line that shows *parameter*."""
    return lambda: [f"{parameter.name} {parameter.value.get()}".rstrip()]


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
        value = path_of(value, "set output FILE|off")
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
