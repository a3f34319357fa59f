"""Writing down what the seams announce; decides nothing."""

from __future__ import annotations

from collections.abc import Callable

from xce_core.hookspecs import hookimpl
from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Dispatch
from xce_core.model.jobs import Job, Seconds
from xce_core.model.limits import scope_label
from xce_core.model.plans import Plan
from xce_core.model.reasons import Reason
from xce_core.model.requests import Primary, Shape
from xce_core.model.rows import Row
from xce_core.sched.facts import Path, Selected
from xce_core.sched.policy import Outcome
from xce_core.sched.scan import Scan
from xce_plugins.trace.control import Control
from xce_plugins.trace.draft import Draft
from xce_plugins.trace.made import NO_CLUSTER, Made
from xce_plugins.trace.model import (
    AlternativesEnded,
    AlternativeSkipped,
    CheckRow,
    ClaimFailed,
    Fault,
    GeneratorDeclined,
    GeneratorFailed,
    HostsReleased,
    Level,
    MembersReleased,
    PlanDiscarded,
    PlanNotTried,
    Record,
    Selection,
)
from xce_plugins.trace.scans import add_positions, add_summary

_EARLY_KEPT = 100
"""How many failures are kept of which it is not known yet what they are about."""


class Capture:
    """The implementations of the seam hooks."""

    def __init__(self) -> None:
        self.control = Control()
        self._made = Made(NO_CLUSTER)
        self._draft: Draft | None = None
        self._ready: Draft | None = None
        self._early: list[Fault] = []
        self._now: Seconds = 0

    def forget(self) -> None:
        """The replay begins anew: what is kept of the old one's cluster and jobs is let go."""
        self._made = Made(NO_CLUSTER)
        self._draft = self._ready = None
        self._early.clear()

    def take(self, job: str, session: int) -> Record | None:
        """The record of the selection of *job* that ended last; None if it was not traced."""
        draft, self._ready = self._ready, None
        self._early.clear()
        if draft is None or (draft.job, draft.session) != (job, session):
            return None
        return draft.record()

    def _begin(
        self, job: str, session: int, time: Seconds, position: int, selection: Selection | None
    ) -> Draft:
        settings = self.control.current
        assert settings is not None
        draft = Draft(job, session, time, position, settings.level, settings.lines, selection)
        draft.units = self._made.units
        for fault in self._early:
            draft.fault(*fault)
        return draft

    def _know(self, cluster: Cluster) -> None:
        """From now on it is about *cluster*."""
        if self._made.cluster is not cluster:
            self._made = Made(cluster)

    # Sessions and selections.

    @hookimpl
    def xce_session_begun(self, number: int, time: Seconds) -> None:
        """What the user asked for since the last session takes effect."""
        self._draft = self._ready = None
        self._early.clear()
        self._now = time
        self.control.begin(number)

    @hookimpl
    def xce_session_ended(self, number: int, time: Seconds) -> None:
        """What the session was traced by is let go."""
        self._draft = None
        self.control.end(number)

    @hookimpl
    def xce_wants_watch(self, session: int) -> Callable[[str], bool] | None:
        """The selections that the user named."""
        settings = self.control.current
        return None if settings is None else settings.wants

    @hookimpl
    def xce_watcher_failed(self, plugin: str, hook: str, error: str) -> None:
        """The trace is incomplete: of this plugin, or of what another had to say."""
        draft = self._draft or self._ready
        if draft is not None:
            draft.fault(plugin, hook, error)
        elif len(self._early) < _EARLY_KEPT:
            self._early.append(Fault(plugin, hook, error))

    @hookimpl
    def xce_selection_begun(self, selected: Selected, cluster: Cluster) -> None:
        """A new record, if the user wants this job traced."""
        self._draft = self._ready = None
        self._know(cluster)
        settings = self.control.current
        if settings is not None and settings.wants(selected.job):
            self._draft = self._begin(
                selected.job,
                selected.session,
                selected.time,
                selected.position,
                _selection(selected),
            )
        self._early.clear()

    @hookimpl
    def xce_selection_ended(self, outcome: Outcome, job: Job | None, cluster: Cluster) -> None:
        """The record is complete, and waits to be taken."""
        draft, self._draft = self._draft, None
        if draft is not None:
            self._ready = draft
            draft.ending = self._made.ending(outcome)

    @hookimpl
    def xce_dispatch_taken_over(self, dispatch: Dispatch, session: int, cluster: Cluster) -> None:
        """A record with nothing but the outcome."""
        self._ready = None
        settings = self.control.current
        if settings is not None and settings.wants(dispatch.job.id):
            self._know(cluster)
            draft = self._begin(dispatch.job.id, session, self._now, 0, None)
            self._ready = draft
            draft.ending = self._made.ending(dispatch)

    # Requirements.

    @hookimpl
    def xce_requirement_begun(self, path: Path, primary: Primary | None) -> None:
        """As told; a single requirement is its only member."""
        if self._draft is None:
            return
        made = self._made
        if primary is None:
            self._draft.add(made.whole_begun(path))
        else:
            self._draft.add(made.member_begun(path, primary))

    @hookimpl
    def xce_requirement_ended(self, path: Path, satisfied: bool, error: str) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(self._made.requirement_ended(path, satisfied, error))

    @hookimpl
    def xce_attempt_failed(self, path: Path, reasons: tuple[Reason, ...]) -> None:
        """The reasons by code."""
        if self._draft is not None:
            self._draft.add(self._made.attempt_failed(self._made.by_code(reasons)))

    @hookimpl
    def xce_claim_failed(self, path: Path, error: str) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(ClaimFailed(self._made.step(path), error))

    @hookimpl
    def xce_members_released(self, path: Path, hosts: int) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(MembersReleased(self._made.fold(hosts)))

    @hookimpl
    def xce_alternative_skipped(self, path: Path) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(AlternativeSkipped(self._made.step(path)))

    @hookimpl
    def xce_alternatives_ended(self, path: Path, chosen: int) -> None:
        """As told, where there were alternatives."""
        if self._draft is not None and path.shape is Shape.ALTERNATIVES:
            self._draft.add(AlternativesEnded(chosen, path.alternatives))

    # Checks and plans.

    @hookimpl
    def xce_cluster_checked(self, rows: tuple[Row, ...], passed: bool) -> None:
        """Each row; limits that hold are not told of where a resource falls short already."""
        draft = self._draft
        if draft is not None:
            short = bool(rows) and any(not row.limit and not row.met for row in rows)
            for row in rows:
                if not (short and row.limit and row.met):
                    draft.add(CheckRow(*row, 0))
            draft.add(self._made.check_ended(passed))

    @hookimpl
    def xce_generator_declined(self, generator: str) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(GeneratorDeclined(generator))

    @hookimpl
    def xce_generator_failed(self, generator: str, error: str) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(GeneratorFailed(generator, error))

    @hookimpl
    def xce_plan_discarded(self, number: int, generator: str, plan: str) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.plans_discarded += 1
            self._draft.add(PlanDiscarded(number, generator, plan))

    @hookimpl
    def xce_plan_not_tried(self, number: int, generator: str, error: str) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(PlanNotTried(number, generator, error))

    @hookimpl
    def xce_plan_begun(self, number: int, generator: str, plan: Plan) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.plans_tried += 1
            self._draft.add(self._made.plan_begun(number, generator, plan.runs))

    @hookimpl
    def xce_positions_scanned(self, scan: Scan) -> None:
        """Each position: in a line, or host by host."""
        draft = self._draft
        if draft is not None:
            if draft.level is Level.FULL:
                add_positions(draft, scan)
            else:
                add_summary(draft, *self._made.summary(scan))

    @hookimpl
    def xce_plan_checked(self, plan: Plan, rows: tuple[Row, ...]) -> None:
        """The rows that tell why the plan fails, and the others."""
        draft = self._draft
        if draft is not None:
            for row in rows:
                draft.add(CheckRow(*row, plan.positions))

    @hookimpl
    def xce_plan_rolled_back(self, hosts: int) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(HostsReleased(self._made.fold(hosts)))

    @hookimpl
    def xce_plan_ended(self, number: int, placed: bool, failed_position: int, error: str) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(self._made.plan_ended(number, placed, failed_position, error))

    @hookimpl
    def xce_plan_committed(self, number: int) -> None:
        """As told."""
        if self._draft is not None:
            self._draft.add(self._made.plan_committed(number))

    @hookimpl
    def xce_search_ended(
        self, generated: int, tried: int, discarded: int, not_tried: int, placed: bool
    ) -> None:
        """As told; requirements without a plan are counted."""
        draft = self._draft
        if draft is None:
            return
        if not generated:
            draft.none_generated += 1
        elif discarded == generated:
            draft.all_discarded += 1
        elif not placed:
            draft.none_placed += 1
        draft.add(self._made.search_ended(generated, tried, discarded, not_tried, placed))


def _selection(selected: Selected) -> Selection:
    limits = selected.limits
    return Selection(
        selected.policy,
        selected.known,
        selected.queue,
        selected.queue_priority,
        selected.priority,
        selected.queue_time,
        tuple([(str(name), str(value)) for name, value in selected.remarks.items()]),
        None
        if limits is None
        else tuple([(limit.name, scope_label(instance)) for limit, instance in limits]),
    )
