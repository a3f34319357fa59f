"""Looking on: the allocator's steps, announced to whoever watches a selection.

The steps themselves know nothing of it. A watched selection runs the same steps through
:class:`WatchedAllocator`, which announces each after it is done and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from xce_core.sched.scheduler import Scheduler


@dataclass(slots=True)
class Failures:
    """What plugins did wrong while they looked on, first of each kind first.

    :param report: told of each failure: plugin, hook, error in a line.
    """

    report: Callable[[str, str, str], None]

    def note(self, plugin: str, hook: str, error: Exception) -> None:
        """*plugin* raised *error* in *hook*."""
        self.report(plugin, hook, describe(error))


def announce(hook: Any, failures: Failures, /, **facts: object) -> None:
    """Tell every plugin; one that raises is noted and changes nothing.

    :param hook: a pluggy hook caller.
    """
    for impl in hook.get_hookimpls():
        try:
            impl.function(*(facts[name] for name in impl.argnames))
        except Exception as error:
            failures.note(impl.plugin_name, hook.name, error)


def ask_all(hook: Any, failures: Failures, /, **facts: object) -> list[Any]:
    """Ask every plugin; the answers of those that gave one, in order of registration."""
    answers = []
    for impl in hook.get_hookimpls():
        try:
            answer = impl.function(*(facts[name] for name in impl.argnames))
        except Exception as error:
            failures.note(impl.plugin_name, hook.name, error)
        else:
            if answer is not None:
                answers.append(answer)
    return answers


@dataclass(frozen=True, slots=True)
class Selected:
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
    remarks: Mapping[str, str] = field(default_factory=dict)
    limits: tuple[tuple[Limit, str], ...] | None = None
    known: bool = False


@dataclass(frozen=True, slots=True)
class Path:
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


class Seams:
    """The way from the scheduler to those who look on.

    :param hooks: a pluggy hook relay on which the seam specifications are registered.
    """

    def __init__(self, hooks: Any, failures: Failures) -> None:
        self.hooks = hooks
        self.failures = failures
        self._position = 0

    def tell(self, hook: str, /, **facts: object) -> None:
        """Announce something; nothing comes back."""
        announce(getattr(self.hooks, hook), self.failures, **facts)

    def session_begun(self, number: int, time: Seconds) -> None:
        """A session begins: selections are counted from 1."""
        self._position = 0
        self.tell("xce_session_begun", number=number, time=time)

    def session_ended(self, number: int, time: Seconds) -> None:
        """The session is over."""
        self.tell("xce_session_ended", number=number, time=time)

    def select(self, scheduler: Scheduler, choice: object, session: Session) -> Outcome:
        """Decide *choice*, announced step by step if anybody wants to watch it."""
        self._position += 1
        job = choice.job if isinstance(choice, HoldBack) else choice
        job_id = job.id if isinstance(job, Job) else str(job)
        wants = self.hooks.xce_wants_watch
        if not any(ask_all(wants, self.failures, job=job_id)):
            return scheduler.decide(choice, session.time, scheduler.allocator)
        facts = self._selected(scheduler, job, job_id, session)
        self.tell("xce_selection_begun", selected=facts)
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
            self.failures.note(policy.name, "remarks", error)
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


class WatchedAllocator(Allocator):
    """An allocator whose steps are announced. It finds what the plain one finds."""

    def __init__(self, plain: Allocator, seams: Seams) -> None:
        super().__init__(
            plain.ledger, plain.generators, plain.host_order, plain.order_name, plain.report
        )
        self._tell = seams.tell
        self._path = Path(Shape.SINGLE, 1, 1, 0, 0)
        self._wanted: SchedulingObject | None = None
        self._why: list[Reason] = []
        self._position = 1
        self._filled: list[int] = []
        self._plan = 0
        self._tried = 0
        self._discarded = 0
        self._offered_by = ""
        self._scan_error = ""

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
        self._why = []
        shape, count = self._wanted.requirement.shape, len(self._wanted.alternatives)
        self._path = Path(shape, number + 1, count, 0, len(members))
        if not members:
            self._tell("xce_alternative_skipped", path=self._path)
            return None
        with self._requirement(self._path, None) as end:
            placed = super().attempt(members, number)
            end["satisfied"] = placed is not None
            if placed is None:
                self._tell("xce_attempt_failed", path=self._path, reasons=tuple(self._why))
        return placed

    @contextmanager
    def _requirement(self, path: Path, primary: Primary | None) -> Iterator[dict[str, Any]]:
        """Begin and end of a requirement, one end on every way out."""
        self._tell("xce_requirement_begun", path=path, primary=primary)
        end: dict[str, Any] = {"satisfied": False, "error": ""}
        try:
            yield end
        except Exception as error:
            end["error"] = describe(error)
            raise
        finally:
            self._tell("xce_requirement_ended", path=path, **end)

    def place(self, ask: Ask, member: int, claims: Claims) -> tuple[Placement, ...] | None:
        """As the plain one; begin and end of the member."""
        whole = self._path
        path = Path(whole.shape, whole.alternative, whole.alternatives, member + 1, whole.members)
        with self._requirement(path, ask.primary) as end:
            placements = super().place(ask, member, claims)
            end["satisfied"] = placements is not None
            if placements is None:
                self._why = ask_reasons(ask)
        return placements

    def room(self, ask: Ask, claims: Claims) -> int:
        """As the plain one; the rows of the check."""
        tasks = super().room(ask, claims)
        passed = tasks >= ask.primary.tasks_min
        self._tell("xce_cluster_checked", rows=cluster_rows(ask, claims), passed=passed)
        return tasks

    def hopeless(self, ask: Ask) -> bool:
        """Never: a plan is tried, so that it tells what is missing."""
        return False

    def search(
        self, ask: Ask, member: int, tasks: int, claims: Claims
    ) -> tuple[Placement, ...] | None:
        """As the plain one; the count of plans at the end."""
        self._plan = self._tried = self._discarded = 0
        placements = None
        try:
            placements = super().search(ask, member, tasks, claims)
        finally:
            self._tell(
                "xce_search_ended",
                generated=self._tried + self._discarded,
                tried=self._tried,
                discarded=self._discarded,
                placed=placements is not None,
            )
        return placements

    def guarded(self, generator: PlanGenerator, ask: Ask, tasks: int) -> Iterator[Plan]:
        """As the plain one; whose plans these are."""
        self._offered_by = generator.name
        yield from super().guarded(generator, ask, tasks)

    def declined(self, generator: PlanGenerator) -> None:
        """Announced."""
        self._tell("xce_generator_declined", generator=generator.name)

    def failed(self, generator: PlanGenerator, error: Exception) -> None:
        """Announced."""
        super().failed(generator, error)
        self._tell("xce_generator_failed", generator=generator.name, error=describe(error))

    def discarded(self, generator: PlanGenerator, plan: object) -> None:
        """Announced."""
        super().discarded(generator, plan)
        self._discarded += 1
        self._plan += 1
        self._tell(
            "xce_plan_discarded", number=self._plan, generator=generator.name, plan=repr(plan)[:200]
        )

    def try_plan(
        self, ask: Ask, member: int, plan: Plan, claims: Claims
    ) -> tuple[Placement, ...] | None:
        """As the plain one; begin and end of the plan, hosts released, the commit."""
        self._plan += 1
        self._tried += 1
        self._position = 1
        self._filled = []
        self._tell("xce_plan_begun", number=self._plan, plan=plan)
        placements, problem = None, ""
        try:
            placements = super().try_plan(ask, member, plan, claims)
        except Exception as error:
            problem = describe(error)
            raise
        finally:
            names = self._names(self._filled)
            if placements is None and names:
                self._tell("xce_plan_rolled_back", hosts=names)
            unfilled = 0 if len(names) == plan.positions else self._position
            self._tell(
                "xce_plan_ended",
                number=self._plan,
                placed=placements is not None,
                failed_position=0 if placements is not None else unfilled,
                error=problem,
            )
            if placements is not None:
                self._tell("xce_plan_committed", number=self._plan)
        return placements

    def scan_failed(self, error: Exception) -> None:
        """Kept for the scan that is announced next."""
        super().scan_failed(error)
        self._scan_error = describe(error)

    def fill(
        self, ask: Ask, tasks: int, count: int, first: bool, claimed: int, claims: Claims
    ) -> int:
        """As the plain one; what the positions saw."""
        self._scan_error = ""
        hosts = super().fill(ask, tasks, count, first, claimed, claims)
        taken = hosts or self._most(ask, tasks, count, first, claimed)
        found = tuple(indexes(taken))
        scan = Scan(
            self.ledger,
            claims,
            ask,
            tasks,
            first,
            self._position,
            count,
            claimed,
            found,
            self.host_order is None,
            self._scan_error,
        )
        self._tell("xce_positions_scanned", scan=scan)
        self._filled += found
        self._position += len(found)
        return hosts

    def _most(self, ask: Ask, tasks: int, count: int, first: bool, claimed: int) -> int:
        """The hosts that a run found before it ran out of them."""
        if self._scan_error:
            return 0
        return up_to(ask.fitting(tasks, first) & ~claimed, count)

    def _names(self, hosts: list[int]) -> tuple[str, ...]:
        return tuple(self.ledger.cluster.hosts[index].name for index in hosts)
