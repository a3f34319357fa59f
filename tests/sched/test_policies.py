"""Policies, plan generators and host orders that plugins bring, good and bad."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Any

import pytest

from tests.builders import (
    a_cluster,
    a_host,
    a_job,
    a_request,
    account_of,
    on_host,
    outcomes,
    started,
    told,
)
from xce_core.model.cluster import Queue
from xce_core.model.decisions import Dispatch, Pend, Placement
from xce_core.model.jobs import Job
from xce_core.model.plans import Plan
from xce_core.model.reasons import ReasonCode
from xce_core.model.requests import ONE_HOST, Span, SpanKind
from xce_core.sched.allocator import HostOrder, PluginFailure
from xce_core.sched.ask import Ask
from xce_core.sched.generators import PlanGenerator
from xce_core.sched.policy import Election, HoldBack, NoDecision, Outcome, Policy, Session
from xce_core.sched.scheduler import Scheduler

TWO_PER_HOST = Span(SpanKind.PER_HOST, 2)


def reporting(
    policy: Policy, *jobs: Job, slots: Iterable[int] = (4, 4)
) -> tuple[Scheduler, list[str]]:
    """A scheduler with *jobs*, and where the failures of plugins are noted."""
    failures: list[str] = []
    scheduler = Scheduler(
        a_cluster(*(a_host(slots=number) for number in slots)),
        policy,
        report=lambda failure: failures.append(str(failure)),
    )
    for job in jobs:
        scheduler.submit(job, 0)
    return scheduler, failures


# Elections.


class Electing(Policy):
    """A policy that proposes what it is made with."""

    name = "electing"

    def __init__(self, election: Callable[[Session], Any]) -> None:
        self.election = election

    def elect(self, session: Session) -> Election:
        return self.election(session)  # type: ignore[no-any-return]


def test_a_policy_sees_each_decision_before_it_proposes_the_next() -> None:
    """P5: each proposal gives the decision on it, with its effect already there."""
    seen: list[tuple[str, str]] = []

    def election(session: Session) -> Election:
        for job in session.pending():
            decision = yield job
            assert isinstance(decision, Dispatch | Pend)
            seen.append((decision.job.id, job.state.value))
            assert job in session.running() or isinstance(decision, Pend)

    scheduler, _ = reporting(Electing(election), a_job(1, 9), a_job(2, 1))
    assert told(outcomes(scheduler)) == ["pend 1", "run 2"]
    assert seen == [("1", "pending"), ("2", "running")]


def test_a_policy_may_read_the_reasons_of_a_refusal() -> None:
    """P5, C5: until it proposes the next job."""
    codes = []

    def election(session: Session) -> Election:
        decision = yield session.pending()[0]
        assert isinstance(decision, Pend)
        codes.append(decision.reasons.main)

    scheduler, _ = reporting(Electing(election), a_job(1, 9))
    assert [type(outcome) for outcome in scheduler.session(1, 0, each=False)] == [Pend]
    assert codes == [ReasonCode.TOO_FEW_HOSTS]


def test_a_policy_may_hold_a_job_back() -> None:
    """P5: the job pends with the policy's word for it, although it would fit."""

    def election(session: Session) -> Election:
        for job in session.in_order():
            yield HoldBack(job, "reserved for job 7") if job.id == "1" else job

    scheduler, _ = reporting(Electing(election), a_job(1), a_job(2))
    held, ran = outcomes(scheduler)
    assert told([held, ran]) == ["pend 1", "run 2"]
    assert isinstance(held, Pend)
    reasons = [(r.code, r.name) for r in held.reasons.entries]
    assert reasons == [(ReasonCode.POLICY, "reserved for job 7")]


