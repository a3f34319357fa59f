"""A workload: an input opened for replay, whatever its format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Allocation
from xce_core.model.jobs import Job, Seconds
from xce_core.sim.events import Event


class Timeline(Enum):
    """Who says when jobs end and when sessions take place."""

    RECORDED = "recorded"
    SIMULATED = "simulated"


class InputError(Exception):
    """A fault in an input, told for the person who has to mend it.

    :param path: the file as the user named it.
    :param line: its line, from 1; 0 if the fault is not in one line.
    :param what: what was expected, what was found, and what to do.
    :param column: the column, from 1; 0 if none is meant.
    """

    def __init__(self, path: str, line: int, what: str, column: int = 0) -> None:
        self.path = path
        self.line = line
        self.column = column
        self.what = what
        place = ":".join([path, *(str(n) for n in (line, column) if n)])
        super().__init__(f"{place}: {what}")


class OptionError(InputError):
    """A choice of the user's that can't be had with this input: wrong usage, not a bad file.

    :param flag: the flag of the command line, see :func:`option_flag`.
    :param what: what was expected, and what was found.
    """

    def __init__(self, flag: str, what: str) -> None:
        super().__init__(flag, 0, what)


def option_flag(name: str) -> str:
    """How the command line takes the reader's option called *name*."""
    return "--repair" if name == "repair" else f"-o {name}"


@dataclass(slots=True)
class Tally:
    """What was mended and what was refused on the way in, counted by cause.

    A cause is a short phrase such as ``run time unknown (-1)``.
    """

    read: int = 0
    repaired: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Start:
    """The state in which a replay begins.

    :param jobs: jobs that exist already, in any state but over.
    :param running: what the running and suspended ones hold, by job id.
    :param time: the time of this state; None if it is that of the first event.
    :param session: number of sessions that took place before.
    """

    jobs: tuple[Job, ...] = ()
    running: tuple[tuple[str, Allocation], ...] = ()
    time: Seconds | None = None
    session: int = 0


class Workload(Protocol):
    """An input opened for replay.

    :attr:`tally` is filled while :meth:`events` is read.
    """

    path: str
    cluster: Cluster
    timeline: Timeline
    policy: str | None
    start: Start
    tally: Tally

    def events(self) -> Iterator[Event]:
        """All that happens, in time order, read as it is asked for.

        :raises InputError: at the first fault.
        """
        ...
