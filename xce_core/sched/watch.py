"""Looking on: the allocator's steps, announced to whoever watches a selection.

The steps themselves know nothing of it. A watched selection runs the same steps through
:class:`WatchedAllocator`, which announces each after it is done and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from xce_core.model.cluster import indexes
from xce_core.model.decisions import Allocation, Dispatch, Placement
from xce_core.model.jobs import Job, Seconds
from xce_core.model.limits import Limit
from xce_core.model.plans import Plan
from xce_core.model.reasons import Reason
from xce_core.model.requests import Primary, Shape
from xce_core.sched.allocator import Allocator, describe, up_to
from xce_core.sched.ask import Ask
from xce_core.sched.generators import PlanGenerator
from xce_core.sched.ledger import Claims
from xce_core.sched.policy import HoldBack, NoDecision, Outcome, Session
from xce_core.sched.refusal import ask_reasons
from xce_core.sched.resolve import SchedulingObject
from xce_core.sched.scan import Scan, cluster_rows
from xce_core.sched.scheduler import choice_text

if TYPE_CHECKING:
    from xce_core.sched.scheduler import Scheduler


_FAILED = "xce_watcher_failed"


@dataclass(slots=True)
class Failures:
    """What plugins did wrong while they looked on, first of each kind first.

    :param report: told of each failure: plugin, hook, error in a line.
    """

    report: Callable[[str, str, str], None]

    def note(self, plugin: str, hook: str, error: Exception) -> None:
        """*plugin* raised *error* in *hook*."""
        self.report(plugin, hook, describe(error))


class Selected(NamedTuple):
    """A selection as it begins.

    :param job: the id that the policy chose.
    :param position: 1 for the first selection of the session.
    :param queue_priority: None if the job is not known.
    :param limits: the cluster-wide limits that match the job, each with its scope instance;
        None if the job has no scheduling object.
    :param remarks: the policy's own keys.
    """

    job: str
    session: int
    time: Seconds
    position: int
    policy: str
    queue: str = ""
    queue_priority: int | None = None
    priority: int | None = None
    queue_time: Seconds | None = None
    remarks: Mapping[str, str] = MappingProxyType({})
    limits: tuple[tuple[Limit, str], ...] | None = None
    known: bool = False


class Path(NamedTuple):
    """Which requirement is meant.

    :param shape: how the job wrote its requirement.
    :param alternative: from 1, of *alternatives*.
    :param member: from 1, of *members*; 0 for the alternative or compound as a whole.
    """

    shape: Shape
    alternative: int
    alternatives: int
    member: int
    members: int


class _Call(NamedTuple):
    """How one plugin is told in one hook: its function, and which of the facts it takes."""

    plugin: str
    function: Callable[..., Any]
    names: tuple[str, ...]


class Seams:
    """The way from the scheduler to those who look on.

    :param hooks: a pluggy hook relay on which the seam specifications, and every plugin that
        takes part, are registered.
    """

    def __init__(self, hooks: Any, failures: Failures) -> None:
        self.hooks = hooks
        self.failures = failures
        self._position = 0
        self._calls: dict[str, list[_Call]] = {}
        self._watching: list[tuple[str, Callable[[str], bool]]] = []

    def tell(self, hook: str, /, **facts: object) -> None:
        """Announce something; nothing comes back."""
        for plugin, function, names in self._calls.get(hook) or self._look_up(hook):
            try:
                function(*map(facts.__getitem__, names))
            except Exception as error:
                self.failed(plugin, hook, error)

    def failed(self, plugin: str, hook: str, error: Exception) -> None:
        """*plugin* raised in *hook*: it is reported, and the others are told."""
        self.failures.note(plugin, hook, error)
        if hook != _FAILED:
            self.tell(_FAILED, plugin=plugin, hook=hook, error=describe(error))

    def _look_up(self, hook: str) -> list[_Call]:
        """Who implements *hook*, by name of the plugin; kept for the next time."""
        if hook not in self._calls:
            impls = getattr(self.hooks, hook).get_hookimpls()
            self._calls[hook] = [
                _Call(impl.plugin_name, impl.function, impl.argnames)
                for impl in sorted(impls, key=lambda impl: str(impl.plugin_name))
            ]
        return self._calls[hook]

    def session_begun(self, number: int, time: Seconds) -> None:
        """A session begins: selections are counted from 1."""
        self._position = 0
        self.tell("xce_session_begun", number=number, time=time)
        self._watching = []
        for plugin, function, names in self._look_up("xce_wants_watch"):
            try:
                wants = function(*[number for _ in names])
            except Exception as error:
                self.failed(plugin, "xce_wants_watch", error)
            else:
                if wants is not None:
                    self._watching.append((plugin, wants))

    def session_ended(self, number: int, time: Seconds) -> None:
        """The session is over, or was broken off."""
        self._watching = []
        self.tell("xce_session_ended", number=number, time=time)

    @property
    def watching(self) -> bool:
        """Whether any selection of the session in progress may be watched."""
        return bool(self._watching)

    def select(self, scheduler: Scheduler, choice: object, session: Session) -> Outcome:
        """Decide *choice*, announced step by step if anybody wants to watch it."""
        self._position += 1
        job = choice.job if isinstance(choice, HoldBack) else choice
        job_id = job.id if isinstance(job, Job) else choice_text(job)
        if self._wanted(job_id):
            return self._watched(scheduler, choice, session, job, job_id)
        return scheduler.decide(choice, session.time, scheduler.allocator)

    def _wanted(self, job_id: str) -> bool:
        """Whether anybody wants to watch a selection of *job_id*."""
        wanted = False
        for plugin, wants in self._watching:
            try:
                wanted = bool(wants(job_id)) or wanted
            except Exception as error:
                self.failed(plugin, "xce_wants_watch", error)
        return wanted

    def _watched(
        self, scheduler: Scheduler, choice: object, session: Session, job: object, job_id: str
    ) -> Outcome:
        facts = self._selected(scheduler, job, job_id, session)
        self.tell("xce_selection_begun", selected=facts, cluster=scheduler.cluster)
        watched = WatchedAllocator(scheduler.allocator, self)
        outcome: Outcome = NoDecision(job_id, "internal error", "the selection was broken off")
        try:
            outcome = scheduler.decide(choice, session.time, watched)
        finally:
            self.tell(
                "xce_selection_ended",
                outcome=outcome,
                job=job if isinstance(job, Job) else None,
                cluster=scheduler.cluster,
            )
        return outcome

    def taken_over(self, scheduler: Scheduler, dispatch: Dispatch, session: int) -> None:
        """A dispatch was rebuilt from the recording."""
        self.tell(
            "xce_dispatch_taken_over",
            dispatch=dispatch,
            session=session,
            cluster=scheduler.cluster,
        )

    def _selected(
        self, scheduler: Scheduler, job: object, job_id: str, session: Session
    ) -> Selected:
        policy = scheduler.policy
        if not isinstance(job, Job) or scheduler.jobs.get(job.id) is not job:
            return Selected(job_id, session.number, session.time, self._position, policy.name)
        queue = scheduler.cluster.queues.get(job.queue)
        limits = None
        if isinstance(job.sched, SchedulingObject):
            limits = tuple(pair for pair in job.sched.limits if not pair[0].by_host)
        try:
            remarks = dict(policy.remarks(job, queue)) if queue is not None else {}
        except Exception as error:
            self.failed(policy.name, "remarks", error)
            remarks = {}
        return Selected(
            job_id,
            session.number,
            session.time,
            self._position,
            policy.name,
            job.queue,
            queue.priority if queue is not None else None,
            job.priority,
            job.queue_time,
            remarks,
            limits,
            True,
        )


class _Requirement:
    """Begin and end of a requirement, one end on every way out.

    :ivar satisfied: whether everything in it was claimed.
    """

    __slots__ = ("_path", "_primary", "_tell", "satisfied")

    def __init__(self, tell: Callable[..., None], path: Path, primary: Primary | None) -> None:
        self._tell = tell
        self._path = path
        self._primary = primary
        self.satisfied = False

    def __enter__(self) -> _Requirement:
        self._tell("xce_requirement_begun", path=self._path, primary=self._primary)
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        problem = describe(error) if isinstance(error, Exception) else ""
        self._tell(
            "xce_requirement_ended", path=self._path, satisfied=self.satisfied, error=problem
        )


class WatchedAllocator(Allocator):
    """An allocator whose steps are announced. It finds what the plain one finds.

    What goes wrong while facts are put together for those who look on is noted like the
    failure of a plugin named ``core``; the search does not feel it.
    """

    def __init__(self, plain: Allocator, seams: Seams) -> None:
        super().__init__(
            plain.ledger, plain.generators, plain.host_order, plain.order_name, plain.report
        )
        self._seams = seams
        self._tell = seams.tell
        self._path = Path(Shape.SINGLE, 1, 1, 0, 0)
        self._wanted: SchedulingObject | None = None
        self._why: list[Reason] = []
        self._placed = False  # the member is placed and not claimed yet
        self._members: list[int] = []
        self._filled = 0
        self._plan = self._tried = self._discarded = self._not_tried = 0
        self._offered_by = ""
        self._scan_error = ""

    def _tell_of(self, hook: str, facts: Callable[[], dict[str, object]]) -> None:
        """Announce what has to be worked out first."""
        try:
            found = facts()
        except Exception as error:
            self._seams.failed("core", hook, error)
        else:
            self._tell(hook, **found)

    # Requirements.

    def allocate(self, wanted: SchedulingObject) -> Allocation | None:
        """As the plain one; the alternative chosen is announced."""
        self._wanted = wanted
        allocation = super().allocate(wanted)
        self._tell(
            "xce_alternatives_ended",
            path=Path(wanted.requirement.shape, 0, len(wanted.alternatives), 0, 0),
            chosen=0 if allocation is None else allocation.alternative + 1,
        )
        return allocation

    def attempt(self, members: tuple[Ask, ...], number: int) -> tuple[Placement, ...] | None:
        """As the plain one; begin and end of the alternative, and why it failed."""
        assert self._wanted is not None
        shape, count = self._wanted.requirement.shape, len(self._wanted.alternatives)
        self._path = Path(shape, number + 1, count, 0, len(members))
        if not members:
            self._tell("xce_alternative_skipped", path=self._path)
            return None
        self._why, self._members, self._placed = [], [], False
        with _Requirement(self._tell, self._path, None) as end:
            placed = None
            try:
                placed = super().attempt(members, number)
            except Exception as error:
                if self._placed:
                    last = self._member_path(len(self._members))
                    self._tell("xce_claim_failed", path=last, error=describe(error))
                raise
            finally:
                end.satisfied = placed is not None
                if placed is None:
                    self._release(len(members))
            if placed is None:
                self._tell("xce_attempt_failed", path=self._path, reasons=tuple(self._why))
        return placed

    def _release(self, members: int) -> None:
        """Announce the hosts that members had claimed, and gave back."""
        claimed = self._members[:-1] if self._placed else self._members
        if claimed and members > 1:
            hosts = 0
            for mask in claimed:
                hosts |= mask
            self._tell("xce_members_released", path=self._path, hosts=hosts)

    def _member_path(self, member: int) -> Path:
        whole = self._path
        return Path(whole.shape, whole.alternative, whole.alternatives, member, whole.members)

    def place(self, ask: Ask, member: int, claims: Claims) -> tuple[Placement, ...] | None:
        """As the plain one; begin and end of the member."""
        self._placed = False
        with _Requirement(self._tell, self._member_path(member + 1), ask.primary) as end:
            placements = super().place(ask, member, claims)
            end.satisfied = placements is not None
            if placements is None:
                self._note_reasons(ask)
        if placements is not None:
            self._placed = True
            self._members.append(Allocation(placements).hosts)
        return placements

    def _note_reasons(self, ask: Ask) -> None:
        """Keep why the member can't be placed, while what others reserve is still taken."""
        try:
            self._why = ask_reasons(ask)
        except Exception as error:
            self._seams.failed("core", "xce_attempt_failed", error)

    # The cluster-wide check and plans.

    def room(self, ask: Ask, claims: Claims) -> int:
        """As the plain one; the rows of the check."""
        tasks = super().room(ask, claims)
        self._tell_of(
            "xce_cluster_checked",
            lambda: {
                "rows": cluster_rows(ask, claims, ask.primary.tasks_min, 1),
                "passed": tasks >= ask.primary.tasks_min,
            },
        )
        return tasks

    def hopeless(self, ask: Ask) -> bool:
        """Never: a plan is tried, so that it tells what is missing."""
        return False

    def search(
        self, ask: Ask, member: int, tasks: int, claims: Claims
    ) -> tuple[Placement, ...] | None:
        """As the plain one; the count of plans at the end."""
        self._plan = self._tried = self._discarded = self._not_tried = 0
        placements = None
        try:
            placements = super().search(ask, member, tasks, claims)
        finally:
            self._tell(
                "xce_search_ended",
                generated=self._plan,
                tried=self._tried,
                discarded=self._discarded,
                not_tried=self._not_tried,
                placed=placements is not None,
            )
        return placements

    def offered(self, generator: PlanGenerator, ask: Ask, tasks: int) -> Iterable[Plan]:
        """As the plain one; whose plans these are."""
        self._offered_by = _name_of(generator)
        return super().offered(generator, ask, tasks)

    def declined(self, generator: PlanGenerator) -> None:
        """Announced."""
        self._tell("xce_generator_declined", generator=_name_of(generator))

    def failed(self, generator: PlanGenerator, error: Exception) -> None:
        """Announced."""
        super().failed(generator, error)
        self._tell(
            "xce_generator_failed", generator=_name_of(generator), error=describe(error)
        )

    def discarded(self, generator: PlanGenerator, plan: object) -> None:
        """Announced."""
        super().discarded(generator, plan)
        self._discarded += 1
        self._plan += 1
        self._tell_of(
            "xce_plan_discarded",
            lambda: {
                "number": self._plan,
                "generator": _name_of(generator),
                "plan": " ".join(repr(plan).split())[:200],
            },
        )

    def not_tried(self, generator: PlanGenerator, error: Exception) -> None:
        """Announced."""
        super().not_tried(generator, error)
        self._not_tried += 1
        self._plan += 1
        self._tell(
            "xce_plan_not_tried",
            number=self._plan,
            generator=_name_of(generator),
            error=describe(error),
        )

    def try_plan(
        self, ask: Ask, member: int, plan: Plan, claims: Claims
    ) -> tuple[Placement, ...] | None:
        """As the plain one; begin and end of the plan, hosts released, the commit."""
        self._plan += 1
        self._tried += 1
        self._filled = 0
        number = self._plan
        self._tell("xce_plan_begun", number=number, generator=self._offered_by, plan=plan)
        placements, problem = None, ""
        try:
            placements = super().try_plan(ask, member, plan, claims)
        except Exception as error:
            problem = describe(error)
            raise
        finally:
            if placements is None:
                self._plan_failed(ask, plan, claims, problem)
            else:
                self._tell(
                    "xce_plan_ended", number=number, placed=True, failed_position=0, error=""
                )
                self._tell("xce_plan_committed", number=number)
        return placements

    def _plan_failed(self, ask: Ask, plan: Plan, claims: Claims, problem: str) -> None:
        """Announce where a plan failed, and what it gives back."""
        filled = self._filled.bit_count()
        complete = filled == plan.positions
        if complete and not problem:
            self._tell_of(
                "xce_plan_checked",
                lambda: {
                    "plan": plan,
                    "rows": cluster_rows(ask, claims, plan.tasks, plan.positions),
                },
            )
        if filled:
            self._tell("xce_plan_rolled_back", hosts=self._filled)
        self._tell(
            "xce_plan_ended",
            number=self._plan,
            placed=False,
            failed_position=0 if complete else filled + 1,
            error=problem,
        )

    # Hosts.

    def scan_failed(self, error: Exception) -> None:
        """Kept for the scan that is announced next."""
        super().scan_failed(error)
        self._scan_error = describe(error)

    def fill(
        self, ask: Ask, tasks: int, count: int, first: bool, claimed: int, claims: Claims
    ) -> int:
        """As the plain one; what the positions saw."""
        self._scan_error = ""
        hosts = 0
        try:
            hosts = super().fill(ask, tasks, count, first, claimed, claims)
        except Exception as error:
            self._scan_error = describe(error)
            raise
        finally:
            self._tell_of(
                "xce_positions_scanned",
                lambda: {"scan": self._scan(ask, tasks, count, first, claimed, claims, hosts)},
            )
        return hosts

    def _scan(
        self,
        ask: Ask,
        tasks: int,
        count: int,
        first: bool,
        claimed: int,
        claims: Claims,
        hosts: int,
    ) -> Scan:
        """What the positions saw; the hosts found are noted."""
        if not hosts and not self._scan_error:  # those found before there were no more
            hosts = up_to(ask.fitting(tasks, first) & ~claimed, count)
        start = self._filled.bit_count() + 1
        self._filled |= hosts
        return Scan(
            self.ledger,
            claims,
            ask,
            tasks,
            first,
            start,
            count,
            claimed,
            tuple(indexes(hosts)),
            self.host_order is None,
            self._scan_error,
        )


def _name_of(generator: object) -> str:
    """What a generator calls itself, or its class if it does not say."""
    try:
        return str(generator.name)  # type: ignore[attr-defined]
    except Exception:
        return type(generator).__name__
