"""The stored traces: the latest of each job, as compact bytes, within a bound."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress

from xce_core.model.jobs import format_job_id, parse_job_id

BOUND = 64 * 2**20
"""The memory that stored traces may take, in bytes."""

ITEM_BYTES = 200
"""What a stored trace takes beside its bytes and its job's id: its place in the table."""

_CHUNK_BITS = 10
_CHUNK_BYTES = 400
_MARKS_PART = 16


class Marks:
    """Jobs whose trace was discarded: a bit each, by chunks of neighbouring numbers.

    :param bound: the bytes it may take; beyond, the marks set first are forgotten.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._chunks: OrderedDict[tuple[int, int], int] = OrderedDict()

    @property
    def size(self) -> int:
        """The bytes it takes."""
        return len(self._chunks) * _CHUNK_BYTES

    def __contains__(self, job: str) -> bool:
        chunk, bit = _place(job)
        return bool(chunk and self._chunks.get(chunk, 0) & bit)

    def add(self, job: str) -> None:
        """Mark a job; what is no job id can't be marked."""
        chunk, bit = _place(job)
        if chunk:
            self._chunks[chunk] = self._chunks.get(chunk, 0) | bit
            while self.size > self._bound:
                self._chunks.popitem(last=False)

    def remove(self, job: str) -> None:
        """Take the mark off."""
        chunk, bit = _place(job)
        if chunk and chunk in self._chunks:
            self._chunks[chunk] &= ~bit
            if not self._chunks[chunk]:
                del self._chunks[chunk]

    def elements(self, number: int) -> Iterator[int]:
        """The indexes of the marked elements of an array."""
        for (array, chunk), bits in self._chunks.items():
            if array == number:
                for offset in range(1 << _CHUNK_BITS):
                    if bits >> offset & 1:
                        yield (chunk << _CHUNK_BITS) + offset


def _place(job: str) -> tuple[tuple[int, int] | None, int]:
    """The chunk and the bit of a job; jobs that are no elements are those of array -1."""
    try:
        number, index = parse_job_id(job)
    except ValueError:
        return None, 0
    array, place = (-1, number) if index < 0 else (number, index)
    return (array, place >> _CHUNK_BITS), 1 << (place & (1 << _CHUNK_BITS) - 1)


class Store:
    """The latest trace of each job.

    :param bound: the bytes that all of it may take; the newest trace stays even if it takes
        more alone.
    :ivar size: the bytes that it takes.
    """

    def __init__(self, bound: int = BOUND) -> None:
        self.bound = bound
        self.clear()

    def clear(self) -> None:
        """Forget all of it."""
        self._newest: tuple[str, Callable[[], bytes]] | None = None
        self._traces: OrderedDict[str, bytes] = OrderedDict()
        self._marks = Marks(self.bound // _MARKS_PART)
        self._bytes = 0

    @property
    def size(self) -> int:
        """The bytes it takes."""
        self._settle()
        return self._taken()

    def _taken(self) -> int:
        return self._bytes + self._marks.size

    def __len__(self) -> int:
        self._settle()
        return len(self._traces)

    def put(self, job: str, encode: Callable[[], bytes]) -> None:
        """Keep what *encode* gives as the latest trace of *job*; the oldest give way.

        It is asked for when the next job's trace comes: a job that has to wait at the head of
        its queue is decided in session after session, and only its last trace counts.
        """
        if self._newest is not None and self._newest[0] != job:
            self._settle()
        self._newest = (job, encode)

    def _settle(self) -> None:
        """Take in the newest trace."""
        if self._newest is not None:
            job, encode = self._newest
            self._newest = None
            self._put(job, encode())

    def _put(self, job: str, trace: bytes) -> None:
        traces = self._traces
        old = traces.pop(job, None)
        if old is not None:
            self._bytes -= _size(job, old)
        elif self._marks.size:
            self._marks.remove(job)
        traces[job] = trace
        self._bytes += _size(job, trace)
        while self._taken() > self.bound and len(traces) > 1:
            discarded, lost = traces.popitem(last=False)
            self._bytes -= _size(discarded, lost)
            self._marks.add(discarded)

    def get(self, job: str) -> bytes | None:
        """The latest trace of *job*."""
        self._settle()
        return self._traces.get(job)

    def was_discarded(self, job: str) -> bool:
        """Whether the latest trace of *job* had to give way."""
        self._settle()
        return job in self._marks

    def elements(self, number: int) -> list[str]:
        """The elements of an array that were traced, in index order."""
        self._settle()
        found = set(self._marks.elements(number))
        start = f"{number}["
        for job in self._traces:
            if job.startswith(start):
                with suppress(ValueError):  # what a policy chose need not be a job's id
                    found.add(parse_job_id(job)[1])
        return [format_job_id(number, index) for index in sorted(found)]


def _size(job: str, trace: bytes) -> int:
    return sys.getsizeof(trace) + sys.getsizeof(job) + ITEM_BYTES
