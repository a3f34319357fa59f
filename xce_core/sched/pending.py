"""The pending jobs in the order in which they are considered, kept and not rebuilt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator
from heapq import heapify, heappop, heapreplace
from math import inf

from xce_core.model.jobs import Job, JobState, Seconds
from xce_core.sched.ledger import Ledger

Key = tuple[object, ...]

_CROWDED = 512
_PENDING = JobState.PENDING


class Line:
    """Pending jobs in order, of which the first refused one speaks for the rest.

    A strict line is a whole queue: a job that can't start stops it. A greedy line holds the
    jobs of one scheduling object: they are alike, so that what one is refused all are.
    Entries of jobs that are no longer pending are passed over, and dropped in time.

    :ivar shortest: no pending job in it has a time limit below this.
    """

    __slots__ = ("_crowded", "entries", "head", "shortest", "strict")

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self.entries: list[tuple[Key, Job]] = []
        self.head = 0
        self.shortest: Seconds = inf
        self._crowded = _CROWDED

    def add(self, key: Key, job: Job) -> None:
        """Put *job* where *key* says."""
        limit = job.time_limit
        if limit is not None and limit < self.shortest:
            self.shortest = limit
        entries = self.entries
        if len(entries) >= self._crowded:
            self._tidy()
        if not entries or key > entries[-1][0]:
            entries.append((key, job))
        else:
            at = bisect_right(entries, key, self.head, key=_key_of)
            entries.insert(at, (key, job))

    def next(self, at: int) -> int:
        """The first position from *at* on that holds a pending job; -1 if there is none."""
        entries = self.entries
        for place in range(at, len(entries)):
            key, job = entries[place]
            if job.key is key and job.state is _PENDING:
                return place
        return -1

    def next_within(self, at: int, longest: Seconds) -> int:
        """As :meth:`next`, of a job with a time limit of at most *longest*."""
        if self.shortest > longest:
            return -1
        shortest: Seconds = inf
        entries = self.entries
        for place in range(at, len(entries)):
            key, job = entries[place]
            if job.key is key and job.state is _PENDING and job.time_limit is not None:
                if job.time_limit <= longest:
                    return place
                shortest = min(shortest, job.time_limit)
        for key, job in entries[self.head : at]:
            if job.key is key and job.state is _PENDING and job.time_limit is not None:
                shortest = min(shortest, job.time_limit)
        self.shortest = shortest
        return -1

    def first(self) -> int:
        """The position of the first pending job; -1 if there is none."""
        head = self.head
        if head < len(self.entries):
            key, job = self.entries[head]
            if job.key is key and job.state is _PENDING:
                return head
        head = self.next(head)
        self.head = head if head >= 0 else len(self.entries)
        return head

    def _tidy(self) -> None:
        """Drop the entries of jobs that are no longer pending.

        Only while a job is entered: positions must stand as long as a session looks at them.
        """
        self.entries[:] = [
            (key, job)
            for key, job in self.entries[self.head :]
            if job.key is key and job.state is _PENDING
        ]
        self.head = 0
        self._crowded = max(_CROWDED, 2 * len(self.entries))


Head = tuple[Key, int, Line]
"""A job in a line: its key, its place, the line."""


def merged(
    first: Callable[[], list[Head]],
    strict: bool = False,
    refused_at: int | None = None,
    seek: Callable[[Line, int], int] = Line.next,
) -> Generator[Job, object, None]:
    """The jobs of lines by key, one by one; each is looked for when it is asked for.

    :param first: gives the job with which each line begins.
    :param strict: whether a strict line ends at a job that is still pending after its turn.
    :param refused_at: a line ends at, or does not begin with, a pending job that was refused
        at this count of the ledger's releases.
    :param seek: gives the first place in a line, from one on, that may have a turn; -1 if
        there is none.
    """
    heads = first()
    if refused_at is not None:
        heads = [
            (key, at, line)
            for key, at, line in heads
            if line.entries[at][1].sched.refused_at != refused_at
        ]
    heapify(heads)
    while heads:
        _, at, line = heads[0]
        job = line.entries[at][1]
        yield job
        if job.state is _PENDING and (
            (strict and line.strict) or job.sched.refused_at == refused_at
        ):
            heappop(heads)
            continue
        at = seek(line, at + 1)
        if at < 0:
            heappop(heads)
        else:
            heapreplace(heads, (line.entries[at][0], at, line))


def _key_of(entry: tuple[Key, Job]) -> Key:
    return entry[0]


class Pending:
    """All pending jobs, as lines merged by key.

    :ivar count: how many they are.
    :ivar entered: told of each job that is entered; None for nobody.
    """

    def __init__(self) -> None:
        self._lines: dict[object, Line] = {}
        self.count = 0
        self.entered: Callable[[Job], None] | None = None

    def add(self, job: Job, key: Key, line: object, strict: bool) -> None:
        """Enter *job*; *key* must differ from every other pending job's."""
        found = self._lines.get(line)
        if found is None:
            found = self._lines[line] = Line(strict)
        found.add(key, job)  # raises, before anything is changed, if keys can't be compared
        job.key = key
        self.count += 1
        if self.entered is not None:
            self.entered(job)

    def left(self) -> None:
        """A job is no longer pending; its state says so already."""
        self.count -= 1

    def in_order(self, each: bool, ledger: Ledger) -> Generator[Job, object, None]:
        """The pending jobs as the order has them, one by one.

        After each job its state tells what became of it. A strict line ends at a job that is
        still pending. Unless *each*, so does a greedy one, and lines whose first job was
        refused since the last release of *ledger* are passed over: nobody in them can start.
        """
        return merged(self.heads, strict=True, refused_at=None if each else ledger.releases)

    def queue(self) -> Generator[Job, object, None]:
        """Every pending job in order, one by one, whatever becomes of those before it."""
        return merged(self.heads)

    def heads(self) -> list[Head]:
        """The first pending job of each line that has any: its key, its place, the line."""
        heads, empty = [], []
        for name, line in self._lines.items():
            at = line.first()
            if at >= 0:
                heads.append((line.entries[at][0], at, line))
            else:
                empty.append(name)
        for name in empty:
            del self._lines[name]
        return heads

    def has_candidates(self, releases: int) -> bool:
        """Whether :meth:`in_order` without *each* would give any job."""
        for line in self._lines.values():
            at = line.first()
            if at >= 0 and line.entries[at][1].sched.refused_at != releases:
                return True
        return False

    def jobs(self) -> Iterator[Job]:
        """Every pending job in order, whatever its queue does with those behind a refused one."""
        entries = [
            entry
            for line in self._lines.values()
            for entry in line.entries[line.head :]
            if entry[1].key is entry[0] and entry[1].state is JobState.PENDING
        ]
        return (job for _, job in sorted(entries, key=_key_of))
