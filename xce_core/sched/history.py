"""What became of jobs that are over: a byte each, for dependencies that name them later."""

from __future__ import annotations

from xce_core.model.id_table import IdTable
from xce_core.model.jobs import DependsOn, Job, JobState, Seconds

KNOWN, STARTED, ENDED, DONE, REFUSED = 1, 2, 4, 8, 16
"""How far a job got, as bits of one number; a refused job was turned away as it came in."""



def in_words(past: int) -> str:
    """What became of a job of which only this is known; it is not among those alive."""
    if past & DONE:
        return "done"
    return "failed or killed" if past & ENDED else "refused"


NEEDED = {DependsOn.DONE: DONE, DependsOn.ENDED: ENDED, DependsOn.STARTED: STARTED}
"""What must be known of a job for each kind of dependency on it."""

_ALL = KNOWN | STARTED | ENDED | DONE | REFUSED
_GETS_NO_FURTHER = ENDED | REFUSED


class _Array:
    """The elements of an array.

    :ivar pasts: how many elements are how far, so that nobody has to look at each.
    """

    __slots__ = ("elements", "pasts")

    def __init__(self) -> None:
        self.elements = IdTable()
        self.pasts: dict[int, int] = {}

    def note(self, index: int, past: int) -> None:
        """Add *past* to what is known of an element."""
        pasts = self.pasts
        before = self.elements.add(index, past)
        after = before | past
        if after == before:
            return
        pasts[after] = pasts.get(after, 0) + 1
        if before:
            pasts[before] -= 1
            if not pasts[before]:
                del pasts[before]

    def shared(self) -> int:
        """How far all elements are."""
        shared = _ALL
        for past in self.pasts:
            shared &= past
        return shared


TIMES_KEPT = 1 << 15
"""Of at least so many of the latest jobs that are over it is remembered when they got there."""


_Times = dict[tuple[int, int], tuple[Seconds | None, Seconds]]


class History:
    """How far jobs got, by number and array index; of the latest also when."""

    def __init__(self) -> None:
        self._jobs = IdTable()
        self._arrays: dict[int, _Array] = {}
        self._times: _Times = {}
        self._older: _Times = {}

    def over(self, job: Job) -> None:
        """*job* is over: take down how far it got, and when."""
        self.note(job.number, job.index, past_of(job))
        assert job.end_time is not None
        if len(self._times) >= TIMES_KEPT:  # forgotten in bulk: taking the oldest out is dear
            self._older, self._times = self._times, {}
        self._times[job.number, job.index] = (job.start_time, job.end_time)

    def reached(self, number: int, index: int, when: DependsOn) -> Seconds | None:
        """When a job that is over got there; None if that is not known any more."""
        name = (number, index)
        start, end = self._times.get(name) or self._older.get(name) or (None, None)
        return start if when is DependsOn.STARTED else end

    def note(self, number: int, index: int, past: int) -> None:
        """Add *past* to what is known of a job."""
        if index < 0:
            self._jobs.add(number, past)
            return
        array = self._arrays.get(number)
        if array is None:
            array = self._arrays[number] = _Array()
        array.note(index, past)

    def of(self, number: int, index: int) -> int:
        """How far a job got; for an array's number what all its elements share; 0 if unknown."""
        array = self._arrays.get(number)
        if index >= 0:
            return 0 if array is None else array.elements.get(index)
        return self._jobs.get(number) if array is None else array.shared()

    def is_array(self, number: int) -> bool:
        """Whether any element of an array of this number ever came in."""
        return number in self._arrays

    def elements(self, number: int) -> list[int]:
        """The indexes of the elements of an array that ever came in, in order."""
        array = self._arrays.get(number)
        return [] if array is None else [index for index, _ in array.elements.items()]

    def some_ended_without(self, number: int, index: int, needed: int) -> bool:
        """Whether the job, or any element of the array, will never get to *needed*.

        It ended without, or was refused.
        """
        array = self._arrays.get(number) if index < 0 else None
        pasts = [self.of(number, index)] if array is None else array.pasts
        return any(_lacks(past, needed) for past in pasts)

    def element_without(self, number: int, needed: int) -> int | None:
        """The first element of an array that will never get to *needed*, if there is one."""
        array = self._arrays.get(number)
        if array is None or not self.some_ended_without(number, -1, needed):
            return None
        return next(index for index, past in array.elements.items() if _lacks(past, needed))


def _lacks(past: int, needed: int) -> bool:
    return bool(past & _GETS_NO_FURTHER) and not past & needed


def past_of(job: Job) -> int:
    """How far *job* has got by now; that it started once is not undone by a requeue."""
    past = KNOWN
    if job.start_time is not None or job.requeues:
        past |= STARTED
    if job.end_time is not None:
        past |= ENDED | (DONE if job.state is JobState.DONE else 0)
    return past
