"""Jobs that are refused again before anything has changed: told alike, without a new search."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import FirstCome, a_cluster, a_host, a_job, a_queue, a_request, any_of
from tests.sched.worlds import Traits, worlds
from tests.trace.cases import SEAMS, Offers
from tests.trace.harness import Harness, trace_of
from tests.workloads import ListedWorkload
from xce_core.hookspecs import SeamSpecs, hookimpl
from xce_core.model.cluster import Cluster, Order
from xce_core.model.jobs import Job
from xce_core.model.plans import Plan
from xce_core.sched.allocator import Allocator
from xce_core.sched.ask import Ask
from xce_core.sched.repeats import SAID_MOST
from xce_core.sched.scan import Scan
from xce_core.sched.verdicts import HostChecks
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


def test_plugins_that_have_a_say_are_asked_each_time() -> None:
    """R10.1, P2: a plan generator may have changed its mind."""
    asked: list[int] = []

    class Counts(Offers):
        def plans(self, ask: Ask, tasks: int) -> Iterable[Plan]:
            asked.append(tasks)
            return super().plans(ask, tasks)

    harness = strict_first(a_job(1, 9), a_job(2, 1), generators=[Counts(Plan(((9, 1),)))])
    harness.trace("on all")
    for session in (1, 2, 3):
        harness.go(1)
        assert asked == [9] * session


def test_what_earlier_members_reserved_is_not_told_again() -> None:
    """R10.1, R4.1: it is seen only while it is claimed; a first member that fails met nothing."""
    harness = strict_first(a_job(1, (a_request(2), a_request(7))), a_job(2, 1))
    harness.trace("on all level full")
    for _ in range(3):
        assert searches(harness, 1) > 0
    harness = strict_first(a_job(1, (a_request(9), a_request(2))), a_job(2, 1))
    harness.trace("on all level full")
    assert searches(harness, 1) > 0
    first = trace_of(harness.shown, "1")
    del harness.shown[:]
    assert searches(harness, 1) == 0
    assert trace_of(harness.shown, "1")[1:] == first[1:]


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
    told_again = 0  # of 60 worlds, which are the same each time

    @given(worlds(Traits(compounds=True)), st.sampled_from(["summary", "full", "full lines 50"]))
    @settings(
        max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
    )
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
                self._repeats.forget()
                return allocate(self, wanted)

            with patch.object(WatchedAllocator, "allocate", forgetful if anew else allocate):
                count = searches(harness, -1)
            return harness.shown, count

        (lines, less), (anew, more) = shown(anew=False), shown(anew=True)
        assert lines == anew
        assert less <= more
        told_again += less < more

    check()
    assert told_again > 1


def test_what_could_not_be_worked_out_is_tried_again() -> None:
    """R10.6: each trace of it says that it is incomplete; one that goes well tells all."""
    cluster = a_cluster(a_host("n1", 4), queues=[a_queue(order=Order.STRICT)], license=1)
    wants = a_request(5, license=1)
    harness = Harness(twice_each(cluster, a_job(1, wants), a_job(2, 1)), FirstCome())
    harness.trace("on all")
    with patch("xce_core.sched.watch.cluster_rows", side_effect=ValueError("lost")):
        harness.go(2)
    incomplete = [text for text in harness.shown if "trace incomplete" in text]
    assert incomplete == [
        "  ... trace incomplete (plugin core in xce_cluster_checked: ValueError: lost)"
    ] * 2
    del harness.shown[:]
    for _ in range(2):
        lines = trace_of(harness.go(1), "1")
        assert "    cluster-wide: license total 1 in-use 0 reserved 0 requested 1 passed" in lines
        assert not [text for text in lines if "incomplete" in text]


class Interrupts:
    """Listens, and is interrupted where and when it is told to be."""

    def __init__(self) -> None:
        self.when = False

    @hookimpl
    def xce_wants_watch(self, session: int) -> Callable[[str], bool]:
        return lambda job: True

    @hookimpl
    def xce_plan_begun(self, number: int) -> None:
        if self.when:
            raise KeyboardInterrupt


def test_an_interrupt_while_it_is_told_again_loses_nothing() -> None:
    """R10.6, I2: the next time all of it is told."""
    interrupts = Interrupts()
    harness = strict_first(a_job(1, 9), a_job(2, 1), others=[("break", interrupts)])
    harness.trace("on all")
    whole = trace_of(harness.go(1), "1")
    interrupts.when = True
    with pytest.raises(KeyboardInterrupt):
        harness.go(1)
    interrupts.when = False
    harness._iterator = None
    with patch.object(Allocator, "fill", side_effect=AssertionError("searched for again")):
        assert trace_of(harness.go(1), "1")[1:] == whole[1:]


def test_what_is_kept_to_be_told_again_is_bounded() -> None:
    """R9.5: of a refusal with many steps nothing is kept, nor of a job that starts."""
    many = any_of(*[a_request(9 + number) for number in range(SAID_MOST)])
    harness = strict_first(a_job(1, many), a_job(2, 1))
    harness.trace("on all")
    assert searches(harness, 1) >= SAID_MOST
    assert said(harness) == []
    assert searches(harness, 1) >= SAID_MOST
    harness = strict_first(a_job(1, 9), a_job(2, 1, queue="low"))
    harness.trace("on all level full")
    for _ in range(2):
        harness.go(1)
        kept = [fact for _, facts in said(harness) for fact in facts]
        assert [fact for fact in kept if isinstance(fact, Scan)]
        gc.collect()
        assert not [each for each in gc.get_objects() if isinstance(each, HostChecks)]
    harness.go(1)  # job 1 is refused again, job 2 starts
    assert said(harness) == []


def said(harness: Harness) -> list[Any]:
    """What is kept to be told again."""
    seams = harness.replay.scheduler.seams
    assert seams is not None
    assert seams._allocator is not None
    return seams._allocator._repeats._said


@pytest.mark.parametrize("level", ["summary", "full"])
def test_a_restart_lets_the_old_replay_go(level: str) -> None:
    """R9.5: of a replay that is over nothing is kept but what the user asked for."""
    harness = strict_first(a_job(1, 9), a_job(2, 1, queue="low"))
    harness.trace(f"on all level {level}")
    harness.go()
    ledger = weakref.ref(harness.replay.scheduler.ledger)
    plugin = harness.plugin
    del harness
    again = strict_first(a_job(1, 1))
    plugin.xce_repl_restarted(again)
    gc.collect()
    assert ledger() is None
