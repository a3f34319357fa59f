"""Where commands come from: a file, the command line, standard input, a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Protocol

from xce_repl.interface import CommandError


class Source(Protocol):
    """Gives lines of commands.

    :ivar stops: whether a failed command ends it.
    :ivar typed: whether a person types its lines.
    """

    stops: bool
    typed: bool

    def next(self, prompt: str) -> str | None:
        """The next line; None at the end."""
        ...

    def more(self, prompt: str) -> str | None:
        """The next line of a command that takes several; None at the end.

        :raises KeyboardInterrupt: if the user breaks it off.
        """
        ...

    def place(self) -> str:
        """Where the last line stands, as the beginning of a message; may be empty."""
        ...


class Listed:
    """Lines from a list or a file, which messages name."""

    typed = False

    def __init__(self, name: str, lines: Iterable[str], stops: bool) -> None:
        self.stops = stops
        self._name = name
        self._lines: Iterator[str] = iter(lines)
        self._line = 0

    def next(self, prompt: str) -> str | None:
        """The next line."""
        line = next(self._lines, None)
        if line is None:
            return None
        self._line += 1
        return line.rstrip("\r\n")

    more = next

    def place(self) -> str:
        """``FILE:LINE: ``."""
        return f"{self._name}:{self._line}: "


class StandardInput:
    """Lines from what is no terminal. A failed command does not end it."""

    stops = False
    typed = False

    def next(self, prompt: str) -> str | None:
        """The next line."""
        line = sys.stdin.readline()
        return line.rstrip("\r\n") if line else None

    more = next

    def place(self) -> str:
        """Nothing: whoever writes the commands reads the answers in step."""
        return ""


def script(path: str, stops: bool) -> Listed:
    """The file of commands at *path*, read as a whole.

    :raises CommandError: if it can't be read.
    """
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            return Listed(path, file.read().splitlines(), stops)
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise CommandError(f"{path}: {cause[:1].lower()}{cause[1:]}") from None
