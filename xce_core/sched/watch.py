"""Looking on: the allocator's steps, announced to whoever watches a selection.

The steps themselves know nothing of it. A watched selection runs the same steps through
:class:`WatchedAllocator`, which announces each after it is done and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from xce_core.model.decisions import Allocation, Placement
from xce_core.model.plans import Plan
from xce_core.model.reasons import Reason
from xce_core.model.requests import Shape
from xce_core.sched.allocator import Allocator, up_to
from xce_core.sched.ask import Ask
from xce_core.sched.facts import Path
from xce_core.sched.faults import FAULTS, describe, in_words
from xce_core.sched.generators import PlanGenerator
from xce_core.sched.ledger import Claims
from xce_core.sched.refusal import ask_reasons
from xce_core.sched.repeats import Repeats
from xce_core.sched.resolve import SchedulingObject
from xce_core.sched.rows import cluster_rows
from xce_core.sched.scan import Scan

if TYPE_CHECKING:
    from xce_core.sched.seams import Seams


_path = lru_cache(maxsize=1024)(Path)
"""The same few paths come again and again: one of each is made."""


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
        self._announce = seams.announce
        self._repeats = Repeats(seams.hooks, seams.failed)
        self._untold = False  # some facts could not be put together
        self._path = _path(Shape.SINGLE, 1, 1, 0, 0)
        self._wanted: SchedulingObject | None = None
        self._why: tuple[Reason, ...] = ()
        self._placed = False  # the member is placed and not claimed yet
        self._members: list[int] = []
        self._single = False
        self._filled = 0
        self._plan = self._tried = self._discarded = self._not_tried = 0
        self._offered_by = ""
        self._scan_error = ""

    def _work_out(self, seam: str, facts: Callable[[], tuple[object, ...]]) -> None:
        """Announce what has to be worked out first."""
        try:
            found = facts()
        except FAULTS as error:
            self._cannot_tell(seam, error)
        else:
            getattr(self._announce, seam)(*found)

    def _cannot_tell(self, seam: str, error: BaseException) -> None:
        """The facts that a seam tells could not be put together."""
        self._untold = True
        self._seams.failed("core", f"xce_{seam}", error)

    # Requirements.

    def allocate(self, wanted: SchedulingObject) -> Allocation | None:
        """As the plain one; the alternative chosen is announced.

        Plugins that have a say are asked anew each time. Claims of members that were given
        back count as changes, so that what they met is not told again when it is gone.
        """
        repeats, changes = self._repeats, self.ledger.hosts.changes
        if repeats.tell_again(wanted, changes):
            return None
        repeats.forget()
        self._announce = repeats.announce if self._core_only else self._seams.announce
        self._wanted, self._untold = wanted, False
        allocation = super().allocate(wanted)
        self._announce.alternatives_ended(
            _path(wanted.requirement.shape, 0, len(wanted.alternatives), 0, 0),
            0 if allocation is None else allocation.alternative + 1,
        )
        if self._core_only and allocation is None and not self._untold:
            repeats.keep(wanted, changes)
        else:
            repeats.forget()
        return allocation

    def attempt(self, members: tuple[Ask, ...], number: int) -> tuple[Placement, ...] | None:
        """As the plain one; begin and end of the alternative, and why it failed."""
        assert self._wanted is not None
        shape, count = self._wanted.requirement.shape, len(self._wanted.alternatives)
        path = self._path = _path(shape, number + 1, count, 0, len(members))
        announce = self._announce
        if not members:
            announce.alternative_skipped(path)
            return None
        self._why, self._members, self._placed = (), [], False
        self._single = shape is Shape.SINGLE  # there is no whole around its only member
        if not self._single:
            announce.requirement_begun(path, None)
        placed, problem = None, ""
        try:
            try:
                placed = super().attempt(members, number)
            except FAULTS as error:
                problem = describe(error)
                if self._placed:
                    announce.claim_failed(self._member_path(len(self._members)), problem)
                raise
            finally:
                if placed is None:
                    self._release(len(members))
            if placed is None:
                announce.attempt_failed(path, self._why)
        finally:
            ended = self._member_path(1) if self._single else path
            announce.requirement_ended(ended, placed is not None, problem)
        return placed

    def _release(self, members: int) -> None:
        """Announce the hosts that members had claimed, and gave back."""
        claimed = self._members[:-1] if self._placed else self._members
        if claimed and members > 1:
            hosts = 0
            for mask in claimed:
                hosts |= mask
            self._announce.members_released(self._path, hosts)

    def _member_path(self, member: int) -> Path:
        shape, alternative, alternatives, _, members = self._path
        return _path(shape, alternative, alternatives, member, members)

    def place(self, ask: Ask, member: int, claims: Claims) -> tuple[Placement, ...] | None:
        """As the plain one; begin and end of the member. An only one ends with its attempt."""
        self._placed = False
        path = self._member_path(member + 1)
        self._announce.requirement_begun(path, ask.primary)
        placements, problem = None, ""
        try:
            placements = super().place(ask, member, claims)
            if placements is None:
                self._note_reasons(ask)
        except FAULTS as error:
            problem = describe(error)
            raise
        finally:
            if not self._single:
                self._announce.requirement_ended(path, placements is not None, problem)
        if placements is not None:
            self._placed = True
            self._members.append(Allocation(placements).hosts)
        return placements

    def _note_reasons(self, ask: Ask) -> None:
        """Keep why the member can't be placed, while what others reserve is still taken."""
        try:
            self._why = ask_reasons(ask)
        except FAULTS as error:
            self._cannot_tell("attempt_failed", error)

    # The cluster-wide check and plans.

    def room(self, ask: Ask, claims: Claims) -> int:
        """As the plain one; the rows of the check."""
        tasks = super().room(ask, claims)
        fewest = ask.primary.tasks_min
        try:
            rows = cluster_rows(ask, claims, fewest, 1) if ask.shared_claims else ()
        except FAULTS as error:
            self._cannot_tell("cluster_checked", error)
        else:
            self._announce.cluster_checked(rows, tasks >= fewest)
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
            counts = (self._plan, self._tried, self._discarded, self._not_tried)
            self._announce.search_ended(*counts, placements is not None)
        return placements

    def offered(self, generator: PlanGenerator, ask: Ask, tasks: int) -> Iterable[Plan]:
        """As the plain one; whose plans these are."""
        self._offered_by = _name_of(generator)
        return super().offered(generator, ask, tasks)

    def declined(self, generator: PlanGenerator) -> None:
        """Announced."""
        self._announce.generator_declined(_name_of(generator))

    def failed(self, generator: PlanGenerator, error: BaseException) -> None:
        """Announced."""
        super().failed(generator, error)
        self._announce.generator_failed(_name_of(generator), describe(error))

    def discarded(self, generator: PlanGenerator, plan: object) -> None:
        """Announced."""
        super().discarded(generator, plan)
        self._discarded += 1
        self._plan += 1
        self._work_out(
            "plan_discarded",
            lambda: (self._plan, _name_of(generator), in_words(plan)),
        )

    def not_tried(self, generator: PlanGenerator, error: BaseException) -> None:
        """Announced."""
        super().not_tried(generator, error)
        self._not_tried += 1
        self._plan += 1
        self._announce.plan_not_tried(self._plan, _name_of(generator), describe(error))

    def try_plan(
        self, ask: Ask, member: int, plan: Plan, claims: Claims
    ) -> tuple[Placement, ...] | None:
        """As the plain one; begin and end of the plan, hosts released, the commit."""
        self._plan += 1
        self._tried += 1
        self._filled = 0
        number = self._plan
        self._announce.plan_begun(number, self._offered_by, plan)
        placements, problem = None, ""
        try:
            placements = super().try_plan(ask, member, plan, claims)
        except FAULTS as error:
            problem = describe(error)
            raise
        finally:
            if placements is None:
                self._plan_failed(ask, plan, claims, problem)
            else:
                self._announce.plan_ended(number, True, 0, "")
                self._announce.plan_committed(number)
        return placements

    def _plan_failed(self, ask: Ask, plan: Plan, claims: Claims, problem: str) -> None:
        """Announce where a plan failed, and what it gives back."""
        filled = self._filled.bit_count()
        complete = filled == plan.positions
        if complete and not problem:
            self._work_out(
                "plan_checked",
                lambda: (plan, cluster_rows(ask, claims, plan.tasks, plan.positions)),
            )
        if filled:
            self._announce.plan_rolled_back(self._filled)
        failed_position = 0 if complete else filled + 1
        self._announce.plan_ended(self._plan, False, failed_position, problem)

    # Hosts.

    def scan_failed(self, error: BaseException) -> None:
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
        except FAULTS as error:
            self._scan_error = describe(error)
            raise
        finally:
            try:
                scan = self._scan(ask, tasks, count, first, claimed, claims, hosts)
            except FAULTS as error:
                self._cannot_tell("positions_scanned", error)
            else:
                self._announce.positions_scanned(scan)
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
            hosts,
            self.host_order is None,
            self._scan_error,
        )


def _name_of(generator: object) -> str:
    """What a generator calls itself, or its class if it does not say."""
    try:
        return str(generator.name)  # type: ignore[attr-defined]
    except FAULTS:
        return type(generator).__name__
