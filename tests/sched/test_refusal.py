"""Why a job pends: the reasons, held against host-by-host arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.builders import (
    FirstCome,
    a_cluster,
    a_host,
    a_job,
    a_queue,
    a_request,
    a_scheduler,
    any_of,
    each,
    gib,
    on_host,
    outcomes,
    together,
)
from tests.sched.books import CLUSTER, NOWHERE, Account, Books, Share, by_host, selected, somewhere
from tests.sched.worlds import ANY, SIMPLE, worlds
from xce_core.model.cluster import Cluster, HostState
from xce_core.model.decisions import Pend, StaleReasonsError
from xce_core.model.jobs import Job, JobState
from xce_core.model.limits import Dimension, Limit
from xce_core.model.reasons import Reason, ReasonCode, Reasons
from xce_core.model.requests import ONE_HOST, Primary, Span, SpanKind

Entry = tuple[ReasonCode, str, frozenset[int]]


def entries_of(reasons: Reasons) -> set[Entry]:
    """Reasons with their hosts by index; a limit without its scope."""
    return {
        (reason.code, reason.name.partition(" ")[0], frozenset(indexes(reason.hosts)))
        for reason in reasons.entries
    }


def indexes(mask: int) -> list[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]


def least_share(primary: Primary) -> int:
    """The fewest tasks that any host gets in any spread that the span allows."""
    span = primary.span
    if span.kind is SpanKind.FREE:
        return 1
    sizes = range(primary.tasks_min, primary.tasks_max + 1)
    if span.kind is SpanKind.ONE_HOST:
        return min(sizes)
    return min(tasks % span.tasks_per_host or span.tasks_per_host for tasks in sizes)


def expected_entries(books: Books, job: Job, primary: Primary) -> set[Entry]:
    """What stands in the way of *primary*, found by asking every host."""
    cluster = books.cluster
    whole = somewhere(primary.tasks_min)
    shared = books.short(job, primary, 0, whole, on_hosts=False)
    if shared:
        return {entry(cluster, account, frozenset()) for account in shared}
    chosen = selected(cluster, primary)
    states = {host.index: host.state for host in cluster.hosts}
    found = {
        (ReasonCode.SELECTION, "", frozenset(set(states) - set(chosen))),
        (ReasonCode.HOST_CLOSED, "", in_state(states, chosen, HostState.CLOSED)),
        (ReasonCode.HOST_DOWN, "", in_state(states, chosen, HostState.DOWN)),
    }
    lacking: dict[str, set[int]] = {}
    fitting = False
    for host in in_state(states, chosen, HostState.OPEN):
        placed = [Share(NOWHERE, 0), Share(host, least_share(primary))]
        short = {a for a in books.short(job, primary, 0, placed, True) if a.host == host}
        fitting |= not short
        for account in short:
            lacking.setdefault(account.name, set()).add(host)
    for name, hosts in lacking.items():
        found.add(entry(cluster, Account(name, (), CLUSTER), frozenset(hosts)))
    found = {each for each in found if each[2]}
    if fitting:
        found.add((ReasonCode.TOO_FEW_HOSTS, "", frozenset()))
    return found


def entry(cluster: Cluster, account: Account, hosts: frozenset[int]) -> Entry:
    known = account.name in cluster.resources
    return (ReasonCode.NO_RESOURCE if known else ReasonCode.LIMIT, account.name, hosts)


def in_state(
    states: dict[int, HostState], hosts: list[int], state: HostState
) -> frozenset[int]:
    return frozenset(host for host in hosts if states[host] is state)


@settings(max_examples=60, deadline=None)
@given(worlds(SIMPLE))
def test_the_reasons_name_exactly_what_is_lacking(world: tuple[Cluster, list[Job]]) -> None:
    """C5: every host named lacks what it is named for, and none that lacks it is left out."""
    cluster, jobs = world
    scheduler = a_scheduler(cluster, *jobs, policy=FirstCome())
    books = Books(cluster)
    for outcome in scheduler.session(1, 0, each=True):
        if isinstance(outcome, Pend):
            primary = outcome.job.requirement.alternatives[0].members[0]
            expected = expected_entries(books, outcome.job, primary)
            assert entries_of(outcome.reasons) == expected
        books = Books(cluster, scheduler.running.values())


@settings(max_examples=60, deadline=None)
@given(worlds(SIMPLE))
def test_reasons_of_alternatives_are_those_of_each(world: tuple[Cluster, list[Job]]) -> None:
    """C5: what stands in the way of any alternative is said, once."""
    cluster, jobs = world
    primaries = [job.requirement.alternatives[0].members[0] for job in jobs]
    job = a_job(99, any_of(*primaries), user=jobs[0].user, project=jobs[0].project)
    scheduler = a_scheduler(cluster, job)
    for outcome in scheduler.session(1, 0, each=True):
        if isinstance(outcome, Pend):
            parts = [expected_entries(Books(cluster), job, primary) for primary in primaries]
            assert joined(entries_of(outcome.reasons)) == joined(set().union(*parts))


def joined(entries: set[Entry]) -> dict[tuple[ReasonCode, str, bool], set[int]]:
    """Entries with the hosts of like ones together."""
    found: dict[tuple[ReasonCode, str, bool], set[int]] = {}
    for code, name, hosts in entries:
        found.setdefault((code, name, bool(hosts)), set()).update(hosts)
    return found


@settings(max_examples=60, deadline=None)
@given(worlds(ANY))
def test_who_is_refused_is_told_why_and_told_the_same_again(
    world: tuple[Cluster, list[Job]],
) -> None:
    """C5: reasons are never empty, have their main code among them, and depend on the state."""
    cluster, jobs = world
    scheduler = a_scheduler(cluster, *jobs, policy=FirstCome())
    for outcome in scheduler.session(1, 0, each=True):
        if isinstance(outcome, Pend):
            reasons = outcome.reasons
            assert reasons.main in {reason.code for reason in reasons.entries}
            assert reasons == scheduler.reasons(outcome.job)
            assert hash(reasons) == hash(scheduler.reasons(outcome.job))
            assert_unique(reasons)


def assert_unique(reasons: Reasons) -> None:
    keys = [(reason.code, reason.name, bool(reason.hosts)) for reason in reasons.entries]
    assert len(set(keys)) == len(keys)


@settings(max_examples=60, deadline=None)
@given(worlds(ANY))
def test_equal_states_give_equal_reasons(world: tuple[Cluster, list[Job]]) -> None:
    """C5, C7: after other jobs came and went, a job is refused for what it was refused before."""
    cluster, jobs = world
    *others, last = jobs
    scheduler = a_scheduler(cluster, last)
    if not isinstance(first := next(scheduler.session(1, 0, each=True)), Pend):
        return
    reasons = first.reasons
    for job in others:
        scheduler.submit(job, 0)
    outcomes(scheduler)
    for job in others:
        scheduler.end(job, 0, JobState.DONE)
    assert scheduler.reasons(last) == reasons


# By hand.


def reasons_on(cluster: Cluster, job: Job) -> list[tuple[str, str, list[str]]]:
    """The reasons for which *job* can't start on the idle cluster, main code first."""
    scheduler = a_scheduler(cluster, job)
    (outcome,) = scheduler.session(1, 0, each=True)
    assert isinstance(outcome, Pend)
    return shown(cluster, outcome.reasons)


