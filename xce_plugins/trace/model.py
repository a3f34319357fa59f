"""What a trace consists of: flat, frozen entries, and the record that holds them.

Nothing here refers to the scheduler's state. An entry of the bounded part is one line of
text. Amounts are integers in the resource's own unit, see :class:`Unit`.
"""

# Annotations are no texts here: a named tuple would compile each of them when it is made, and
# all of it is loaded at the start.

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from xce_core.model.jobs import Seconds
from xce_core.model.rows import Row
from xce_core.sched.verdicts import VerdictKind
from xce_plugins.trace.ending_model import Ending

if TYPE_CHECKING:
    from xce_plugins.trace.packed import Entries

LINES_LEAST, LINES_MOST, LINES_DEFAULT = 50, 100_000, 1000
"""The bound on the lines of one trace."""

KINDS = tuple(VerdictKind)
"""The kinds of verdict; a place here is a bit in :attr:`HostSeen.kinds`."""


class Level(Enum):
    """How much is told of hosts: one line a position, or one line a host."""

    __hash__ = object.__hash__  # there is one object for each; that of Enum is many times slower

    SUMMARY = "summary"
    FULL = "full"


LEVEL_NAMES = {level: level.value for level in Level}
"""What the levels are called, looked up faster than by the attribute."""


class Step(NamedTuple):
    """Which requirement is meant, as in :class:`xce_core.sched.facts.Path`."""

    shape: str
    alternative: int
    alternatives: int
    member: int
    members: int


# The bounded part: requirements, checks, plans, hosts.


class RequirementBegun(NamedTuple):
    """A requirement is tried; the fields from ``tasks_min`` on tell of a member only.

    :param step: the fields of a :class:`Step`.
    """

    step: tuple[str, int, int, int, int]
    tasks_min: int = 0
    tasks_max: int = 0
    amounts: tuple[tuple[str, int], ...] = ()
    select: str = ""
    span: str = ""
    tasks_per_host: int = 0


class RequirementEnded(NamedTuple):
    """A requirement is done; *error* is what broke it off."""

    step: tuple[str, int, int, int, int]
    satisfied: bool
    error: str


class AttemptFailed(NamedTuple):
    """Why an alternative failed.

    :param reasons: code, count of what it stands for, names of resources or limits.
    """

    reasons: tuple[tuple[str, int, tuple[str, ...]], ...]


class ClaimFailed(NamedTuple):
    """Hosts were found for a member, but could not be claimed."""

    step: tuple[str, int, int, int, int]
    error: str


class MembersReleased(NamedTuple):
    """What earlier members had claimed was given back; *hosts* is a host list."""

    hosts: str


class AlternativeSkipped(NamedTuple):
    """An empty alternative was passed over."""

    step: tuple[str, int, int, int, int]


class AlternativesEnded(NamedTuple):
    """The search is over; *chosen* is 0 if no alternative was."""

    chosen: int
    alternatives: int


class CheckRow(NamedTuple):
    """A row of the cluster-wide check, as in :class:`xce_core.model.rows.Row`.

    :param hosts: 0 in the check before any plan; else the number of hosts of the plan by
        which it is measured.
    """

    resource: str
    total: int
    in_use: int
    reserved: int
    requested: int
    limit: str
    scope: str
    hosts: int

    @property
    def met(self) -> bool:
        """Whether what is asked is left."""
        return self.requested <= self.total - self.in_use - self.reserved


class CheckEnded(NamedTuple):
    """The cluster-wide check is done."""

    passed: bool


class GeneratorDeclined(NamedTuple):
    """A plan generator has no plans."""

    generator: str


class GeneratorFailed(NamedTuple):
    """A plan generator raised."""

    generator: str
    error: str


class PlanDiscarded(NamedTuple):
    """A malformed plan, as text."""

    number: int
    generator: str
    plan: str


class PlanNotTried(NamedTuple):
    """A plan that could not even be checked."""

    number: int
    generator: str
    error: str


