"""What plugins' code may do wrong: it has a name, an end, and no say in when the program ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, repeat
from typing import Any

import pytest

from tests.builders import Speechless, a_job
from tests.sched.test_policies import Planning, outcomes, reporting, started
from xce_core.model.plans import Plan
from xce_core.sched.allocator import PLANS_MOST
from xce_core.sched.faults import describe, in_words
from xce_core.sched.policy import HoldBack, Policy


def test_any_exception_can_be_described() -> None:
    """P2: in one line, also one that can't put itself in words."""
    assert describe(ValueError("two\n  lines")) == "ValueError: two lines"
    assert describe(ValueError()) == "ValueError"
    assert describe(SystemExit(3)) == "SystemExit: 3"
    assert describe(Speechless()) == "Speechless: (it can't be put in words)"
    assert in_words(Speechless()) == "something of type Speechless"


@pytest.mark.parametrize("error", [SystemExit(0), Speechless()])
def test_an_exit_in_a_generator_is_a_fault_like_any_other(error: BaseException) -> None:
    """P2: the core's own plans are used."""

    def plans(ask: object, tasks: int) -> Iterator[Plan]:
        raise error
        yield

    scheduler, failures = reporting(Planning(plans), a_job(1, 4))
    assert started(outcomes(scheduler)) == ["1"]
    assert failures == [f"odd: plan generator: {describe(error)}"]


def test_a_plan_without_words_is_malformed() -> None:
    """P2: what it is can still be told."""
    scheduler, failures = reporting(Planning(lambda ask, tasks: [Speechless()]), a_job(1, 4))
    assert started(outcomes(scheduler)) == ["1"]
    assert failures == ["odd: plan generator: malformed plan something of type Speechless"]


def test_a_generator_without_end_is_ended() -> None:
    """P2: after so many plans that can't be placed; the core's own are tried then."""
    policy = Planning(lambda ask, tasks: (Plan(((9, 1), (1, 1))) for _ in count()))
    scheduler, failures = reporting(policy, a_job(1, 10), slots=(6, 6))
    assert started(outcomes(scheduler)) == ["1"]
    why = f"Endless: it offers more than {PLANS_MOST} plans for one requirement"
    assert failures == [f"odd: plan generator: {why}"]


class Ordering(Policy):
    """Gives the same empty mask for ever."""

    name = "ordering"

    def host_order(self) -> Any:
        return lambda ask, tasks, able: repeat(0)


def test_a_host_order_without_end_is_ended() -> None:
    """P2: the position stays unfilled, as with any other fault of it."""
    scheduler, failures = reporting(Ordering(), a_job(1, 4))
    assert started(outcomes(scheduler)) == []
    assert failures[0] == "ordering: host order: Endless: it gives more than 1002 masks"


def test_a_remark_is_a_text() -> None:
    """P2, S4: whoever reads it gets a text, so anything else is refused where it is made."""
    job = a_job(1, 4)
    with pytest.raises(TypeError, match="remark: expected a text, found something of type int"):
        HoldBack(job, 5)  # type: ignore[arg-type]
