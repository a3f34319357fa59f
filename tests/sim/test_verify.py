"""Verification: what is compared with what, and how fast."""

from __future__ import annotations

from tests.builders import a_cluster, a_host, a_job, grows_by, on_host
from xce_core.model.decisions import Dispatch
from xce_core.sim.events import Recorded, SessionMark
from xce_core.sim.verify import Verifier


def verified(recorded: list[int], decided: list[int]) -> Verifier:
    """A session with these dispatches, recorded and made."""
    verifier = Verifier(pends=True)
    verifier.begun(_Replay())  # type: ignore[arg-type]
    decisions = (Recorded(str(n), on_host(0), None, False, n) for n in recorded)
    verifier.recorded(SessionMark(1, 1, tuple(decisions), 1))
    for number in decided:
        verifier.decided(Dispatch(a_job(number), on_host(0)), True)
    verifier.session_over()
    return verifier


class _Replay:
    cluster = a_cluster(a_host(slots=1))


def test_each_decision_is_compared_once_and_in_order() -> None:
    """S4: the first that is not where the recording has it, what is missing, what is new."""
    assert verified([1, 2, 3], [1, 2, 3]).mismatches == 0
    late = verified([1, 2, 3], [1, 3, 2])
    assert (late.mismatches, late.compared) == (1, 3)
    assert late.first is not None
    assert late.first.job == "3"
    assert late.first.replayed.endswith(" (before job 2)")
    assert verified([1, 2, 3], [1, 3]).mismatches == 2
    assert verified([1, 3], [1, 2, 3]).mismatches == 1
    assert verified([], []).mismatches == 0


def test_many_decisions_in_any_order_are_compared_in_no_time() -> None:
    """S8: looking for the next recorded one does not begin anew each time."""
    few, many = list(range(1_500)), list(range(24_000))

    def both_ways(numbers: list[int]) -> None:
        assert verified(numbers, numbers[::-1]).mismatches == len(numbers) - 1
        assert verified(numbers, numbers).mismatches == 0

    assert grows_by(lambda: both_ways(few), lambda: both_ways(many)) < 64  # 16 x 16 if quadratic