class PlanBegun(NamedTuple):
    """A plan is tried.

    :param runs: (tasks per position, number of positions).
    """

    number: int
    generator: str
    runs: tuple[tuple[int, int], ...]


class PositionBegun(NamedTuple):
    """Level full: a host is sought for a position."""

    number: int
    tasks: int


class HostSeen(NamedTuple):
    """Level full: a host was looked at.

    :param kinds: a bit for each of :data:`KINDS`.
    :param phase: as :class:`xce_core.sched.scan.Phase` has it; empty if no check did it.
    """

    host: str
    kinds: int
    phase: str
    detail: str


HostRow = Row
"""Level full: a resource or limit in which the host before falls short."""


class PositionEnded(NamedTuple):
    """Level full: the position is done; *host* is empty if it found none."""

    number: int
    host: str
    error: str


class PositionSeen(NamedTuple):
    """Level summary: all of a position.

    :param counts: hosts looked at, for each of :data:`KINDS`.
    :param limits: limit, scope without host, hosts that exceeded it.
    """

    number: int
    tasks: int
    host: str
    counts: tuple[int, ...]
    limits: tuple[tuple[str, str, int], ...]
    error: str


class HostsReleased(NamedTuple):
    """The hosts that a failed plan gives back, as a host list."""

    hosts: str


class PlanEnded(NamedTuple):
    """A plan is done, as in the hook of the name."""

    number: int
    placed: bool
    failed_position: int
    error: str


class PlanCommitted(NamedTuple):
    """The plan is what the member gets."""

    number: int


class SearchEnded(NamedTuple):
    """No more plans are tried for the member."""

    generated: int
    tried: int
    discarded: int
    not_tried: int
    placed: bool


Entry = (
    RequirementBegun
    | RequirementEnded
    | AttemptFailed
    | ClaimFailed
    | MembersReleased
    | AlternativeSkipped
    | AlternativesEnded
    | CheckRow
    | CheckEnded
    | GeneratorDeclined
    | GeneratorFailed
    | PlanDiscarded
    | PlanNotTried
    | PlanBegun
    | PositionBegun
    | HostSeen
    | HostRow
    | PositionEnded
    | PositionSeen
    | HostsReleased
    | PlanEnded
    | PlanCommitted
    | SearchEnded
)


# The rest of a record.


class Unit(NamedTuple):
    """How a resource's amounts count: bytes, or counts of 10**-decimals."""

    resource: str
    kind: str
    decimals: int


class Selection(NamedTuple):
    """Why the policy chose the job now.

    :param known: False if the policy chose what is no job; the keys are then not known.
    :param keys: the policy's own, name and value.
    :param limits: cluster-wide limits that match the job, each with its scope; None if it has
        no scheduling object.
    """

    policy: str
    known: bool
    queue: str
    queue_priority: int | None
    priority: int | None
    queue_time: Seconds | None
    keys: tuple[tuple[str, str], ...]
    limits: tuple[tuple[str, str], ...] | None


class Totals(NamedTuple):
    """Counts that stay exact whatever is left out.

    :param hosts: host evaluations, for each of :data:`KINDS`.
    """

    plans_tried: int
    plans_discarded: int
    none_generated: int
    all_discarded: int
    none_placed: int
    hosts: tuple[int, ...]


class Fault(NamedTuple):
    """A plugin raised while the selection was watched."""

    plugin: str
    hook: str
    error: str


class Record(NamedTuple):
    """One traced selection, complete in itself.

    :param position: 0 for a dispatch taken over from the recording.
    :param selection: None for such a dispatch.
    :param omitted: entries left out for the bound.
    :param faults: empty if nobody raised.
    :param units: of the resources that do not simply count whole things.
    """

    job: str
    session: int
    time: Seconds
    position: int
    level: Level
    bound: int
    selection: Selection | None
    entries: "Entries"
    omitted: int
    totals: Totals
    faults: tuple[Fault, ...]
    ending: Ending
    units: tuple[Unit, ...]