def test_held_back_jobs_stop_nobody_who_is_alike() -> None:
    """P5: without a word for each, only real refusals speak for those alike."""

    def election(session: Session) -> Election:
        for job in session.in_order():
            yield HoldBack(job, "odd") if job.number % 2 else job

    scheduler, _ = reporting(Electing(election), *(a_job(n) for n in (1, 2, 3, 4)))
    assert told(outcomes(scheduler, each=False)) == ["pend 1", "run 2", "pend 3", "run 4"]


def test_what_is_no_pending_job_gets_no_decision() -> None:
    """P5, R2.4: junk, a job twice, another's job and one that is over are told and passed over."""
    stranger = a_job(1)

    def election(session: Session) -> Election:
        first, second = session.pending()
        for choice in (first, first, "1", None, 7, stranger, HoldBack(first, "late"), second):
            _ = yield choice  # type: ignore[misc]

    scheduler, _ = reporting(Electing(election), a_job(1), a_job(2))
    found = outcomes(scheduler)
    assert started(found) == ["1", "2"]
    lost = [outcome for outcome in found if isinstance(outcome, NoDecision)]
    assert {each.cause for each in lost} == {"job not found"}
    assert [each.job for each in lost] == ["1", "1", "None", "7", "1", "1"]
    assert lost[0].error == "it is running, not pending"


def test_junk_that_can_not_even_be_shown_is_told_of() -> None:
    """P5: whatever a policy proposes, the session goes on."""

    class Broken:
        def __str__(self) -> str:
            raise ValueError("no words")

    def election(session: Session) -> Election:
        yield Broken()  # type: ignore[misc]
        yield session.pending()[0]

    scheduler, _ = reporting(Electing(election), a_job(1))
    assert told(outcomes(scheduler))[1:] == ["run 1"]


@pytest.mark.parametrize("first", [True, False])
def test_a_policy_that_raises_is_named_and_what_was_decided_stands(first: bool) -> None:
    """P5: the failure names the policy; the ledger is as after the last decision."""

    def election(session: Session) -> Election:
        if first:
            raise KeyError("lost")
        yield session.pending()[0]
        raise KeyError("lost")

    scheduler, _ = reporting(Electing(election), a_job(1, 3), a_job(2, 3))
    session = scheduler.session(1, 0, each=True)
    done: list[Outcome] = []
    with pytest.raises(PluginFailure, match="electing: elect: KeyError: 'lost'"):
        done.extend(session)
    running = [] if first else ["1"]
    assert list(scheduler.running) == running
    assert scheduler.pending.count == 2 - len(running)


def _raises(session: Session) -> Any:
    raise TypeError("no generator at all")


@pytest.mark.parametrize(
    "election", [_raises, lambda session: None, lambda session: session.pending()]
)
def test_what_is_no_election_is_a_failure_of_the_policy(election: Any) -> None:
    """P5: a policy whose elect raises, or gives no generator, is named."""
    scheduler, _ = reporting(Electing(election), a_job(1))
    with pytest.raises(PluginFailure, match="electing: elect: "):
        list(scheduler.session(1, 0, each=True))
    assert scheduler.pending.count == 1


def test_a_session_that_is_broken_off_closes_the_election() -> None:
    """P5: whoever looks on may stop; the policy's cleanup is run."""
    closed = []

    def election(session: Session) -> Election:
        try:
            for job in session.pending():
                _ = yield job
        finally:
            closed.append(session.number)

    scheduler, _ = reporting(Electing(election), a_job(1), a_job(2))
    session = scheduler.session(5, 0, each=True)
    assert started([next(session)]) == ["1"]
    session.close()  # type: ignore[attr-defined]
    assert closed == [5]
    assert list(scheduler.running) == ["1"]


def test_a_policy_orders_by_its_key_and_says_which_queues_are_strict() -> None:
    """P5: the key goes before job ids, and strict is asked for each queue."""

    class Shortest(Policy):
        def key(self, job: Job, queue: Queue) -> tuple[object, ...]:
            return (job.run_time,)

        def strict(self, queue: Queue) -> bool:
            return True

    jobs = [a_job(1, 9, run=2), a_job(2, run=1), a_job(3, run=3)]
    scheduler, _ = reporting(Shortest(), *jobs)
    assert told(outcomes(scheduler)) == ["run 2", "pend 1"]


