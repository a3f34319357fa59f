"""Random clusters, limits and jobs, small enough for every possibility to be tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from tests.builders import GPU, LICENSE, MEM, a_cluster, a_host, a_job, a_queue, a_request, any_of
from xce_core.model.cluster import Cluster, HostState, Order
from xce_core.model.jobs import Job
from xce_core.model.limits import Dimension, Limit, Scope
from xce_core.model.requests import FREE, ONE_HOST, Primary, Requirement, Span, SpanKind
from xce_core.model.resources import SLOTS, Counted

USERS, QUEUES, PROJECTS = ("alice", "bob"), ("normal", "night"), ("p1", "p2")
SELECTIONS = ("", 'type == "a"', 'type != "a"', "slots >= 3", "!defined(local)", 'name == "n2"')

states = st.sampled_from([HostState.OPEN] * 5 + [HostState.CLOSED, HostState.DOWN])
spans = st.one_of(
    st.just(FREE), st.just(ONE_HOST), st.integers(1, 3).map(lambda n: Span(SpanKind.PER_HOST, n))
)


@dataclass(frozen=True)
class Traits:
    """What may occur in a world.

    :param first: amounts that the first host takes alone; with them, a search may miss
        placements.
    :param by_hosts: shared amounts that depend on the number of hosts.
    :param compounds: requirements of more than one member.
    """

    first: bool = True
    by_hosts: bool = True
    compounds: bool = True


SINGLE = Traits(compounds=False)
SEARCHED = Traits(first=False, compounds=False)
SIMPLE = Traits(first=False, by_hosts=False, compounds=False)
ANY = Traits()


hosts = st.builds(
    a_host,
    slots=st.integers(0, 6),
    state=states,
    mem=st.integers(0, 8),
    gpu=st.integers(0, 40),
    attributes=st.sampled_from(
        [{}, {"type": "a"}, {"type": "b"}, {"type": "a", "local": True}, {"local": False}]
    ),
)


def _scope(dimension: Dimension, names: tuple[str, ...]) -> st.SearchStrategy[Scope | None]:
    some = st.sampled_from([None, names[:1], names[-1:], names])
    # Hosts never share a count: a limit on hosts counts each by itself.
    alone = st.just(True) if dimension is Dimension.HOST else st.booleans()
    return st.one_of(st.none(), st.builds(Scope, st.just(dimension), some, alone))


@st.composite
def limits(
    draw: st.DrawFn,
    number: int,
    named: tuple[str, ...],
    counted: Mapping[str, Counted],
    traits: Traits,
) -> Limit:
    """A limit on any resource, with any mix of scopes.

    :param named: hosts that its scope may name.
    :param counted: the resources that it may be about.
    """
    scopes = (
        draw(_scope(Dimension.USER, USERS)),
        draw(_scope(Dimension.QUEUE, QUEUES)),
        draw(_scope(Dimension.PROJECT, PROJECTS)),
        draw(_scope(Dimension.HOST, named)),
    )
    on_hosts = scopes[3] is not None
    # A cap on what is counted per host makes the number of hosts count; and by host, one on
    # what is counted per job counts on the first.
    never = Counted.JOB if on_hosts else Counted.HOST
    may = traits.first if on_hosts else traits.by_hosts
    names = [name for name in counted if may or counted[name] is not never]
    resource = draw(st.sampled_from([*names, "jobs"]))
    value = draw(st.integers(0, 50 if resource == "gpu" else 8))
    return Limit(f"lim{number}", resource, value, tuple(s for s in scopes if s is not None))


@st.composite
def clusters(draw: st.DrawFn, traits: Traits = ANY) -> Cluster:
    """Up to six hosts with slots, memory and gpus, licences, and up to three limits."""
    of_hosts = st.sampled_from([Counted.TASK, Counted.HOST] + [Counted.JOB] * traits.first)
    of_cluster = st.sampled_from([Counted.TASK, Counted.JOB] + [Counted.HOST] * traits.by_hosts)
    resources = (
        SLOTS,
        replace(MEM, counted=draw(of_hosts)),
        replace(GPU, counted=draw(of_hosts)),
        replace(LICENSE, counted=draw(of_cluster)),
    )
    some = draw(st.lists(hosts, min_size=1, max_size=6))
    named = tuple(f"n{number + 1}" for number in range(len(some)))[:2]
    counted = {resource.name: resource.counted for resource in resources}
    made = [
        draw(limits(number, named, counted, traits))
        for number in range(draw(st.integers(0, 3)))
    ]
    return a_cluster(
        *some,
        queues=[a_queue("normal"), a_queue("night", priority=1, order=Order.STRICT)],
        limits=made,
        resources=resources,
        license=draw(st.integers(0, 8)),
    )


@st.composite
def primaries(draw: st.DrawFn) -> Primary:
    """A few tasks with amounts of anything."""
    fewest = draw(st.integers(1, 5))
    amounts = {
        name: draw(st.integers(1, largest))
        for name, largest in [("slots", 3), ("mem", 5), ("gpu", 15), ("license", 4)]
        if draw(st.booleans()) or name == "slots"
    }
    return a_request(
        fewest,
        fewest + draw(st.sampled_from([0, 0, 1, 2, 4])),
        draw(spans),
        draw(st.sampled_from(SELECTIONS)) if draw(st.booleans()) else "",
        **amounts,
    )


@st.composite
def requirements(draw: st.DrawFn, traits: Traits = ANY) -> Requirement:
    """A single primary, a compound, or alternatives, some of them empty."""
    one = primaries()
    if not traits.compounds or draw(st.booleans()):
        return Requirement.single(draw(one))
    members = st.lists(one, min_size=0, max_size=3).map(tuple)
    if draw(st.booleans()):
        return Requirement.compound(draw(st.lists(one, min_size=1, max_size=3).map(tuple)))
    return any_of(*draw(st.lists(members, min_size=1, max_size=3)))


@st.composite
def jobs(draw: st.DrawFn, number: int, traits: Traits = ANY) -> Job:
    """A job of anybody in any queue."""
    return a_job(
        number,
        draw(requirements(traits)),
        at=number,
        user=draw(st.sampled_from(USERS)),
        queue=draw(st.sampled_from(QUEUES)),
        project=draw(st.sampled_from(PROJECTS)),
    )


@st.composite
def worlds(draw: st.DrawFn, traits: Traits = ANY, most: int = 6) -> tuple[Cluster, list[Job]]:
    """A cluster, and jobs to be submitted to it."""
    count = draw(st.integers(1, most))
    return draw(clusters(traits)), [draw(jobs(number + 1, traits)) for number in range(count)]
