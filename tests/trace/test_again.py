"""Jobs that are refused again before anything has changed: told alike, without a new search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import FirstCome, a_cluster, a_host, a_job, a_queue
from tests.sched.worlds import Traits, worlds
from tests.trace.cases import SEAMS
from tests.trace.harness import Harness, trace_of
from tests.workloads import ListedWorkload
from xce_core.hookspecs import SeamSpecs, hookimpl
from xce_core.model.cluster import Cluster, Order
from xce_core.model.jobs import Job
from xce_core.sched.allocator import Allocator
from xce_core.sched.scan import Scan
from xce_core.sched.watch import WatchedAllocator
from xce_core.sim.events import Event, SessionMark
from xce_core.sim.workload import Timeline


def twice_each(cluster: Cluster, *jobs: Job) -> ListedWorkload:
    """The jobs one by one, with two sessions after each; nothing ends."""
    events: list[Event] = []
    for place, job in enumerate(jobs):
        marks = [SessionMark(job.submit_time, 2 * place + n, (), 0) for n in (1, 2)]
        events += [job, *marks]
    return ListedWorkload(cluster, events, Timeline.RECORDED)


def strict_first(*jobs: Job, **given: Any) -> Harness:
    """Two hosts of four slots, a strict queue ``normal`` before a greedy ``low``."""
    cluster = a_cluster(
        a_host("n1", 4),
        a_host("n2", 4),
        queues=[a_queue(priority=7, order=Order.STRICT), a_queue("low")],
    )
    return Harness(twice_each(cluster, *jobs), FirstCome(), **given)


class Listens:
    """Writes down all that it is told of the steps of a search."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, tuple[object, ...]]] = []

    @hookimpl
    def xce_wants_watch(self, session: int) -> Callable[[str], bool]:
        self.heard.append(("session", ()))
        return lambda job: True


STEPS = [
    seam for seam in SEAMS if not seam.startswith(("xce_session", "xce_selection", "xce_wants"))
]


def a_listener() -> Any:
    """A plugin that listens at every step."""
    listener: Any = Listens()
    for seam in STEPS:
        names = getattr(SeamSpecs, seam).__code__.co_varnames[1:]
        arguments = ", ".join(names[: getattr(SeamSpecs, seam).__code__.co_argcount - 1])
        scope: dict[str, Any] = {"heard": listener.heard, "plain": plain}
        exec(
            f"def {seam}({arguments}): heard.append(({seam!r}, plain(({arguments},))))", scope
        )
        setattr(listener, seam, hookimpl(scope[seam]))
    return listener


def plain(facts: tuple[object, ...]) -> tuple[object, ...]:
    """The facts, of a scan what it saw."""
    return tuple(
        (fact.found, fact.claimed, fact.count, fact.failing()) if isinstance(fact, Scan) else fact
        for fact in facts
    )


def searches(harness: Harness, sessions: int) -> int:
    """Go on for so many sessions; how often hosts were looked for."""
    with patch.object(Allocator, "fill", autospec=True, side_effect=Allocator.fill) as fill:
        harness.go(sessions)
    return fill.call_count


def test_the_head_of_a_strict_queue_is_told_again_without_a_search() -> None:
    """R7.1, R9.3: the same lines but for the session's number, and all who listen hear it."""
    listener = a_listener()
    harness = strict_first(a_job(1, 9), a_job(2, 1), others=[("ears", listener)])
    harness.trace("on all")
    assert searches(harness, 1) > 0
    first = trace_of(harness.shown, "1")
    for session in (2, 3, 4):
        del harness.shown[:]
        assert searches(harness, 1) == 0
        again = trace_of(harness.shown, "1")
        assert again[0] == f"[trace] job 1 session {session} position 1 level summary"
        assert again[1:] == first[1:]
    assert "    failure reasons: TOO_FEW_HOSTS x1" in first
    begins = [place for place, (what, _) in enumerate(listener.heard) if what == "session"]
    heard = [
        listener.heard[begin + 1 : end]
        for begin, end in zip(begins, [*begins[1:], None], strict=True)
    ]
    assert len(heard) == 4
    assert [what for what, _ in heard[0]][:2] == ["xce_requirement_begun", "xce_cluster_checked"]
    assert heard[0] == heard[1] == heard[2] == heard[3]


def test_after_a_change_it_is_searched_for_anew() -> None:
    """R5.4, R6.4: two slots are taken by a job of another queue, which the second trace knows."""
    harness = strict_first(a_job(1, 9), a_job(2, 2, queue="low"), a_job(3, 1))
    harness.trace("on job 1 level full")
    assert searches(harness, 2) > 0  # refused in two sessions, in which nothing starts
    before = trace_of(harness.shown, "1")
    del harness.shown[:]
    harness.go(1)  # refused, then job 2 starts
    assert trace_of(harness.shown, "1")[1:] == before[1:]
    del harness.shown[:]
    assert searches(harness, 1) > 0
    after = trace_of(harness.shown, "1")
    plans = [text.strip() for text in (*before, *after) if " hosts 3 tasks per " in text]
    assert plans == [
        "plan 1 hosts 3 tasks per position [4, 4, 1]",
        "plan 1 hosts 3 tasks per position [4, 2, 3]",
    ]
    del harness.shown[:]
    assert searches(harness, 1) == 0


def test_who_begins_to_look_on_is_told_all_of_it() -> None:
    """R1.6, R2.4: tracing begins when the job is refused again; another watched it before."""
    harness = strict_first(a_job(1, 9), a_job(2, 1), others=[("ears", a_listener())])
    harness.go(1)
    assert not [text for text in harness.shown if "[trace]" in text]
    harness.trace("on all level full")
    assert searches(harness, 1) == 0
    late = trace_of(harness.shown, "1")
    fresh = strict_first(a_job(1, 9), a_job(2, 1))
    fresh.trace("on all level full")
    fresh.go(1)
    assert late[1:] == trace_of(fresh.shown, "1")[1:]


def test_what_is_told_again_is_what_a_new_search_would_tell() -> None:
    """R5.9, R6.4, R10.1: made-up clusters with limits, closed hosts, members and alternatives."""
    told_again = 0

    @given(worlds(Traits(compounds=True)), st.sampled_from(["summary", "full", "full lines 50"]))
    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    def check(world: tuple[Cluster, list[Job]], level: str) -> None:
        nonlocal told_again
        cluster, jobs = world

        def shown(anew: bool) -> tuple[list[str], int]:
            nonlocal told_again
            fresh = [a_job(job.id, job.requirement, at=job.submit_time, user=job.user,
                           queue=job.queue, project=job.project) for job in jobs]
            harness = Harness(twice_each(cluster, *fresh), FirstCome())
            harness.trace(f"on all level {level}")
            allocate = WatchedAllocator.allocate

            def forgetful(self: WatchedAllocator, wanted: Any) -> Any:
                self._refused = None
                return allocate(self, wanted)

            with patch.object(WatchedAllocator, "allocate", forgetful if anew else allocate):
                count = searches(harness, -1)
            return harness.shown, count

        (lines, less), (anew, more) = shown(anew=False), shown(anew=True)
        assert lines == anew
        assert less <= more
        told_again += less < more

    check()
    assert told_again > 10
