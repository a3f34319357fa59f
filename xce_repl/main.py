"""What the command line calls to open the interactive simulator."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from xce_repl.hookspecs import ReplSpecs
from xce_repl.interface import CommandError
from xce_repl.simulator import Simulator
from xce_repl.sources import Listed, StandardInput, script

if TYPE_CHECKING:
    from xce_core.frontends import Startup
    from xce_core.plugins import Plugins
    from xce_core.sim.run import Run, RunOptions


def run(options: RunOptions, plugins: Plugins, startup: Startup) -> tuple[Run, int]:
    """Run the interactive simulator; the run, which is over, and an exit status.

    :raises Exception: what broke the replay off, if anything did.
    """
    plugins.switch_on(ReplSpecs)
    plugins.load_all(readers=False)
    taken = "-" in (options.output, options.jobs_csv, options.log)
    stream = sys.stderr if taken else sys.stdout
    with suppress(AttributeError):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    interactive = sys.stdin.isatty() and stream.isatty() and not startup.batch
    simulator = Simulator(options, plugins, stream, interactive, startup.keep_going)
    try:
        _register(simulator)
        _commands(simulator, startup, interactive)
        simulator.driver.finish()
    except BaseException:
        simulator.driver.give_up()
        raise
    finally:
        simulator.hooks.ask("xce_repl_shutdown", None)
        for line in simulator.hooks.drain():
            simulator.output.line(line)
        simulator.output.flush()
    return simulator.run, int(simulator.shell.failed)


def _register(simulator: Simulator) -> None:
    from xce_repl.builtins import contribute

    contribute(simulator)
    simulator.collect()
    for line in simulator.hooks.drain():
        simulator.output.line(line)


def _commands(simulator: Simulator, startup: Startup, interactive: bool) -> None:
    """What was given to be run first, then what is typed or piped in."""
    shell = simulator.shell
    if interactive and startup.init:
        from xce_repl.terminal import init_file

        path = init_file()
        if path is not None:
            shell.run(script(path, not startup.keep_going))
    if not _first(simulator, startup) and not interactive:
        return
    if shell.leaving or startup.batch:
        return
    if interactive:
        from xce_repl.terminal import converse

        converse(simulator)
    else:
        shell.run(StandardInput())


def _first(simulator: Simulator, startup: Startup) -> bool:
    """Run what was given on the command line; False if it was ended by a failed command."""
    stops = not startup.keep_going
    for is_file, text in startup.commands:
        if simulator.shell.leaving:
            break
        try:
            source = script(text, stops) if is_file else Listed("--ex", [text], stops)
        except CommandError as error:
            simulator.shell.fails(str(error))
            if stops:
                return False
        else:
            if not simulator.shell.run(source):
                return False
    return True