# Plans.


class Planning(Policy):
    """A policy with one plan generator of its own."""

    name = "planning"

    def __init__(self, plans: Callable[[Ask, int], Iterable[Any]], accepts: Any = True) -> None:
        self.generator = Generator(plans, accepts)

    def plan_generators(self) -> tuple[PlanGenerator, ...]:
        return (self.generator,)


class Generator:
    """A plan generator made of functions."""

    name = "odd"

    def __init__(self, plans: Callable[[Ask, int], Iterable[Any]], accepts: Any) -> None:
        self._plans = plans
        self._accepts = accepts

    def accepts(self, ask: Ask) -> bool:
        if isinstance(self._accepts, Exception):
            raise self._accepts
        return bool(self._accepts)

    def plans(self, ask: Ask, tasks: int) -> Iterable[Plan]:
        return self._plans(ask, tasks)


def test_a_generator_goes_before_the_core() -> None:
    """C3: the first plan that can be placed wins; those that can't are passed over."""
    plans = [Plan(((9, 1),)), Plan(((5, 1), (1, 1))), Plan(((1, 2), (2, 1))), Plan(((2, 2),))]
    policy = Planning(lambda ask, tasks: iter(plans))
    scheduler, failures = reporting(policy, job := a_job(1, 4), slots=(2, 2, 2))
    assert started(outcomes(scheduler)) == ["1"]
    assert job.allocation is not None
    assert job.allocation.placements == (Placement(0b011, 1), Placement(0b100, 2))
    malformed = "odd: plan generator: malformed plan "
    assert failures == [f"{malformed}{plan!r}" for plan in plans[:2]]


@pytest.mark.parametrize("accepts", [False, None, 0])
def test_a_generator_that_declines_is_not_asked(accepts: object) -> None:
    """C3: it has no opinion, and the core's own plans are used."""

    def never(ask: Ask, tasks: int) -> Iterable[Plan]:
        raise AssertionError("asked")

    scheduler, failures = reporting(Planning(never, accepts), job := a_job(1, 4))
    assert started(outcomes(scheduler)) == ["1"]
    assert (job.allocation, failures) == (on_host(0, 4), [])


def _half_way(ask: Ask, tasks: int) -> Iterator[Plan]:
    yield Plan(((5, 1),))
    raise RuntimeError("half way")


@pytest.mark.parametrize(
    ("plans", "accepts", "why"),
    [
        (lambda ask, tasks: 1 / 0, True, "ZeroDivisionError: division by zero"),
        (lambda ask, tasks: None, True, "TypeError: 'NoneType' object is not iterable"),
        (lambda ask, tasks: (), ValueError("not today"), "ValueError: not today"),
        (_half_way, True, "RuntimeError: half way"),
    ],
)
def test_a_generator_that_raises_is_named_and_passed_over(
    plans: Callable[[Ask, int], Any], accepts: Any, why: str
) -> None:
    """C3, P5: the failure is reported, and the core's own plans are used."""
    scheduler, failures = reporting(Planning(plans, accepts), job := a_job(1, a_request(4, 5)))
    assert started(outcomes(scheduler)) == ["1"]
    assert job.allocation is not None
    assert job.allocation.tasks == 5
    assert failures == [f"odd: plan generator: {why}"]


MALFORMED = [
    None,
    "plan",
    (4, 1),
    [Plan(((4, 1),))],
    Plan(()),
    Plan(None),  # type: ignore[arg-type]
    Plan(4),  # type: ignore[arg-type]
    Plan(((4,),)),  # type: ignore[arg-type]
    Plan((4, 1)),  # type: ignore[arg-type]
    Plan(((0, 4),)),
    Plan(((4, 0),)),
    Plan(((-1, 1), (5, 1))),
    Plan(((4.0, 1),)),  # type: ignore[arg-type]
    Plan(((True, 4),)),
    Plan((("4", 1),)),  # type: ignore[arg-type]
    Plan(((3, 1),)),
    Plan(((7, 1),)),
    Plan(((1, 10**9),)),
]


