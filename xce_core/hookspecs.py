"""Every hook specification, grouped by who calls it and when.

The name of a hook tells its kind: past tense announces, a plural noun collects
contributions, a verb asks. All hooks are looked up by name on the plugin; a plugin that
implements a hook no specification knows is reported when it is loaded, unless the
implementation is marked ``optionalhook=True``.

:data:`API_VERSION` is the version of this interface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import pluggy

from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Dispatch
from xce_core.model.jobs import Job, Seconds
from xce_core.model.plans import Plan
from xce_core.model.reasons import Reason
from xce_core.model.requests import Primary
from xce_core.model.rows import Row
from xce_core.sched.facts import Path, Selected
from xce_core.sched.generators import PlanGenerator
from xce_core.sched.policy import Outcome, Policy
from xce_core.sched.scan import Scan

if TYPE_CHECKING:
    from xce_core.sim.readers import WorkloadReader

PROJECT = "xce"
API_VERSION = 1

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class PolicySpecs:
    """What plugins contribute to scheduling; registered in every mode."""

    @hookspec
    def xce_policies(self) -> Mapping[str, type[Policy]]:  # type: ignore[empty-body]
        """Policies by the name under which users ask for them.

        Called once, when the replay is set up. The class is instantiated without arguments,
        once for each replay. If two plugins offer one name, the user has to say which is meant,
        unless one of them is called so.
        """

    @hookspec
    def xce_plan_generators(self) -> Sequence[PlanGenerator]:  # type: ignore[empty-body]
        """Plan generators to be asked, for every policy, before the core's own.

        Called once, when the replay is set up. Plugins are asked in order of their names. A
        generator must not keep state that depends on how often it is asked.
        """


class ReaderSpecs:
    """What plugins contribute to reading inputs; registered in every mode."""

    @hookspec
    def xce_workload_readers(self) -> Sequence[WorkloadReader]:  # type: ignore[empty-body]
        """Readers of formats other than recordings.

        Called once, when an input is to be opened that is no recording. A reader must not
        open anything but the stream it is given and what the user named in its options.
        """


class SeamSpecs:
    """What is announced about the decisions; registered only by the interactive simulator.

    An implementation looks and returns nothing; it is given frozen values and read-only
    views, which it must not keep beyond the call unless they are values. What it raises is
    reported with the plugin's name and changes nothing. Between ``xce_selection_begun`` and
    ``xce_selection_ended`` the hooks tell of the one selection that is being watched. If a job is
    refused twice in a row and nothing has changed in between, the same facts may be told again.
    """

    @hookspec
    def xce_session_begun(self, number: int, time: Seconds) -> None:
        """A session begins; what was taken over from the recording is told of after this.

        :param number: the session's number.
        :param time: its time in seconds.
        """

    @hookspec
    def xce_session_ended(self, number: int, time: Seconds) -> None:
        """The session is over, or was broken off.

        :param number: the session's number.
        :param time: its time in seconds.
        """

    @hookspec
    def xce_wants_watch(self, session: int) -> Callable[[str], bool] | None:
        """Which selections of a session the plugin wants to watch.

        Asked once, when the session begins. If the answer of any plugin is true of a
        selection, all plugins are told of it.

        :param session: the session's number.
        :returns: what tells, given the id that the policy chose (which need not be that of a
            job), whether to watch; None to watch nothing in this session.
        """

    @hookspec
    def xce_watcher_failed(self, plugin: str, hook: str, error: str) -> None:
        """A plugin raised in one of these hooks; it is reported, and changes nothing.

        :param plugin: its name; ``core`` if what it was to be told could not be worked out.
        :param hook: in which hook.
        :param error: what it raised.
        """

    @hookspec
    def xce_selection_begun(self, selected: Selected, cluster: Cluster) -> None:
        """The policy chose a job.

        :param selected: the job, its place in the session, and the keys that put it there.
        :param cluster: the cluster, for names of hosts.
        """

    @hookspec
    def xce_selection_ended(self, outcome: Outcome, job: Job | None, cluster: Cluster) -> None:
        """The selection is over; the last hook of each watched selection, errors included.

        :param outcome: the decision with its effect on the state, or why there is none.
        :param job: the job, to be read; None if the policy chose something that is no job.
        :param cluster: the cluster, for names of hosts.
        """

    @hookspec
    def xce_dispatch_taken_over(self, dispatch: Dispatch, session: int, cluster: Cluster) -> None:
        """A job was started because the recording says that it runs.

        Called before the first selection of the session; not between begin and end of a
        selection.

        :param dispatch: the job with the allocation it was given.
        :param session: the number of the session at whose begin it was taken over.
        :param cluster: the cluster, for names of hosts.
        """

    @hookspec
    def xce_requirement_begun(self, path: Path, primary: Primary | None) -> None:
        """A requirement is tried: an alternative or compound as a whole, or a member of it.

        A single requirement is its only member; no whole begins or ends around it.

        :param path: which one.
        :param primary: what the member asks for; None for a whole.
        """

    @hookspec
    def xce_requirement_ended(self, path: Path, satisfied: bool, error: str) -> None:
        """The requirement that began last and has not ended is done.

        :param path: which one.
        :param satisfied: whether everything in it was claimed.
        :param error: what broke it off; empty if nothing did.
        """

    @hookspec
    def xce_attempt_failed(self, path: Path, reasons: tuple[Reason, ...]) -> None:
        """An alternative, or the only one, can't be placed.

        Called before its end, which for a single requirement is that of its only member.

        :param path: the whole, also of a single requirement.
        :param reasons: what stood in the way of the member that failed.
        """

    @hookspec
    def xce_claim_failed(self, path: Path, error: str) -> None:
        """Hosts were found for a member, but could not be claimed.

        Called before the end of the whole, or of a single requirement.

        :param path: the member.
        :param error: why; the selection ends with it, in no decision.
        """

    @hookspec
    def xce_members_released(self, path: Path, hosts: int) -> None:
        """Members had claimed hosts when one after them failed; called before the whole ends.

        :param path: the whole.
        :param hosts: the mask of those hosts, now free again.
        """

    @hookspec
    def xce_alternative_skipped(self, path: Path) -> None:
        """An alternative is empty and was passed over.

        :param path: which one.
        """

    @hookspec
    def xce_alternatives_ended(self, path: Path, chosen: int) -> None:
        """The search is over.

        :param path: the shape and the number of alternatives.
        :param chosen: the alternative that was claimed, from 1; 0 if none was.
        """

    @hookspec
    def xce_cluster_checked(self, rows: tuple[Row, ...], passed: bool) -> None:
        """Shared resources and cluster-wide limits were checked for a member.

        :param rows: every row, met or not, resources first; measured by fewest tasks on one
            host.
        :param passed: False if no plan will be tried.
        """

    @hookspec
    def xce_generator_declined(self, generator: str) -> None:
        """A plan generator has no plans for the member.

        :param generator: its name.
        """

    @hookspec
    def xce_generator_failed(self, generator: str, error: str) -> None:
        """A plan generator raised; it is asked for no more plans for this member.

        :param generator: its name.
        :param error: what it raised.
        """

    @hookspec
    def xce_plan_discarded(self, number: int, generator: str, plan: str) -> None:
        """A plan is malformed and is not tried.

        :param number: counts the member's plans, from 1.
        :param generator: who offered it.
        :param plan: it, as text.
        """

    @hookspec
    def xce_plan_not_tried(self, number: int, generator: str, error: str) -> None:
        """A plan can't even be checked, and is not tried.

        :param number: counts the member's plans, from 1.
        :param generator: who offered it.
        :param error: what the check raised.
        """

    @hookspec
    def xce_plan_begun(self, number: int, generator: str, plan: Plan) -> None:
        """A plan is tried.

        :param number: counts the member's plans, from 1.
        :param generator: who offered it; ``core`` for the scheduler's own.
        :param plan: its shape.
        """

    @hookspec
    def xce_positions_scanned(self, scan: Scan) -> None:
        """Hosts were sought for a run of like positions of the plan, found or not.

        :param scan: what each position saw, on demand; valid only during the call.
        """

    @hookspec
    def xce_plan_checked(self, plan: Plan, rows: tuple[Row, ...]) -> None:
        """A plan found all its hosts, but the cluster lacks what that many hosts take.

        :param plan: its shape.
        :param rows: every shared resource and cluster-wide limit, met or not, measured by the
            plan's tasks on the plan's hosts.
        """

    @hookspec
    def xce_plan_rolled_back(self, hosts: int) -> None:
        """A plan failed after hosts had been found for some of its positions.

        :param hosts: the mask of those hosts, now free again.
        """

    @hookspec
    def xce_plan_ended(self, number: int, placed: bool, failed_position: int, error: str) -> None:
        """The plan that began last is done.

        :param number: as at its begin.
        :param placed: whether a host was found for every position.
        :param failed_position: the first position without a host, from 1; 0 if there is
            none, and then a plan not placed failed since the shared resources and limits
            do not suffice for that many hosts.
        :param error: what broke it off; empty if nothing did.
        """

    @hookspec
    def xce_plan_committed(self, number: int) -> None:
        """The plan is what the member gets.

        :param number: as at its begin.
        """

    @hookspec
    def xce_search_ended(
        self, generated: int, tried: int, discarded: int, not_tried: int, placed: bool
    ) -> None:
        """No more plans are tried for the member.

        :param generated: plans offered so far.
        :param tried: plans for which hosts were sought.
        :param discarded: malformed plans.
        :param not_tried: plans that could not even be checked.
        :param placed: whether one of them was placed.
        """
