"""What the rows of a dump say, held in about a hundred bytes a row."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable
from enum import IntEnum
from typing import Generic, NamedTuple, TypeVar

from xce_plugins.slurm.tres import Pairs

T = TypeVar("T", bound=Hashable)


class Fate(IntEnum):
    """What a row tells of its job's start and end."""

    RAN = 0
    NEVER_STARTED = 1
    RUNNING = 2
    WAITING = 3


class Need(NamedTuple):
    """What a job was given or, if it never started, asked for, as a whole.

    :param memory: bytes.
    """

    cpus: int
    nodes: int
    memory: int = 0
    gres: Pairs = ()
    licences: Pairs = ()


class Attempt(NamedTuple):
    """A row: one run of a job, of an array element, or of a part of a heterogeneous job.

    Times are seconds since 1970, -1 where not known; numbers at the end say which of the
    texts, needs and node lists of :class:`Attempts` is meant.

    :param element: its index in the array, -1 if there is none.
    :param part: of the heterogeneous job, -1 if it is none.
    :param eligible: -1 if nothing is said of it, :data:`NEVER` if it never was.
    :param run: seconds it ran, so far if it still runs; 0 if it never started.
    :param limit: seconds, -1 for none.
    :param outcome: a key of :data:`OUTCOMES`.
    """

    number: int
    element: int
    part: int
    submit: int
    eligible: int
    start: int
    end: int
    run: int
    limit: int
    fate: int
    outcome: int
    user: int
    project: int
    queue: int
    need: int
    nodes: int
    line: int


NEVER = -2

_CODES = dict(
    zip(Attempt._fields, ("q", "q", "h", *"qqqqqq", "b", "b", *"iiiii", "q"), strict=True)
)


class Known(Generic[T]):
    """Different values, each by a number; 0 is the first one."""

    def __init__(self, values: Iterable[T] = ()) -> None:
        self.values: list[T] = []
        self._numbers: dict[T, int] = {}
        for value in values:
            self.number(value)

    def number(self, value: T) -> int:
        """The number of *value*, a new one if it was not seen before."""
        found = self._numbers.setdefault(value, len(self.values))
        if found == len(self.values):
            self.values.append(value)
        return found


class Attempts:
    """All rows that tell of an attempt, by their place in the dump.

    :ivar latest: the latest moment that any of them speaks of.
    """

    def __init__(self) -> None:
        self.columns = {name: array(code) for name, code in _CODES.items()}
        self.names: Known[str] = Known()
        self.needs: Known[Need] = Known()
        self.node_lists: Known[str] = Known([""])
        self.latest = 0
        self._arrays = tuple(self.columns.values())

    def __len__(self) -> int:
        return len(self._arrays[0])

    def __getitem__(self, place: int) -> Attempt:
        return Attempt._make([column[place] for column in self._arrays])

    def add(self, attempt: Attempt) -> None:
        """Take in one more."""
        for column, value in zip(self._arrays, attempt, strict=True):
            column.append(value)
        moment = attempt.start + attempt.run if attempt.fate == Fate.RUNNING else attempt.end
        self.latest = max(self.latest, attempt.submit, moment)
