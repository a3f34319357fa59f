"""What is expected of the future: when running jobs end, and what fits once they have."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from xce_core.model.decisions import Allocation
from xce_core.model.jobs import Job, JobState, Seconds, seconds_sum
from xce_core.model.resources import SLOTS
from xce_core.sched.allocator import Allocator
from xce_core.sched.ledger import Ledger
from xce_core.sched.resolve import ResolveError, Resolver, SchedulingObject, by_member, slots_held

if TYPE_CHECKING:
    from xce_core.sched.scheduler import Scheduler


def expected_end(job: Job) -> Seconds:
    """When a started job is expected to end: its start and its time limit; ``inf`` if never.

    Never from its run time, which nobody can know. A job without a limit is not expected to
    end, nor is a suspended one: nobody knows when it goes on. The answer may lie in the past.
    """
    if job.time_limit is None or job.start_time is None or job.state is JobState.SUSPENDED:
        return inf
    return seconds_sum(job.start_time, job.time_limit)


class Expected(NamedTuple):
    """A job that holds an allocation, as a line of :class:`Ends`.

    :param end: :func:`expected_end`.
    :param slots: how many slots it gives back.
    """

    end: Seconds
    number: int
    element: int
    slots: int
    job: Job


class Ends:
    """The jobs that hold an allocation, by expected end, then by job id; kept up to date."""

    def __init__(self, running: Iterable[Job]) -> None:
        self._of: dict[str, Expected] = {}
        self.entries: list[Expected] = []
        for job in running:
            self.add(job)

    def add(self, job: Job) -> None:
        """*job* has started."""
        entry = Expected(expected_end(job), job.number, job.index, slots_held(job), job)
        self._of[job.id] = entry
        insort(self.entries, entry)

    def remove(self, job: Job) -> None:
        """*job* gives back what it holds."""
        del self.entries[bisect_left(self.entries, self._of.pop(job.id))]

    def changed(self, job: Job) -> None:
        """Something was done to a started *job* that its expected end depends on."""
        self.remove(job)
        self.add(job)


def slots_wanted(job: Job) -> int:
    """How many slots *job* asks for, at the fewest tasks, by the first of its alternatives."""
    wanted = job.sched
    if not isinstance(wanted, SchedulingObject) or not wanted.alternatives:
        return 0
    return sum(ask.slots(ask.primary.tasks_min) for ask in wanted.alternatives[0])


class Twin:
    """A second ledger of the same cluster, for what is not so but could be.

    It places jobs as the scheduler would, by the same plans and in the same host order.

    :ivar owner: the forecast that it stands as.
    """

    def __init__(self, live: Ledger, allocator: Allocator) -> None:
        self.owner: Forecast | None = None
        self._live = live
        self.ledger = Ledger(live.cluster)
        self._resolver = Resolver(live.cluster, self.ledger)
        self._allocator = allocator.on(self.ledger)

    def sync(self) -> None:
        """Become like the live ledger."""
        live, twin = self._live, self.ledger
        for name, column in live.columns.items():
            twin.columns[name].classes = dict(column.classes)
        for name, counter in live.counters.items():
            twin.counters[name].used = counter.used
        for by_host in live.limit_columns.values():
            assert by_host.limit is not None
            copy = twin.limit_column(by_host.limit, by_host.instance)
            copy.classes = dict(by_host.classes)
        for shared in live.limit_counters.values():
            assert shared.limit is not None
            twin.limit_counter(shared.limit, shared.instance).used = shared.used
        hosts, now = twin.hosts, live.hosts
        hosts.open, hosts.closed, hosts.down = now.open, now.closed, now.down
        hosts.changes += 1

    def book(self, job: Job, allocation: Allocation) -> None:
        """*job* holds *allocation*, whether it fits or not."""
        for ask, placements in by_member(self._resolver.resolve(job), allocation):
            self.ledger.claim(ask, placements)

    def release(self, job: Job, allocation: Allocation) -> None:
        """*job* gives *allocation* back."""
        for ask, placements in by_member(self._resolver.resolve(job), allocation):
            self.ledger.release(ask, placements)

    def place(self, job: Job) -> Allocation | None:
        """Claim a place for *job*; None, and nothing claimed, if there is none."""
        try:
            wanted = self._resolver.resolve(job)
        except ResolveError:
            return None
        return self._allocator.allocate(wanted)


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
        # anywhere and nothing else, there is no need of a second ledger.
        self._spare = free_slots(scheduler.ledger)
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
        self._stand(self._scheduler.twin())
        return None

    def until(self, time: Seconds) -> None:
        """Go forward to *time*.

        :raises ValueError: if it lies back, or something was promised already.
        """
        if time < self.time or self.promised:
            raise ValueError(_STAYS)
        twin = self._twin() if self._searched else None
        ended = list(self._ending(time))
        self._move(time)
        for _, _, _, held, job in ended:
            if twin is None:
                self._spare += held
            elif job.allocation is not None:
                twin.release(job, job.allocation)

    def _move(self, time: Seconds) -> None:
        self.time = time
        self.window = inf if time == inf else seconds_sum(time, -self._now)

    def _ending(self, time: Seconds) -> Iterator[Expected]:
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
        twin = self._twin()
        allocation = twin.place(job)
        if allocation is not None:
            twin.release(job, allocation)
        return allocation is not None

    def start(self, job: Job) -> bool:
        """Promise *job* its place at the forecast's time; False if it does not fit then."""
        slots = self._counted(job)
        if slots:
            if slots > self._spare:
                return False
            self._spare -= slots
        else:
            allocation = self._twin().place(job)
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
            self._stand(self._scheduler.twin())

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
        twin = self._twin()
        held = self._held
        allowed = self._make_room(twin, job, allocation)
        self._give_up(twin)
        twin.release(job, allocation)
        self._take(twin, held)
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
        twin, held = self._twin(), self._held
        if job.id in self._known:
            return
        self._known.add(job.id)
        if not self._make_room(twin, job, job.allocation):
            self._give_up(twin)
            self._take(twin, held)

    # The second ledger, of which there is one for all forecasts.

    def _counted(self, job: Job) -> int:
        """The slots of *job* if counting is enough; 0 if the second ledger has to be asked."""
        wanted = job.sched
        if not self._searched:
            slots = wanted.slots_only if isinstance(wanted, SchedulingObject) else 0
            if slots:
                return slots
            self._searched = True
        return 0

    def _twin(self) -> Twin:
        """The second ledger, standing as this forecast does."""
        twin = self._scheduler.twin()
        if twin.owner is not self:
            self._stand(twin)
        return twin

    def _stand(self, twin: Twin) -> None:
        """Have the second ledger stand as this forecast does.

        A job that was promised a place by a mere count, and can't have one, is left out.
        """
        twin.owner = self
        twin.sync()
        running = self._scheduler.running
        self._known = set(running)
        over = [entry.job for entry in self._scheduler.ends.entries if entry.end <= self.time]
        for job in dict.fromkeys((*over, *self._ended)):
            if job.allocation is not None and job.id in running:
                twin.release(job, job.allocation)
        placed = [(job, twin.place(job)) for job in self.promised]
        self.promised = [job for job, held in placed if held is not None]
        self._held = [held for _, held in placed if held is not None]

    def _make_room(self, twin: Twin, job: Job, allocation: Allocation) -> bool:
        """Book *job*, and find the promised jobs new places beside it; whether all have one."""
        self._give_up(twin)
        twin.book(job, allocation)
        self._held = []
        for promised in self.promised:
            place = twin.place(promised)
            if place is None:
                return False
            self._held.append(place)
        return True

    def _give_up(self, twin: Twin) -> None:
        for job, allocation in zip(self.promised, self._held, strict=False):
            twin.release(job, allocation)

    def _take(self, twin: Twin, held: list[Allocation]) -> None:
        for job, allocation in zip(self.promised, held, strict=False):
            twin.book(job, allocation)
        self._held = held


def free_slots(ledger: Ledger) -> int:
    """How many slots are left; -1 where their number alone does not tell what fits.

    That is so where a host is not open, or was given more than it has.
    """
    column = ledger.columns.get(SLOTS.name)
    if column is None or ledger.hosts.open != ledger.cluster.all_hosts:
        return -1
    free = 0
    for left, hosts in column.classes.items():
        if left < 0:
            return -1
        free += left * hosts.bit_count()
    return free
