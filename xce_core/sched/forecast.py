"""A look ahead: what fits once running jobs have ended as expected, and who starts then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

from xce_core.model.decisions import Allocation
from xce_core.model.jobs import Job, Seconds, seconds_sum
from xce_core.sched.expected_ends import ExpectedEnd
from xce_core.sched.resolve import SchedulingObject, slots_held
from xce_core.sched.shadow import ShadowCluster

if TYPE_CHECKING:
    from xce_core.sched.scheduler import Scheduler


_STAYS = "a forecast goes only forward, and not once it holds promises"


class Forecast:
    """A time to come, by which running jobs have ended as expected and where some jobs start.

    It begins now and goes forward with :meth:`until` and :meth:`earliest`. In it, running jobs
    that are expected to end by its time have ended; those behind their time limit end at once.
    What is promised a place with :meth:`start` has it from that time on. It is good for one
    session, and is to be told with :meth:`started` of each job that starts meanwhile.

    :ivar time: the time that it has got to.
    :ivar window: how long that is from now.
    :ivar promised: the jobs that start then, in the order in which they were promised to.
    """

    __slots__ = (
        "_ended",
        "_held",
        "_known",
        "_now",
        "_scheduler",
        "_searched",
        "_spare",
        "promised",
        "time",
        "window",
    )

    def __init__(self, scheduler: Scheduler, now: Seconds) -> None:
        self.time = now
        self.window: Seconds = 0
        self.promised: list[Job] = []
        self._now = now
        self._scheduler = scheduler
        self._ended: list[Job] = []
        self._searched = False
        # What is left then, as a number: as long as only jobs are asked about that want slots
        # anywhere and nothing else, there is no need of a shadow cluster.
        self._spare = scheduler.ledger.free_slots()
        if self._spare < 0:
            self._searched = True
            return
        for end, _, _, held, _ in scheduler.ends.entries:
            if end > now:
                break
            self._spare += held

    # Going forward.

    def earliest(self, job: Job) -> Seconds | None:
        """Go forward to the first time at which *job* fits.

        All jobs that are expected to end by then have ended then, also those of the same second.

        :returns: that time; None, and the forecast stays where it was, if there is none.
        :raises ValueError: if that is not now, and something was promised already.
        """
        if self.fits(job):
            return self.time
        if self.promised:
            raise ValueError(_STAYS)
        slots = self._counted(job)
        if slots:
            return self._count_to(slots)
        began = self.time
        for time in self._times():
            self.until(time)
            if self.fits(job):
                return time
        self._move(began)
        self._stand(self._scheduler.shadow())
        return None

    def until(self, time: Seconds) -> None:
        """Go forward to *time*.

        :raises ValueError: if it lies back, or something was promised already.
        """
        if time < self.time or self.promised:
            raise ValueError(_STAYS)
        shadow = self._shadow() if self._searched else None
        ended = list(self._ending(time))
        self._move(time)
        for _, _, _, held, job in ended:
            if shadow is None:
                self._spare += held
            elif job.allocation is not None:
                shadow.release(job, job.allocation)

    def _move(self, time: Seconds) -> None:
        self.time = time
        self.window = inf if time == inf else seconds_sum(time, -self._now)

    def _ending(self, time: Seconds) -> Iterator[ExpectedEnd]:
        """Who is expected to end after the present time of the forecast, and by *time*."""
        entries = self._scheduler.ends.entries
        for entry in islice(entries, bisect_right(entries, (self.time, inf)), None):
            if entry.end > time:
                break
            yield entry

    def _times(self) -> list[Seconds]:
        """The times to come at which somebody is expected to end, in order."""
        times = dict.fromkeys(entry.end for entry in self._ending(inf))
        times.pop(inf, None)
        return list(times)

    def _count_to(self, slots: int) -> Seconds | None:
        """:meth:`earliest` of a job that does not fit yet, where counting slots is enough."""
        spare, time = self._spare, self.time
        entries = self._scheduler.ends.entries
        for end, _, _, held, _ in islice(entries, bisect_right(entries, (time, inf)), None):
            if end > time:
                if spare >= slots:
                    break
                time = end
            spare += held
        if spare < slots or time == inf:
            return None
        self._spare = spare
        self._move(time)
        return time

    # What fits then.

    def fits(self, job: Job) -> bool:
        """Whether *job* fits at the forecast's time, beside what was promised."""
        slots = self._counted(job)
        if slots:
            return slots <= self._spare
        shadow = self._shadow()
        allocation = shadow.place(job)
        if allocation is not None:
            shadow.release(job, allocation)
        return allocation is not None

    def start(self, job: Job) -> bool:
        """Promise *job* its place at the forecast's time; False if it does not fit then."""
        slots = self._counted(job)
        if slots:
            if slots > self._spare:
                return False
            self._spare -= slots
        else:
            allocation = self._shadow().place(job)
            if allocation is None:
                return False
            self._held.append(allocation)
        self.promised.append(job)
        return True

    def end(self, job: Job) -> None:
        """A running *job* that is expected to go on longer has ended by then all the same."""
        self._ended.append(job)
        if not self._searched:
            self._spare += slots_held(job)
        else:
            self._stand(self._scheduler.shadow())

    # What may be started now.

    def over_by_then(self, job: Job) -> bool:
        """Whether *job*, started now, is expected to be over by the forecast's time."""
        return job.time_limit is not None and job.time_limit <= self.window

    def allows(self, job: Job) -> bool:
        """Whether *job* could start now and leave everybody a place who was promised one."""
        return self.over_by_then(job) or self.leaves_room(job)

    def leaves_room(self, job: Job) -> bool:
        """Whether *job* could start now and never end, and leave everybody promised a place.

        It is measured by the hosts that it would be given now.
        """
        slots = self._counted(job)
        if slots:
            return slots <= self._spare
        allocation = self._scheduler.would_get(job)
        if allocation is None:
            return False
        shadow = self._shadow()
        held = self._held
        allowed = self._make_room(shadow, job, allocation)
        self._give_up(shadow)
        shadow.release(job, allocation)
        self._take(shadow, held)
        return allowed

    def started(self, job: Job) -> None:
        """*job* has started in this session; unless it is over by then, its hosts are taken.

        Who was promised a place keeps one, if there is any left beside it.
        """
        if self.over_by_then(job) or job.allocation is None:
            return
        if not self._searched:
            self._spare -= slots_held(job)
            return
        shadow, held = self._shadow(), self._held
        if job.id in self._known:
            return
        self._known.add(job.id)
        if not self._make_room(shadow, job, job.allocation):
            self._give_up(shadow)
            self._take(shadow, held)

    # The shadow cluster, of which there is one for all forecasts.

    def _counted(self, job: Job) -> int:
        """The slots of *job* if counting is enough; 0 if the shadow cluster has to be asked."""
        wanted = job.sched
        if not self._searched:
            slots = wanted.slots_only if isinstance(wanted, SchedulingObject) else 0
            if slots:
                return slots
            self._searched = True
        return 0

    def _shadow(self) -> ShadowCluster:
        """The shadow cluster, standing as this forecast does."""
        shadow = self._scheduler.shadow()
        if shadow.owner is not self:
            self._stand(shadow)
        return shadow

    def _stand(self, shadow: ShadowCluster) -> None:
        """Have the shadow cluster stand as this forecast does.

        A job that was promised a place by a mere count, and can't have one, is left out.
        """
        shadow.owner = self
        shadow.sync()
        running = self._scheduler.running
        self._known = set(running)
        over = [entry.job for entry in self._scheduler.ends.entries if entry.end <= self.time]
        for job in dict.fromkeys((*over, *self._ended)):
            if job.allocation is not None and job.id in running:
                shadow.release(job, job.allocation)
        placed = [(job, shadow.place(job)) for job in self.promised]
        self.promised = [job for job, held in placed if held is not None]
        self._held = [held for _, held in placed if held is not None]

    def _make_room(self, shadow: ShadowCluster, job: Job, allocation: Allocation) -> bool:
        """Book *job*, and find the promised jobs new places beside it; whether all have one."""
        self._give_up(shadow)
        shadow.book(job, allocation)
        self._held = []
        for promised in self.promised:
            place = shadow.place(promised)
            if place is None:
                return False
            self._held.append(place)
        return True

    def _give_up(self, shadow: ShadowCluster) -> None:
        for job, allocation in zip(self.promised, self._held, strict=False):
            shadow.release(job, allocation)

    def _take(self, shadow: ShadowCluster, held: list[Allocation]) -> None:
        for job, allocation in zip(self.promised, held, strict=False):
            shadow.book(job, allocation)
        self._held = held
