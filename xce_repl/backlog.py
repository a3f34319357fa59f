"""Which jobs are pending, kept as ranges of ids, so that a line about them costs little."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from xce_core.model.jobs import Job, JobState
from xce_core.sched.pending import Key, Pending
from xce_core.sim.events import JobAct, JobChange
from xce_core.sim.observer import Happening, Observer
from xce_core.sim.replay import Replay

ITEMS = 20
"""How many ranges a line shows."""

_PENDING = JobState.PENDING


class Ranges:
    """A set of numbers as the ranges that it consists of."""

    __slots__ = ("_firsts", "_lasts")

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []

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
            lasts[at - 1] = lasts.pop(at)
            del firsts[at]
        elif joins_before:
            lasts[at - 1] = number
        elif joins_after:
            firsts[at] = number
        else:
            firsts.insert(at, number)
            lasts.insert(at, number)
        return True

    def remove(self, number: int) -> bool:
        """Take *number* out; False if it was not there."""
        firsts, lasts = self._firsts, self._lasts
        at = bisect_right(firsts, number) - 1
        if at < 0 or lasts[at] < number:
            return False
        first, last = firsts[at], lasts[at]
        if first == last:
            del firsts[at], lasts[at]
        elif number == first:
            firsts[at] = number + 1
        elif number == last:
            lasts[at] = number - 1
        else:
            lasts[at] = number - 1
            firsts.insert(at + 1, number + 1)
            lasts.insert(at + 1, last)
        return True

    def items(self, most: int) -> list[str]:
        """At most *most* ranges, as texts."""
        return [
            str(first) if first == last else f"{first}-{last}"
            for first, last in zip(self._firsts[:most], self._lasts, strict=False)
        ]

    def begins(self, most: int) -> list[int]:
        """The first numbers of these."""
        return self._firsts[:most]

    def text(self, most: int) -> str:
        """At most *most* ranges, joined."""
        text = ",".join(self.items(most))
        return f"{text},..." if len(self._firsts) > most else text


class Backlog(Observer):
    """The pending jobs of a replay, as they were when they were last settled.

    :ivar signature: differs, but for an odd chance in 2**60, where the set of jobs does.
    """

    def __init__(self) -> None:
        self.signature = 0
        self._count = 0
        self._plain = Ranges()
        self._arrays: dict[int, Ranges] = {}
        self._fresh: list[Job] = []
        self._replay: Replay | None = None

    def begun(self, replay: Replay) -> None:
        """From now on be told which jobs become pending."""
        self._replay = replay
        replay.scheduler.pending = NotedPending(self._fresh.append)

    def settle(self, started: list[Job]) -> None:
        """Take those in who came since the last time, and those out who *started*.

        Most jobs of a lightly loaded cluster start as they come, and cost next to nothing.
        """
        for job in self._fresh:
            if job.state is _PENDING:
                self._add(job)
        self._fresh.clear()
        for job in started:
            self._remove(job)

    def _add(self, job: Job) -> None:
        if job.index < 0:
            new = self._plain.add(job.number)
        else:
            new = self._arrays.setdefault(job.number, Ranges()).add(job.index)
        if new:
            self._count += 1
            self.signature ^= hash((job.number, job.index))

    def _remove(self, job: Job) -> None:
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

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        """It may have been killed while it was pending."""
        if job.start_time is None:
            self._remove(job)

    def happened(self, event: Happening) -> None:
        """A job may have been held, or made to wait."""
        if isinstance(event, (JobAct, JobChange)):
            assert self._replay is not None
            job = self._replay.scheduler.jobs.get(event.job)
            if job is not None and job.state is not _PENDING:
                self._remove(job)

    def text(self) -> str:
        """The pending jobs as a list such as ``4-9,12[1-30]``, cut if it is long."""
        text = self._mixed() if self._arrays else self._plain.text(ITEMS)
        return f"{text} ({self._count} jobs)" if text.endswith("...") else text

    def _mixed(self) -> str:
        most = ITEMS + 1
        items = list(zip(self._plain.begins(most), self._plain.items(most), strict=True))
        items += [
            (number, f"{number}[{self._arrays[number].text(ITEMS)}]")
            for number in sorted(self._arrays)[:most]
        ]
        items.sort(key=lambda item: item[0])
        shown = [text for _, text in items[:ITEMS]]
        return ",".join([*shown, "..."] if len(items) > ITEMS else shown)


class NotedPending(Pending):
    """Pending jobs that tell who comes in."""

    def __init__(self, note: Callable[[Job], None]) -> None:
        super().__init__()
        self._note = note

    def add(self, job: Job, key: Key, line: object, strict: bool) -> None:
        """As ever, and tell."""
        super().add(job, key, line, strict)
        self._note(job)