def shown(cluster: Cluster, reasons: Reasons) -> list[tuple[str, str, list[str]]]:
    return [(r.code.name, r.name, list(cluster.names_of(r.hosts))) for r in reasons.entries]


def test_every_reason_names_its_hosts() -> None:
    """C5: codes, hosts, resources and limits; hosts in more than one entry where it is so."""
    cluster = a_cluster(
        a_host(slots=2, mem=gib(16)),
        a_host(slots=1, mem=gib(4)),
        a_host(slots=8, mem=gib(64), state=HostState.DOWN),
        a_host(slots=8, mem=gib(64), state=HostState.CLOSED),
        a_host(slots=8, mem=gib(64), attributes={"type": "old"}),
        limits=[Limit("one", "slots", 2, (each(Dimension.HOST, "n1"),))],
    )
    select = 'type != "old" || !defined(type)'
    job = a_job(1, a_request(3, span=ONE_HOST, select=select, mem=gib(8)))
    assert reasons_on(cluster, job) == [
        ("NO_RESOURCE", "mem", ["n2"]),
        ("NO_RESOURCE", "slots", ["n1", "n2"]),
        ("LIMIT", "one", ["n1"]),
        ("SELECTION", "", ["n5"]),
        ("HOST_CLOSED", "", ["n4"]),
        ("HOST_DOWN", "", ["n3"]),
    ]


def test_a_limit_is_named_with_the_count_that_is_full() -> None:
    """C5: a limit reason says whose count it is."""
    cluster = a_cluster(
        a_host(slots=8),
        limits=[
            Limit("own", "slots", 2, (each(Dimension.USER),)),
            Limit("some", "slots", 2, (together(Dimension.PROJECT, "p1", "p2"),)),
            Limit("all", "slots", 2),
        ],
    )
    assert reasons_on(cluster, a_job(1, 3)) == [
        ("LIMIT", "all (all)", []),
        ("LIMIT", "own (u=alice)", []),
        ("LIMIT", "some (p=p1+p2)", []),
    ]


def test_a_shared_shortage_hides_what_hosts_lack() -> None:
    """C5: where the cluster falls short no host is looked at."""
    cluster = a_cluster(a_host(slots=1), license=1)
    assert reasons_on(cluster, a_job(1, a_request(4, license=2))) == [
        ("NO_RESOURCE", "license", [])
    ]


def test_hosts_that_would_do_one_by_one_are_too_few() -> None:
    """C5: each host has room for some tasks, all together have not."""
    cluster = a_cluster(a_host(slots=2), a_host(slots=0))
    assert reasons_on(cluster, a_job(1, 3)) == [
        ("TOO_FEW_HOSTS", "", []),
        ("NO_RESOURCE", "slots", ["n2"]),
    ]


