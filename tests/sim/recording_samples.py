"""Random clusters, jobs and events for the tests of the recording format."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from xce_core.model.amounts import AmountKind
from xce_core.model.cluster import Cluster, Host, HostState, Order, Queue
from xce_core.model.decisions import Allocation, Placement
from xce_core.model.expressions import parse_expression
from xce_core.model.jobs import Dependency, DependsOn, Job, JobState, Seconds, format_job_id
from xce_core.model.limits import Dimension, Limit, Scope
from xce_core.model.reasons import Reason, ReasonCode, Reasons, reason_set
from xce_core.model.requests import FREE, ONE_HOST, Compound, Primary, Requirement, Span, SpanKind
from xce_core.model.resources import SLOTS, Counted, Resource
from xce_core.sim.events import (
    Act,
    Event,
    HostChange,
    JobAct,
    JobChange,
    JobEnd,
    QueueChange,
    Recorded,
    SessionMark,
)
from xce_core.sim.recording import RecordingWorkload, open_recording

THOROUGH = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
"""For tests whose examples are whole recordings."""

RESOURCES = {
    "slots": SLOTS,
    "mem": Resource("mem", counted=Counted.HOST, kind=AmountKind.BYTES),
    "gpu": Resource("gpu", decimals=2),
    "license": Resource("license", shared=True, counted=Counted.JOB),
    "disk": Resource("disk", shared=True, kind=AmountKind.BYTES),
}
NAMES = st.sampled_from(["alice", "bob", "o'neill", 'q"', "ä b", "\\", "1"])
SELECTS = st.sampled_from(["mem >= 32G", 'type == "a\\"b"', "!defined(x) || gpu > 0.5"])
CLUSTER_TIMES = st.integers(-(10**6), 10**10) | st.integers(0, 10**13).map(
    lambda n: n // 10**6 if n % 10**6 == 0 else round(n / 10**6, 6)
)
DURATIONS = CLUSTER_TIMES.map(abs)
AMOUNTS = st.integers(0, 2**50) | st.integers(0, 200).map(lambda n: n * 2**30)


def optional(values: st.SearchStrategy[Seconds]) -> st.SearchStrategy[Seconds | None]:
    """One of *values*, or None."""
    return st.none() | values


def opened(data: bytes | str, cluster: Cluster | None = None, up_to_cut: bool = False) -> (
    RecordingWorkload
):
    """The recording that *data* is, under the name ``t.jsonl``."""
    raw = data.encode() if isinstance(data, str) else data
    return open_recording(io.BytesIO(raw), "t.jsonl", cluster, up_to_cut)


# Clusters.


@st.composite
def host_names(draw: st.DrawFn) -> list[str]:
    """Names that count on, or do not."""
    width = draw(st.integers(1, 3))
    first = draw(st.integers(0, 120))
    names = [f"n{number:0{width}}" for number in range(first, first + draw(st.integers(1, 9)))]
    names += draw(st.lists(st.sampled_from(["login", "x1-ib", "x2-ib", "n5x", "9", "r1c2"])))
    names = list(dict.fromkeys(names))
    return draw(st.permutations(names)) if draw(st.booleans()) else names


@st.composite
def amounts(draw: st.DrawFn, only_hosts: bool = False) -> dict[str, int]:
    """Amounts of some resources, in any order."""
    names = [name for name, each in RESOURCES.items() if not (only_hosts and each.shared)]
    chosen = draw(st.lists(st.sampled_from(names), unique=True))
    return {name: draw(AMOUNTS) for name in chosen}


@st.composite
def hosts(draw: st.DrawFn) -> tuple[Host, ...]:
    """Hosts, neighbours often alike."""
    found: list[Host] = []
    values = st.text("ab \"ä", max_size=3) | st.booleans() | st.integers(0, 2**80) | st.floats(0, 1)
    kinds = [
        (draw(amounts(only_hosts=True)), draw(st.dictionaries(st.sampled_from("xyz"), values)))
        for _ in range(2)
    ]
    for name in draw(host_names()):
        capacity, attributes = draw(st.sampled_from(kinds))
        state = draw(st.sampled_from(HostState))
        found.append(Host(name, len(found), capacity, attributes, state))
    return tuple(found)


@st.composite
def limits(draw: st.DrawFn, cluster: Cluster) -> tuple[Limit, ...]:
    """Limits of all kinds of scopes."""
    found = []
    for number in range(draw(st.integers(0, 3))):
        resource = draw(st.sampled_from([*RESOURCES, "jobs"]))
        scopes = []
        for dimension in draw(st.sets(st.sampled_from(Dimension))):
            names: tuple[str, ...] | None
            if dimension is Dimension.HOST:
                known = st.sampled_from([host.name for host in cluster.hosts])
                chosen = draw(st.none() | st.sets(known, min_size=1))
                order = cluster.index_of.__getitem__
                names = None if chosen is None else tuple(sorted(chosen, key=order))
            else:
                known = (
                    st.sampled_from(list(cluster.queues))
                    if dimension is Dimension.QUEUE
                    else NAMES
                )
                listed = draw(st.none() | st.lists(known, min_size=1, unique=True))
                names = None if listed is None else tuple(listed)
            each = names is None or dimension is Dimension.HOST or draw(st.booleans())
            scopes.append(Scope(dimension, names, each))
        scopes.sort(key=lambda scope: "uqph".index(scope.dimension.value))
        found.append(Limit(f"lim {number}", resource, draw(AMOUNTS), tuple(scopes)))
    return tuple(found)


@st.composite
def queues(draw: st.DrawFn) -> dict[str, Queue]:
    """Queues, some with defaults."""
    found = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
        default = None
        if draw(st.booleans()):
            select = draw(st.none() | SELECTS.map(parse_expression))
            default = Primary(1, 1, tuple(draw(amounts()).items()), select)
        found[name] = Queue(
            name,
            draw(st.integers(-5, 5)),
            draw(st.sampled_from(Order)),
            draw(st.booleans()),
            None,
            default,
        )
    return found


@st.composite
def clusters(draw: st.DrawFn) -> Cluster:
    """Whole clusters."""
    shared = {name: draw(AMOUNTS) for name, each in RESOURCES.items() if each.shared}
    cluster = Cluster(draw(hosts()), dict(RESOURCES), shared, draw(queues()))
    return Cluster(
        cluster.hosts, cluster.resources, shared, cluster.queues, draw(limits(cluster))
    )


# Jobs.


@st.composite
def primaries(draw: st.DrawFn) -> Primary:
    """What one member may ask."""
    fewest = draw(st.integers(1, 5))
    span = draw(st.sampled_from([FREE, ONE_HOST, Span(SpanKind.PER_HOST, 2)]))
    select = draw(st.none() | SELECTS.map(parse_expression))
    asked = tuple(draw(amounts()).items())
    return Primary(fewest, fewest + draw(st.integers(0, 2)), asked, select, span)


def requirements() -> st.SearchStrategy[Requirement]:
    """Requirements of all shapes."""
    some = st.lists(primaries(), min_size=1, max_size=3).map(tuple)
    maybe_empty = st.lists(primaries(), max_size=3).map(lambda found: Compound(tuple(found)))
    return (
        primaries().map(Requirement.single)
        | some.map(Requirement.compound)
        | st.lists(maybe_empty, min_size=1, max_size=3).map(lambda f: Requirement.any_of(tuple(f)))
    )


@st.composite
def jobs(draw: st.DrawFn, cluster: Cluster, number: int, time: Seconds) -> Job:
    """A job, or an element of an array, submitted at *time*."""
    index = draw(st.just(-1) | st.integers(0, 20))
    others = st.builds(
        Dependency,
        st.sampled_from(["7000", "7001[3]"]),
        st.sampled_from(DependsOn),
        DURATIONS,
    )
    return Job(
        format_job_id(number, index),
        number,
        index,
        draw(NAMES | st.just("")),
        draw(st.sampled_from(list(cluster.queues))),
        draw(NAMES | st.just("")),
        draw(requirements()),
        time,
        draw(optional(DURATIONS)),
        draw(optional(DURATIONS)),
        draw(st.integers(-3, 3)),
        draw(optional(CLUSTER_TIMES)),
        tuple(draw(st.lists(others, max_size=2))),
        draw(st.sampled_from([JobState.DONE, JobState.FAILED, JobState.KILLED])),
        held=draw(st.booleans()),
    )


@st.composite
def placements(draw: st.DrawFn, cluster: Cluster) -> tuple[Placement, ...]:
    """Some placements, whatever the job asked."""
    masks = st.integers(1, cluster.all_hosts)
    one = st.builds(Placement, masks, st.integers(1, 9), st.integers(0, 3), st.booleans())
    return tuple(draw(st.lists(one, min_size=1, max_size=3)))


def allocations(cluster: Cluster) -> st.SearchStrategy[Allocation]:
    """Some allocations."""
    return st.builds(Allocation, placements(cluster), st.integers(0, 3))


@st.composite
def reasons(draw: st.DrawFn, cluster: Cluster) -> Reasons:
    """Some reasons, with and without hosts."""
    masks = st.just(0) | st.integers(1, cluster.all_hosts)
    texts = st.sampled_from(["", "license", 'lim (u="x")', "a\nremark \ud800"])
    one = st.builds(Reason, st.sampled_from(ReasonCode), texts, masks)
    return reason_set(draw(st.sampled_from(ReasonCode)), draw(st.lists(one, max_size=4)))


# Events.

Made = Callable[[st.DrawFn, Cluster, int, Seconds], Event]


def _session(draw: st.DrawFn, cluster: Cluster, number: int, time: Seconds) -> Event:
    dispatches = st.builds(
        Recorded, st.just("3"), allocations(cluster), st.none(), st.booleans(), st.just(0)
    )
    ids = st.sampled_from(["1", "2", "3", "4[1]", "4[2]", "4[7]", "5"])
    some = draw(st.lists(reasons(cluster), min_size=1, max_size=2))
    pends = st.builds(
        Recorded, ids, st.none(), st.sampled_from(some), st.just(False), st.just(0)
    )
    decisions = st.lists(dispatches | pends, max_size=6, unique_by=lambda each: each.job)
    return SessionMark(time, number, tuple(draw(decisions)), 0)


def _end(draw: st.DrawFn, cluster: Cluster, number: int, time: Seconds) -> Event:
    state = draw(st.sampled_from([JobState.DONE, JobState.FAILED, JobState.KILLED]))
    return JobEnd(time, "4[2]", state, 0)


def _act(draw: st.DrawFn, cluster: Cluster, number: int, time: Seconds) -> Event:
    return JobAct(time, str(number), draw(st.sampled_from(Act)), 0)


def _change(draw: st.DrawFn, cluster: Cluster, number: int, time: Seconds) -> Event:
    queue = draw(st.none() | st.sampled_from(list(cluster.queues)))
    limit, begin = draw(optional(DURATIONS)), draw(optional(CLUSTER_TIMES))
    return JobChange(time, str(number), draw(st.integers(-9, 2**53)), queue, limit, begin, 0)


def _hosts(draw: st.DrawFn, cluster: Cluster, number: int, time: Seconds) -> Event:
    mask = draw(st.integers(1, cluster.all_hosts))
    return HostChange(time, mask, draw(st.sampled_from(HostState)), 0)


def _queue(draw: st.DrawFn, cluster: Cluster, number: int, time: Seconds) -> Event:
    return QueueChange(time, draw(st.sampled_from(list(cluster.queues))), draw(st.booleans()), 0)


def _submit(draw: st.DrawFn, cluster: Cluster, number: int, time: Seconds) -> Event:
    return draw(jobs(cluster, number, time))


_MAKERS: list[Made] = [_submit, _submit, _session, _session, _end, _act, _change, _hosts, _queue]


@st.composite
def event_lists(draw: st.DrawFn, cluster: Cluster) -> list[Event]:
    """Events in time order."""
    times = sorted(draw(st.lists(CLUSTER_TIMES, max_size=10)))
    return [
        draw(st.sampled_from(_MAKERS))(draw, cluster, number, time)
        for number, time in enumerate(times, 1)
    ]


# Comparing.


def plain(event: Event) -> object:
    """*event* as a value that is equal wherever it stands in a file."""
    if isinstance(event, Job):
        return job_facts(event)
    if isinstance(event, SessionMark):
        decisions = tuple(replace(decision, line=0) for decision in event.decisions)
        return replace(event, decisions=decisions, line=0)
    return replace(event, line=0)


def job_facts(job: Job) -> dict[str, object]:
    """All that a recording says of a job."""
    left_out = ("line", "allocation")
    return {name: getattr(job, name) for name in Job.__slots__ if name not in left_out}
