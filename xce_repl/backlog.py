"""Which jobs are pending, kept as ranges of ids, so that a line about them costs little."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from xce_core.model.jobs import Job, JobState, Seconds
from xce_core.sim.events import JobAct, JobChange
from xce_core.sim.observer import Happening, Observer
from xce_core.sim.replay import Replay

ITEMS = 8
"""How many ranges a line shows."""

_PENDING = JobState.PENDING


Refusal = tuple[str, Seconds, str]
"""A job that was refused when it came, when that was, and why."""


class Ranges:
    """A set of numbers as the ranges that it consists of, each with its text."""

    __slots__ = ("_firsts", "_lasts", "_texts")

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        self._texts: list[str] = []

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def add(self, number: int) -> bool:
        """Put *number* in; False if it was there."""
        firsts, lasts = self._firsts, self._lasts
        at = bisect_right(firsts, number)
        if at and lasts[at - 1] >= number:
            return False
        joins_before = at > 0 and lasts[at - 1] == number - 1
        joins_after = at < len(firsts) and firsts[at] == number + 1
        if joins_before and joins_after:
            self._set(at - 1, firsts[at - 1], lasts[at])
            self._delete(at)
        elif joins_before:
            self._set(at - 1, firsts[at - 1], number)
        elif joins_after:
            self._set(at, number, lasts[at])
        else:
            self._insert(at, number, number)
        return True

    def remove(self, number: int) -> bool:
        """Take *number* out; False if it was not there."""
        firsts, lasts = self._firsts, self._lasts
        at = bisect_right(firsts, number) - 1
        if at < 0 or lasts[at] < number:
            return False
        first, last = firsts[at], lasts[at]
        if first == last:
            self._delete(at)
        elif number == first:
            self._set(at, number + 1, last)
        else:
            self._set(at, first, number - 1)
            if number < last:
                self._insert(at + 1, number + 1, last)
        return True

    def _set(self, at: int, first: int, last: int) -> None:
        self._firsts[at], self._lasts[at] = first, last
        self._texts[at] = str(first) if first == last else f"{first}-{last}"

    def _insert(self, at: int, first: int, last: int) -> None:
        self._firsts.insert(at, first)
        self._lasts.insert(at, last)
        self._texts.insert(at, str(first) if first == last else f"{first}-{last}")

    def _delete(self, at: int) -> None:
        del self._firsts[at], self._lasts[at], self._texts[at]

    def items(self) -> list[tuple[int, str]]:
        """The first ranges, one more than are shown, each with its first number."""
        return list(zip(self._firsts[: ITEMS + 1], self._texts, strict=False))

    def text(self) -> str:
        """The first ranges, joined."""
        return joined(self._texts)


def joined(items: list[str]) -> str:
    """The first of *items*, as many as a line shows."""
    return ",".join(items if len(items) <= ITEMS else [*items[:ITEMS], "..."])


class Backlog(Observer):
    """The pending jobs of a replay, as they were when they were last settled.

    :ivar fresh: jobs that came in since, and need not be pending any more.
    :ivar signature: differs, but for an odd chance in 2**60, where the set of jobs does.
    :ivar early: the jobs refused before anybody listened.
    :ivar turned_away: told of each job that is refused when it comes.
    """

    def __init__(self) -> None:
        self.signature = 0
        self._count = 0
        self._plain = Ranges()
        self._arrays: dict[int, Ranges] = {}
        self.fresh: list[Job] = []
        self._replay: Replay | None = None
        self.early: list[Refusal] = []
        self.turned_away: Callable[[Refusal], None] = self.early.append

    def begun(self, replay: Replay) -> None:
        """From now on be told which jobs become pending."""
        self._replay = replay
        replay.scheduler.pending.entered = self.fresh.append

    def settle(self, started: list[Job]) -> None:
        """Take those in who came since the last time, and those out who *started*.

        Most jobs of a lightly loaded cluster start as they come, and cost next to nothing.
        """
        if self.fresh:
            for job in self.fresh:
                if job.state is _PENDING:
                    self._add(job)
            self.fresh.clear()
        if self._count:
            for job in started:
                self.remove(job)

    def _add(self, job: Job) -> None:
        if job.index < 0:
            new = self._plain.add(job.number)
        else:
            new = self._arrays.setdefault(job.number, Ranges()).add(job.index)
        if new:
            self._count += 1
            self.signature ^= hash((job.number, job.index))

    def remove(self, job: Job) -> None:
        """*job* is not pending any more, if it was."""
        if job.index < 0:
            was = self._plain.remove(job.number)
        else:
            array = self._arrays.get(job.number)
            was = array is not None and array.remove(job.index)
            if array is not None and not array:
                del self._arrays[job.number]
        if was:
            self._count -= 1
            self.signature ^= hash((job.number, job.index))

    def refused(self, job: Job, cause: str) -> None:
        """A job was turned away."""
        assert self._replay is not None
        self.turned_away((job.id, self._replay.now, cause))

    def happened(self, event: Happening) -> None:
        """A job may have been held, or made to wait."""
        if isinstance(event, (JobAct, JobChange)):
            assert self._replay is not None
            job = self._replay.scheduler.jobs.get(event.job)
            if job is not None and job.state is not _PENDING:
                self.remove(job)

    def text(self) -> str:
        """The pending jobs as a list such as ``4-9,12[1-30]``, cut if it is long."""
        text = self._mixed() if self._arrays else self._plain.text()
        return f"{text} ({self._count} jobs)" if text.endswith("...") else text

    def _mixed(self) -> str:
        items = self._plain.items()
        items += [
            (number, f"{number}[{self._arrays[number].text()}]")
            for number in sorted(self._arrays)[: ITEMS + 1]
        ]
        items.sort(key=lambda item: item[0])
        return joined([text for _, text in items])
