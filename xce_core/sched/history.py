"""What became of jobs that are over: a byte each, for dependencies that name them later."""

from __future__ import annotations

from xce_core.model.jobs import DependsOn, Job, JobState

KNOWN, STARTED, ENDED, DONE = 1, 2, 4, 8
"""How far a job got, as bits of one number."""

NEEDED = {DependsOn.DONE: DONE, DependsOn.ENDED: ENDED, DependsOn.STARTED: STARTED}
"""What must be known of a job for each kind of dependency on it."""

_DENSE = 1 << 26


class History:
    """How far jobs got, by number and array index.

    Jobs with small numbers take a byte of an array, others an entry of a table.
    """

    def __init__(self) -> None:
        self._dense = bytearray(1024)
        self._sparse: dict[int, int] = {}
        self._elements: dict[int, dict[int, int]] = {}

    def note(self, number: int, index: int, past: int) -> None:
        """Add *past* to what is known of a job."""
        if index >= 0:
            elements = self._elements.setdefault(number, {})
            elements[index] = elements.get(index, 0) | past
        elif number < len(self._dense):
            self._dense[number] |= past
        elif number < _DENSE:
            self._dense.extend(bytes(number + 1 - len(self._dense) // 2))
            self._dense[number] |= past
        else:
            self._sparse[number] = self._sparse.get(number, 0) | past

    def of(self, number: int, index: int) -> int:
        """How far a job got; for an array's number what all its elements share; 0 if unknown."""
        if index >= 0:
            return self._elements.get(number, {}).get(index, 0)
        elements = self._elements.get(number)
        if elements:
            shared = KNOWN | STARTED | ENDED | DONE
            for past in elements.values():
                shared &= past
            return shared
        if number < len(self._dense):
            return self._dense[number]
        return self._sparse.get(number, 0)

    def elements(self, number: int) -> list[int]:
        """The indexes of the elements of an array that ever came in, in order."""
        return sorted(self._elements.get(number, ()))

    def some_ended_without(self, number: int, index: int, needed: int) -> bool:
        """Whether the job, or any element of the array, ended without getting to *needed*."""
        if index < 0 and number in self._elements:
            pasts = list(self._elements[number].values())
        else:
            pasts = [self.of(number, index)]
        return any(past & ENDED and not past & needed for past in pasts)

    def element_without(self, number: int, needed: int) -> int | None:
        """The first element of an array that ended without getting to *needed*, if any did."""
        elements = self._elements.get(number, {})
        lost = (i for i, past in elements.items() if past & ENDED and not past & needed)
        return min(lost, default=None)


def past_of(job: Job) -> int:
    """How far *job* has got by now; that it started once is not undone by a requeue."""
    past = KNOWN
    if job.start_time is not None or job.requeues:
        past |= STARTED
    if job.end_time is not None:
        past |= ENDED | (DONE if job.state is JobState.DONE else 0)
    return past
