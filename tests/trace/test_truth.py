"""Every verdict of a trace, derived again by plain arithmetic from the state at that moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import FirstCome, each
from tests.sched.books import (
    CLUSTER,
    NOWHERE,
    Account,
    Books,
    Share,
    instance_of,
    selected,
    shares,
    somewhere,
)
from tests.sched.worlds import Traits, worlds
from tests.trace.cases import Offers, Ordered, sessions
from tests.trace.harness import Harness, listed
from tests.trace.test_equivalence import fresh
from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Dispatch, Pend
from xce_core.model.hostlist import unfold
from xce_core.model.jobs import Job
from xce_core.model.limits import Dimension, Limit
from xce_core.model.plans import Plan
from xce_core.model.requests import Primary
from xce_core.sched.policy import Outcome, Policy
from xce_plugins.trace import model
from xce_plugins.trace.ending_model import Dispatched, Pended
from xce_plugins.trace.model import KINDS, HostRow, HostSeen, Record

CHECKED: Counter[str] = Counter()
"""How many statements of each kind were derived again."""


class Reader:
    """Goes through the entries of one record and checks each.

    :param before: the books as they were when the selection began.
    :param in_order: whether hosts are tried in host order.
    """

    def __init__(self, record: Record, job: Job, before: Books, in_order: bool) -> None:
        self.record = record
        self.job = job
        self.before = before
        self.cluster = before.cluster
        self.in_order = in_order
        self.books = before
        self.primary: Primary
        self.member = 0
        self.shape: list[int] = []
        self.placed: list[Share] = []
        self.seen: list[int] = []
        self.unmet: set[Account] = set()
        self.missing: set[Account] = set()
        self.rows: list[model.CheckRow] = []
        self.committed: dict[int, list[Share]] = {}

    def check(self) -> None:
        """All entries in order."""
        for entry in self.record.entries:
            read: Callable[[object], None] | None = READERS.get(type(entry))
            if not isinstance(entry, HostSeen | HostRow):
                self.no_row_is_missing()
            if read is not None:
                read(self, entry)  # type: ignore[call-arg, arg-type]

    # Requirements.

    def requirement(self, entry: model.RequirementBegun) -> None:
        step = model.Step(*entry.step)
        if not step.member or step.shape == "single":
            self.committed = {}
            self.books = copy(self.before)
        if not step.member:
            return
        self.member = step.member - 1
        self.primary = self.job.requirement.alternatives[step.alternative - 1].members[self.member]
        assert (entry.tasks_min, entry.tasks_max) == (
            self.primary.tasks_min,
            self.primary.tasks_max,
        )
        assert entry.amounts == self.primary.amounts
        self.rows = []
        CHECKED["requirements"] += 1

    def ended(self, entry: model.RequirementEnded) -> None:
        step = model.Step(*entry.step)
        if step.shape == "single" or step.member:
            assert entry.satisfied == (self.member in self.committed)
        if entry.satisfied and step.member:
            for account, amount in self.books.charges(
                self.job, self.primary, self.member, self.committed[self.member]
            ):
                self.books.used[account] += amount

    # The cluster-wide check.

    def row(self, entry: model.CheckRow) -> None:
        tasks = sum(self.shape) if entry.hosts else self.primary.tasks_min
        needed = self.needed(somewhere(tasks, entry.hosts or 1))
        account = self.account(entry, CLUSTER)
        self.check_row(entry, account, needed[account])
        self.rows.append(entry)
        CHECKED["cluster rows"] += 1

    def checked(self, entry: model.CheckEnded) -> None:
        needed = self.needed(somewhere(self.primary.tasks_min))
        needed = {a: n for a, n in needed.items() if a.host == CLUSTER}
        failed = {a for a, n in needed.items() if n > self.books.left(a)}
        assert entry.passed == (not failed)
        named = {self.account(row, CLUSTER): row.met for row in self.rows}
        assert {account for account, met in named.items() if not met} == failed
        limits = {limit.name for limit in self.cluster.limits}
        if any(account.name not in limits for account in failed):
            assert named.keys() >= {a for a in needed if a.name not in limits}
        else:
            assert named.keys() == needed.keys()
        self.rows = []
        CHECKED["cluster checks"] += 1

    # Plans.

    def plan(self, entry: model.PlanBegun) -> None:
        self.shape = Plan(entry.runs).shape()
        self.placed = []

    def plan_ended(self, entry: model.PlanEnded) -> None:
        complete = len(self.placed) == len(self.shape)
        fits = self.books.fits(self.job, self.primary, self.member, self.placed)
        assert entry.placed == (complete and fits)
        if not entry.placed:
            assert entry.failed_position == (0 if complete else len(self.placed) + 1)
        CHECKED["plans"] += 1

    def released(self, entry: model.HostsReleased) -> None:
        names = [self.cluster.hosts[share.host].name for share in self.placed]
        assert sorted(unfold(entry.hosts)) == sorted(names)

    def commit(self, entry: model.PlanCommitted) -> None:
        self.committed[self.member] = self.placed

    # Hosts.

    def position(self, entry: model.PositionBegun) -> None:
        assert entry.number == len(self.placed) + 1
        assert entry.tasks == self.shape[entry.number - 1]
        self.seen = []

    def host(self, entry: HostSeen) -> None:
        self.no_row_is_missing()
        index = self.cluster.index_of[entry.host]
        kinds = {kind.name for place, kind in enumerate(KINDS) if entry.kinds >> place & 1}
        assert kinds == self.expected(index), (entry, self.job)
        assert index not in self.seen
        self.seen.append(index)
        pre = kinds == {"SELECTION"}
        per_host = bool(kinds & {"SHORTFALL", "LIMIT"})
        assert entry.phase == ("pre-filter" if pre else "per-host check" if per_host else "")
        for kind in kinds:
            CHECKED[f"host {kind.lower()}"] += 1

    def expected(self, index: int) -> set[str]:
        self.missing = set()
        if any(share.host == index for share in self.placed):
            return {"CLAIMED"}
        if index not in selected(self.cluster, self.primary):
            return {"SELECTION"}
        if self.cluster.hosts[index].state is not HostState.OPEN:
            return {"SELECTION"}
        needed = self.on_host(index)
        self.missing = {a for a, amount in needed.items() if amount > self.books.left(a)}
        limits = {limit.name for limit in self.cluster.limits}
        kinds = {"LIMIT" if account.name in limits else "SHORTFALL" for account in self.missing}
        return kinds or {"ACCEPTED"}

    def host_row(self, entry: HostRow) -> None:
        index = self.seen[-1]
        account = self.account(entry, index)
        assert account in self.missing
        self.missing.remove(account)
        self.check_row(entry, account, self.on_host(index)[account])
        CHECKED["host rows"] += 1

    def no_row_is_missing(self) -> None:
        assert not self.missing

    def position_ended(self, entry: model.PositionEnded) -> None:
        fine = [i for i in range(len(self.cluster.hosts)) if self.expected(i) == {"ACCEPTED"}]
        self.missing = set()
        if entry.error:
            assert not entry.host
            return
        if not entry.host:
            assert not fine
            assert self.seen == list(range(len(self.cluster.hosts)))
            return
        index = self.cluster.index_of[entry.host]
        assert index in fine
        assert self.seen[-1] == index
        if self.in_order:
            assert index == fine[0]
            assert self.seen == list(range(index + 1))
        else:
            others = [i for i in range(len(self.cluster.hosts)) if i not in fine]
            assert self.seen == [*others, index]
        self.placed = [*self.placed, Share(index, self.shape[len(self.placed)])]
        CHECKED["positions"] += 1

    # Amounts.

    def needed(self, placed: list[Share]) -> Counter[Account]:
        found: Counter[Account] = Counter()
        for account, amount in self.books.charges(self.job, self.primary, self.member, placed):
            found[account] += amount
        return found

    def on_host(self, index: int) -> Counter[Account]:
        share = Share(index, self.shape[len(self.placed)])
        first = [] if not self.placed else [Share(NOWHERE, 0)]
        needed = self.needed([*first, share])
        return Counter({a: n for a, n in needed.items() if a.host == index})

    def account(self, row: HostRow | model.CheckRow, host: int) -> Account:
        if not row.limit:
            return Account(row.resource, (), host)
        (limit,) = [each for each in self.cluster.limits if each.name == row.limit]
        assert limit.resource == row.resource
        assert row.scope.endswith(f"h={self.cluster.hosts[host].name}") == (host != CLUSTER)
        return Account(limit.name, instance_of(limit, self.job), host)

    def check_row(self, row: HostRow | model.CheckRow, account: Account, requested: int) -> None:
        in_use = self.before.used.get(account, 0)
        reserved = self.books.used.get(account, 0) - in_use
        assert (row.total, row.in_use, row.reserved, row.requested) == (
            self.books.total(account),
            in_use,
            reserved,
            requested,
        )


READERS = {
    model.RequirementBegun: Reader.requirement,
    model.RequirementEnded: Reader.ended,
    model.CheckRow: Reader.row,
    model.CheckEnded: Reader.checked,
    model.PlanBegun: Reader.plan,
    model.PlanEnded: Reader.plan_ended,
    model.HostsReleased: Reader.released,
    model.PlanCommitted: Reader.commit,
    model.PositionBegun: Reader.position,
    HostSeen: Reader.host,
    HostRow: Reader.host_row,
    model.PositionEnded: Reader.position_ended,
}


def copy(books: Books) -> Books:
    """The same books, to be written in."""
    found = Books(books.cluster)
    found.used.update(books.used)
    return found


def check_ending(reader: Reader, outcome: Outcome) -> None:
    """The outcome of the trace is that of the decision, and the committed plan is it."""
    ending = reader.record.ending
    if isinstance(outcome, Dispatch):
        assert isinstance(ending, Dispatched)
        members = {p.member for p in outcome.allocation.placements}
        assert reader.committed.keys() == members
        for member in members:
            got = shares(outcome.allocation, member)
            assert sorted(got) == sorted(reader.committed[member])
        check_bill(reader, ending, outcome)
    elif isinstance(outcome, Pend):
        assert isinstance(ending, Pended)
        told = {(code, name, tuple(unfold(hosts))) for code, name, hosts, _ in ending.by_host}
        told |= {(code, name, ()) for code, name in ending.plain}
        names = reader.cluster.names_of
        assert told == {
            (r.code.name, r.name, tuple(unfold(",".join(names(r.hosts)))))
            for r in outcome.reasons.entries
        }
        assert ending.main == outcome.reasons.main.name
    CHECKED["outcomes"] += 1


def check_bill(reader: Reader, ending: Dispatched, outcome: Dispatch) -> None:
    """What the outcome says is taken is what the books say."""
    after = copy(reader.before)
    after.book(reader.job, outcome.allocation)
    taken = {
        account: amount - reader.before.used.get(account, 0)
        for account, amount in after.used.items()
        if amount != reader.before.used.get(account, 0)
    }
    told: Counter[tuple[str, int]] = Counter()
    index_of = reader.cluster.index_of
    bills = [(CLUSTER, ending.shared), *((index_of[name], s) for name, s in ending.hosts)]
    for host, share in bills:
        for resource, amount in share.amounts:
            told[resource, host] += amount
        for limit, _, _, amount in share.charges:
            told[limit, host] += amount
    assert told == {(account.name, account.host): n for account, n in taken.items()}


def run_checked(harness: Harness, in_order: bool) -> list[Record]:
    """Replay with every record checked; the records."""
    scheduler = harness.replay.scheduler
    records = []
    while harness.replay.advance():
        before = Books(scheduler.cluster, scheduler.running.values())
        for outcome in harness.replay.outcomes():
            assert isinstance(outcome, Dispatch | Pend)
            record = harness.plugin.take(outcome.job.id, harness.replay.number)
            assert record is not None
            assert not record.faults
            reader = Reader(record, outcome.job, before, in_order)
            reader.check()
            check_ending(reader, outcome)
            records.append(record)
            before = Books(scheduler.cluster, scheduler.running.values())
    assert harness.failures == []
    return records


def summary_of(record: Record) -> Iterator[tuple[int, str, tuple[int, ...], dict[str, int]]]:
    """Each position of a full record as a summary would have it."""
    counts: Counter[int] = Counter()
    limits: Counter[str] = Counter()
    for entry in record.entries:
        if isinstance(entry, model.PositionBegun):
            counts, limits = Counter(), Counter()
        elif isinstance(entry, HostSeen):
            counts.update(place for place in range(len(KINDS)) if entry.kinds >> place & 1)
        elif isinstance(entry, HostRow) and entry.limit:
            limits[entry.limit] += 1
        elif isinstance(entry, model.PositionEnded):
            each = tuple(counts[place] for place in range(len(KINDS)))
            yield entry.number, entry.host, each, dict(limits)


def check_world(
    world: tuple[Cluster, list[Job]], recorded: bool, policy: Callable[[], Policy], in_order: bool
) -> None:
    """Both levels on one world: full against the books, summary against full."""
    cluster, jobs = world
    kind = sessions if recorded else listed
    odd = [Offers(Plan(((1, 2),)), Plan(((2, 1), (1, 1))), name="odd")] if not in_order else []

    def harness(command: str) -> Harness:
        made = Harness(kind(cluster, *fresh(jobs)), policy(), generators=odd)
        made.trace(command)
        return made

    full = run_checked(harness("on all level full lines 100000"), in_order)
    brief = harness("on all level summary lines 100000")
    records = []
    while brief.replay.advance():
        for outcome in brief.replay.outcomes():
            assert isinstance(outcome, Dispatch | Pend)
            records.append(brief.plugin.take(outcome.job.id, brief.replay.number))
    for one, other in zip(full, records, strict=True):
        assert other is not None
        positions = [
            (e.number, e.host, e.counts, {limit: count for limit, _, count in e.limits})
            for e in other.entries
            if isinstance(e, model.PositionSeen)
        ]
        assert positions == list(summary_of(one))
        assert one.totals == other.totals
        assert one.ending == other.ending
        CHECKED["summaries"] += len(positions)


VERDICTS = ("accepted", "claimed", "limit", "selection", "shortfall")


def test_every_verdict_is_true(record_property: Callable[[str, object], None]) -> None:
    """R4.1, R4.2, R5.1, R5.4, R5.5, R5.6, R5.9, R5.10, R6.1, R6.4: by brute force.

    Each rejected host lacks just what the trace says, each accepted one fits and is the
    first, each failed row fails, and the committed plans are the allocation.
    """
    CHECKED.clear()

    @given(
        worlds(Traits(compounds=True)), st.booleans(), st.booleans(), st.sampled_from([0, 1, 2])
    )
    @settings(
        max_examples=300,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    def check(
        world: tuple[Cluster, list[Job]], recorded: bool, in_order: bool, most: int
    ) -> None:
        if most:  # limits by host that bite are rare in what is made up
            limit = Limit("most", "slots", most, (each(Dimension.HOST),))
            world = (replace(world[0], limits=(*world[0].limits, limit)), world[1])

        def policy() -> Policy:
            return FirstCome() if in_order else Ordered(lambda ask, tasks, able: [able & 0x2A])

        check_world(world, recorded, policy, in_order)

    check()
    for kind, count in sorted(CHECKED.items()):
        record_property(kind, count)
        print(f"{count:7} {kind}")
    hosts = sum(count for kind, count in CHECKED.items() if kind.startswith("host "))
    print(f"{CHECKED.total():7} in all, {hosts} of them of hosts")
    assert CHECKED.total() > 1000
    assert all(CHECKED[f"host {kind}"] > 5 for kind in VERDICTS), CHECKED