@pytest.mark.parametrize(
    ("tasks", "most", "lacking"),
    [
        (6, 6, ["n2"]),  # 4 + 2: a host with two slots would do for the last two
        (6, 7, ["n2"]),  # or 4 + 3
        (4, 4, ["n1", "n2", "n3"]),
        (3, 3, ["n1", "n2"]),
    ],
)
def test_a_host_is_measured_by_the_least_that_it_could_be_given(
    tasks: int, most: int, lacking: list[str]
) -> None:
    """C5: with N tasks a host, the last host takes what remains."""
    slots = [2, 1, 3]
    cluster = a_cluster(*(a_host(slots=number) for number in slots))
    job = a_job(1, a_request(tasks, most, Span(SpanKind.PER_HOST, 4)))
    if tasks == 3:
        cluster = a_cluster(a_host(slots=2), a_host(slots=1))
    reasons = reasons_on(cluster, job)
    assert [hosts for code, _, hosts in reasons if code == "NO_RESOURCE"] == [lacking]


def test_a_member_is_short_beside_what_those_before_it_reserve() -> None:
    """C5: the reasons are those of the member that failed, with the others' claims counted."""
    cluster = a_cluster(a_host(slots=4), a_host(slots=4))
    two = a_request(2, span=ONE_HOST, slots=2)
    scheduler = a_scheduler(cluster, job := a_job(1, (two, two, two)))
    (outcome,) = scheduler.session(1, 0, each=True)
    assert isinstance(outcome, Pend)
    assert shown(cluster, outcome.reasons) == [("NO_RESOURCE", "slots", ["n1", "n2"])]
    assert job.state is JobState.PENDING


def test_only_empty_alternatives_are_no_plan() -> None:
    """C5: a requirement without members is refused, with a reason."""
    cluster = a_cluster(a_host())
    assert reasons_on(cluster, a_job(1, any_of((), ()))) == [("NO_PLAN", "", [])]


@pytest.mark.parametrize(
    ("fields", "name", "code"),
    [
        ({"held": True}, "", ReasonCode.HELD),
        ({"begin_time": 5}, "", ReasonCode.BEGIN_TIME),
        ({"queue": "shut"}, "shut", ReasonCode.QUEUE_CLOSED),
    ],
)
def test_who_can_not_be_considered_has_a_reason_of_its_own(
    fields: dict[str, object], name: str, code: ReasonCode
) -> None:
    """C5, C6: held, waiting and queue closed are reasons like any other."""
    cluster = a_cluster(a_host(), queues=[a_queue(), a_queue("shut", is_open=False)])
    scheduler = a_scheduler(cluster, job := a_job(1, **fields))
    assert scheduler.reasons(job) == Reasons(code, (Reason(code, name),))


def test_reasons_are_those_of_the_instant_or_not_to_be_had() -> None:
    """C5: once the session has gone on, it is too late to ask for the first time."""
    scheduler = a_scheduler(a_cluster(a_host()), a_job(1, 9), a_job(2, 8), a_job(3, 1))
    session = scheduler.session(1, 0, each=True)
    first, second = next(session), next(session)
    assert isinstance(first, Pend)
    assert isinstance(second, Pend)
    reasons = second.reasons
    with pytest.raises(StaleReasonsError):
        _ = first.reasons
    assert [outcome.job.id for outcome in session] == ["3"]
    assert second.reasons is reasons


def test_an_overdrawn_host_is_named_like_any_other() -> None:
    """C5, S4: a dispatch taken over may leave less than nothing; reasons go on being exact."""
    cluster = a_cluster(a_host(slots=2), a_host(slots=2))
    scheduler = a_scheduler(cluster, over := a_job(1, 5), short := a_job(2, 3))
    scheduler.reconstruct(over, on_host(0, 5), 0)
    (outcome,) = scheduler.session(1, 0, each=True)
    assert isinstance(outcome, Pend)
    assert outcome.job is short
    assert shown(cluster, outcome.reasons) == [
        ("TOO_FEW_HOSTS", "", []),
        ("NO_RESOURCE", "slots", ["n1"]),
    ]


def test_a_limit_by_host_is_named_with_its_scope() -> None:
    """C5: a count by user and host is named by its user, its hosts by the mask."""
    limit = Limit("lim", "slots", 1, (each(Dimension.USER), each(Dimension.HOST)))
    assert by_host(limit)
    cluster = a_cluster(a_host(), a_host(), limits=[limit])
    job = a_job(1, a_request(2, span=ONE_HOST))
    assert reasons_on(cluster, job) == [("LIMIT", "lim (u=alice)", ["n1", "n2"])]


def test_what_can_not_be_resolved_has_a_reason_of_its_own() -> None:
    """C5: a job that asks for an unknown resource is told so."""
    scheduler = a_scheduler(a_cluster(a_host()), job := a_job(1, a_request(1, tape=1)))
    assert scheduler.reasons(job).main is ReasonCode.NO_SCHEDULING_OBJECT