@pytest.mark.parametrize("plan", MALFORMED, ids=str)
def test_a_malformed_plan_is_discarded(plan: object) -> None:
    """C3, R4.9: junk, too few or too many tasks, no positions: reported, and never tried."""
    policy = Planning(lambda ask, tasks: [plan])
    scheduler, failures = reporting(policy, job := a_job(1, a_request(4, 6)))
    assert started(outcomes(scheduler)) == ["1"]
    assert job.allocation is not None
    assert job.allocation.tasks == 6
    assert len(failures) == 1
    assert failures[0].startswith("odd: plan generator: malformed plan ")


def test_a_plan_that_can_be_read_only_once_places_nothing_by_halves() -> None:
    """C4: a dispatched job holds hosts, and what it holds is on the books."""
    policy = Planning(lambda ask, tasks: [Plan(iter([(4, 1)]))])  # type: ignore[arg-type]
    scheduler, failures = reporting(policy, job := a_job(1, 4))
    assert started(outcomes(scheduler)) == ["1"]
    assert (job.allocation, len(failures)) == (on_host(0, 4), 1)


@pytest.mark.parametrize(
    ("span", "runs"),
    [
        (ONE_HOST, ((2, 2),)),
        (TWO_PER_HOST, ((4, 1),)),
        (TWO_PER_HOST, ((1, 1), (2, 1), (1, 1))),
        (TWO_PER_HOST, ((1, 4),)),
    ],
)
def test_a_plan_that_breaks_the_span_is_malformed(
    span: Span, runs: tuple[tuple[int, int], ...]
) -> None:
    """C3: the span binds the plans of plugins too."""
    policy = Planning(lambda ask, tasks: [Plan(runs)])
    scheduler, failures = reporting(policy, a_job(1, a_request(4, span=span)))
    assert started(outcomes(scheduler)) == ["1"]
    assert failures == [f"odd: plan generator: malformed plan {Plan(runs)!r}"]


def test_a_failed_plan_leaves_no_claim_behind() -> None:
    """C4: what earlier positions and members found is free again."""
    policy = Planning(lambda ask, tasks: [Plan(((4, 1), (1, 1)))])
    wants = (a_request(4, span=ONE_HOST), a_request(5), a_request(5))
    scheduler, _ = reporting(policy, a_job(1, wants), slots=(4, 4))
    before = account_of(scheduler)
    assert told(outcomes(scheduler)) == ["pend 1"]
    assert account_of(scheduler) == before


def test_reasons_ask_no_plugin() -> None:
    """C5, P5: who reads reasons changes nothing that a plugin could count."""
    calls = []

    def plans(ask: Ask, tasks: int) -> Iterable[Plan]:
        calls.append(tasks)
        return ()

    scheduler, _ = reporting(Planning(plans), job := a_job(1, 9))
    for outcome in scheduler.session(1, 0, each=True):
        assert isinstance(outcome, Pend)
        asked = len(calls)
        assert outcome.reasons.main is ReasonCode.TOO_FEW_HOSTS
    assert scheduler.reasons(job).main is ReasonCode.TOO_FEW_HOSTS
    assert len(calls) == asked == 1


def test_a_refusal_is_not_remembered_where_a_plugin_plans() -> None:
    """P5: a plugin may change its mind, so that it is asked again each session."""
    answers = iter([[], [Plan(((1, 1),))]])
    policy = Planning(lambda ask, tasks: next(answers))
    scheduler, _ = reporting(policy, a_job(1, a_request(1, slots=9)), slots=(4,))
    assert told(outcomes(scheduler)) == ["pend 1"]
    assert not scheduler.nothing_to_decide()
    assert told(outcomes(scheduler)) == ["pend 1"]
    assert next(answers, None) is None


