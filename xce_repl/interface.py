"""What a plugin gives the REPL, and what the REPL gives a plugin.

Commands, topics, parameters and help sections of the REPL itself go through the same
values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from xce_core.model.amounts import UnitsMode
from xce_core.model.jobs import Seconds
from xce_core.sched.policy import Outcome
from xce_core.sim.replay import Replay

if TYPE_CHECKING:
    from xce_core.sim.run import Run


class CommandError(Exception):
    """A mistake of the user's, told in one line; nothing has changed."""


class Repl(Protocol):
    """The REPL as commands and plugins see it.

    :ivar run: the run, with its options (the paths in use among them) and outputs.
    :ivar in_session: whether a session is in progress: it has begun and not ended.
    """

    run: Run
    in_session: bool

    @property
    def replay(self) -> Replay:
        """The replay; a new one after ``restart``."""
        ...

    @property
    def units(self) -> UnitsMode:
        """How amounts are shown now."""
        ...

    def amount(self, resource: str, amount: int) -> str:
        """*amount* of *resource* as the units mode shows it; jobs and unknown ones as counts."""
        ...

    def time(self, time: Seconds) -> str:
        """A time in the time zone that is set, as ``2026-10-07 10:00:01``."""
        ...


class Block(str):
    """A line, or many joined by newlines, that can be shown as it is; many at once is faster.

    Made by :func:`as_block`, or of texts alone of which :func:`is_plain` is true.
    """

    __slots__ = ()


_PRINTABLE = bytes(range(0x20, 0x7F))


def is_plain(texts: Collection[str]) -> bool:
    """Whether there is nothing in *texts* but printable ASCII."""
    text = "\n".join(texts)
    rest = text.encode().translate(None, _PRINTABLE) if text.isascii() else text
    return len(rest) < max(len(texts), 1)


def as_block(lines: list[str]) -> list[str]:
    """*lines*, some of them blocks, as one block; as they are if a line is not plain."""
    if lines and is_plain([line for line in lines if line.__class__ is not Block]):
        return [Block("\n".join(lines))]
    return lines


@dataclass(frozen=True, slots=True)
class Command:
    """Something that can be typed.

    :param run: given the rest of the line after the command's name, stripped; gives the
        lines to print, many at once by :func:`as_block`. It never prints. A user's mistake
        is a :class:`CommandError`.
    :param usage: its form, such as ``step [N]``.
    :param summary: what it does, in a few words, for the list of commands.
    :param text: all about it, for ``help COMMAND``; lines.
    :param section: the section of ``help`` that lists it.
    :param repeats: whether an empty line repeats it on a terminal.
    :param complete: given the words before the cursor after the name, and the word at it,
        gives candidates.
    """

    name: str
    run: Callable[[str], Iterable[str]]
    usage: str
    summary: str
    text: str = ""
    section: str = "Commands"
    repeats: bool = False
    complete: Callable[[Sequence[str], str], Iterable[str]] | None = None


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that ``info`` tells about; fields as in :class:`Command`."""

    name: str
    run: Callable[[str], Iterable[str]]
    usage: str
    summary: str
    text: str = ""
    section: str = "State inspection"
    complete: Callable[[Sequence[str], str], Iterable[str]] | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """Something that ``set`` changes and ``show`` shows.

    :param get: its value as text.
    :param put: given the rest of the line, which is never empty; a bad value is a
        :class:`CommandError` and changes nothing.
    :param values: what it may be, as far as that can be listed; offered by completion.
    :param form: how its values are written in ``help``; the values by default.
    """

    name: str
    get: Callable[[], str]
    put: Callable[[str], None]
    summary: str
    values: Sequence[str] = ()
    form: str = ""


@dataclass(frozen=True, slots=True)
class HelpSection:
    """Lines that stand at the end of ``help`` under a title."""

    title: str
    lines: Sequence[str]


class Round(NamedTuple):
    """A session that is over, as ``continue`` is about to show or collapse it.

    :param dispatched: jobs started in it, taken over ones included.
    :param changed: whether anything in it differs from the round before: a dispatch, or the
        set of pending jobs.
    """

    number: int
    time: Seconds
    dispatched: int
    changed: bool


class Decided(NamedTuple):
    """An outcome as the REPL hands it to plugins, before the breakpoint check.

    :param session: the session's number.
    :param echoed: whether its line has been shown already.
    """

    outcome: Outcome
    session: int
    time: Seconds
    echoed: bool
