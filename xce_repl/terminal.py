"""The terminal: line editing, history and completion. Loaded only where there is one."""

from __future__ import annotations

import os
import readline
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from xce_repl.completion import Completer

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

HISTORY_LINES = 1000
"""How many lines are kept from one time to the next."""


def init_file() -> str | None:
    """The user's own file of commands, if there is one; never one in the current folder."""
    path = _folder("XDG_CONFIG_HOME", ".config") / "init"
    return str(path) if path.is_file() else None


def history_file() -> Path:
    """Where the history is kept."""
    return _folder("XDG_STATE_HOME", ".local/state") / "history"


def _folder(variable: str, default: str) -> Path:
    base = os.environ.get(variable, "")
    # The XDG specification has relative paths ignored.
    root = Path(base) if os.path.isabs(base) else Path.home() / default
    return root / "xce_scheduler"


class Terminal:
    """Lines typed by a person."""

    stops = False
    typed = True

    def next(self, prompt: str) -> str | None:
        """The next line; Ctrl-C clears the one begun, Ctrl-D ends."""
        while True:
            try:
                return self.more(prompt)
            except KeyboardInterrupt:
                self._newline()

    def more(self, prompt: str) -> str | None:
        """The next line; Ctrl-C breaks the command off, Ctrl-D ends it."""
        try:
            return input(prompt)
        except EOFError:
            self._newline()
            return None

    def place(self) -> str:
        """Nothing: the line is there to be seen."""
        return ""

    def _newline(self) -> None:
        os.write(sys.stdout.fileno(), b"\n")


def converse(simulator: Simulator) -> None:
    """Ask for commands until the user leaves."""
    completer = Completer(simulator)
    readline.set_completer(completer.complete)
    readline.set_completer_delims(" \t\n")
    bind = "bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete"
    readline.parse_and_bind(bind)
    history = history_file()
    with suppress(OSError):
        readline.read_history_file(history)
    readline.set_history_length(HISTORY_LINES)
    try:
        _loop(simulator)
    finally:
        if simulator.keep_history:
            _save(history)


def _loop(simulator: Simulator) -> None:
    """A command that is interrupted takes us back to the prompt."""
    terminal = Terminal()
    while True:
        try:
            simulator.shell.run(terminal)
            return
        except KeyboardInterrupt:
            simulator.shell.forget_queue()
            simulator.output.line("")
            simulator.output.flush()


def _save(path: Path) -> None:
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        path.chmod(0o600)
        readline.write_history_file(path)