# Host orders.


class Ordering(Policy):
    """A policy with a host order of its own."""

    name = "ordering"

    def __init__(self, order: Callable[[Ask, int, int], Any]) -> None:
        self.order = order

    def host_order(self) -> HostOrder | None:
        return self.order


def hosts_of(job: Job) -> int:
    assert job.allocation is not None
    return job.allocation.hosts


@pytest.mark.parametrize(
    ("tiers", "hosts"),
    [
        ([], 0b0011),
        ([0b1000], 0b1001),
        ([0b1000, 0b0100], 0b1100),
        ([0b1110], 0b0110),
        ([-1], 0b0011),
        ([~0b0011], 0b1100),
        ([0], 0b0011),
        ([1 << 200, 0b1000], 0b1001),
        ([0b1000] * 3, 0b1001),
        ([True], 0b0011),
    ],
)
def test_a_host_order_goes_tier_by_tier_then_by_index(tiers: list[int], hosts: int) -> None:
    """C7, P5: in a tier by host index; odd masks name only hosts that can take the tasks."""
    policy = Ordering(lambda ask, tasks, able: tiers)
    job = a_job(1, a_request(4, span=TWO_PER_HOST))
    scheduler, failures = reporting(policy, job, slots=(2, 2, 2, 2))
    assert started(outcomes(scheduler)) == ["1"]
    assert (hosts_of(job), failures) == (hosts, [])


def test_a_host_order_without_end_is_left_when_enough_is_found() -> None:
    """P5: a generator that never stops is not followed for ever."""
    policy = Ordering(lambda ask, tasks, able: repeat(able))
    scheduler, _ = reporting(policy, job := a_job(1, a_request(4, span=TWO_PER_HOST)))
    assert started(outcomes(scheduler)) == ["1"]
    assert hosts_of(job) == 0b11


def test_a_host_order_is_given_the_position_and_the_hosts_that_can_take_it() -> None:
    """P5: tasks of the position, mask of hosts, each position in turn."""
    asked = []

    def order(ask: Ask, tasks: int, able: int) -> list[int]:
        asked.append((ask.primary.tasks_min, tasks, able))
        return [able & -able]

    scheduler, _ = reporting(Ordering(order), a_job(1, 6), slots=(4, 1, 4))
    assert started(outcomes(scheduler)) == ["1"]
    assert asked == [(6, 4, 0b101), (6, 2, 0b100)]


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (lambda ask, tasks, able: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda ask, tasks, able: ["n1"], "TypeError: "),
        (lambda ask, tasks, able: [1.5], "TypeError: "),
        (lambda ask, tasks, able: None, "TypeError: "),
    ],
)
def test_a_host_order_that_fails_is_named_and_fills_no_position(order: Any, why: str) -> None:
    """P5, C4: the job pends with a reason, and nothing is claimed."""
    scheduler, failures = reporting(Ordering(order), a_job(1))
    before = account_of(scheduler)
    (outcome,) = outcomes(scheduler)
    assert isinstance(outcome, Pend)
    assert outcome.reasons.main is ReasonCode.NO_PLAN
    assert failures[0].startswith(f"ordering: host order: {why}")
    assert account_of(scheduler) == before


def test_what_is_possible_is_asked_of_the_policy_too() -> None:
    """S2: whether a job fits an empty cluster goes by the policy's own plans and host order."""
    plan = Plan(((1, 2),))
    policy = Planning(lambda ask, tasks: [plan])
    scheduler, _ = reporting(policy, slots=(1,))
    assert scheduler.possible(a_job(1, 1))
    assert not scheduler.possible(a_job(2, 2))
    assert scheduler.jobs == {}
