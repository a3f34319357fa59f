"""Verification: each decision of a replay against the one in the recording."""

from __future__ import annotations

from dataclasses import dataclass

from xce_core.model.decisions import Allocation, Dispatch, Pend
from xce_core.model.jobs import Seconds
from xce_core.sched.policy import Outcome
from xce_core.sim.events import Recorded, SessionMark
from xce_core.sim.observer import Observer
from xce_core.sim.replay import Replay
from xce_core.sim.wording import allocation_text, outcome_text, reasons_text


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A decision that differs.

    :param line: where the recording has its decision; that of the session if it has none.
    :param recorded: the recorded decision in words, or ``no decision``.
    :param replayed: the replayed one.
    """

    line: int
    session: int
    time: Seconds
    job: str
    recorded: str
    replayed: str

    def lines(self, path: str) -> list[str]:
        """The mismatch in full."""
        return [
            f"{path}:{self.line}: session {self.session} time {self.time} job {self.job}",
            f"  recorded: {self.recorded}",
            f"  replayed: {self.replayed}",
        ]


class Verifier(Observer):
    """Compares decisions session by session; keeps the first mismatch and counts the rest.

    A dispatch is the same if its session, job, alternative, hosts and tasks are; a pend if
    its reasons are. Where the recording keeps pends by change, a pend counts when the job's
    reasons differ from those told before. What was taken over from the recording is no
    decision of either side and does not count.

    :param pends: whether the recording has pend decisions at all.
    """

    def __init__(self, pends: bool) -> None:
        self.first: Mismatch | None = None
        self.mismatches = 0
        self.compared = 0
        self._pends = pends
        self._mark: SessionMark | None = None
        self._expected: dict[tuple[str, bool], Recorded] = {}
        self._order: list[tuple[str, bool]] = []
        self._pended: dict[str, Pend] = {}
        self._at = 0
        self._replay: Replay | None = None

    def begun(self, replay: Replay) -> None:
        """Remember whose decisions these are."""
        self._replay = replay

    def recorded(self, mark: SessionMark) -> None:
        """What the session should decide."""
        self._mark = mark
        self._expected = {
            (recorded.job, recorded.allocation is not None): recorded
            for recorded in mark.decisions
            if not recorded.reconstructed and (self._pends or recorded.allocation is not None)
        }
        self._order = list(self._expected)
        self._at = 0
        self._pended = {}

    def decided(self, outcome: Outcome, changed: bool) -> None:
        """Compare one decision."""
        if not isinstance(outcome, Dispatch | Pend):
            return
        job = outcome.job.id
        name = (job, isinstance(outcome, Dispatch))
        if isinstance(outcome, Dispatch):
            if outcome.reconstructed:
                return
        elif name not in self._expected and (
            not (changed and self._pends) or (job, True) in self._expected
        ):  # nothing that would have been recorded, or the recording has a dispatch instead
            self._pended[job] = outcome
            return
        self.compared += 1
        recorded = self._expected.get(name)
        if recorded is None:
            recorded = self._expected.pop((job, not name[1]), None)
            self._note(job, recorded, outcome)
            return
        first, _ = self._first_left()
        del self._expected[name]
        if not _same(recorded, outcome):
            self._note(job, recorded, outcome)
        elif first != job:
            self._note(job, recorded, outcome, f" (before job {first})")

    def _first_left(self) -> tuple[str, bool]:
        """The first job of the recorded decisions, of which some are left, not decided here."""
        while self._order[self._at] not in self._expected:
            self._at += 1
        return self._order[self._at]

    def session_over(self) -> None:
        """What was recorded and not decided here."""
        for (job, _), recorded in self._expected.items():
            self.compared += 1
            self._note(job, recorded, self._pended.get(job))
        self._expected = {}

    def _note(
        self, job: str, recorded: Recorded | None, outcome: Outcome | None, remark: str = ""
    ) -> None:
        self.mismatches += 1
        assert self._mark is not None
        line = self._mark.line if recorded is None else recorded.line
        first = self.first
        if first is None or (first.session == self._mark.number and line < first.line):
            assert self._replay is not None
            cluster = self._replay.cluster
            replayed = "no decision" if outcome is None else outcome_text(outcome, cluster)
            self.first = Mismatch(
                line,
                self._mark.number,
                self._mark.time,
                job,
                self._text(recorded),
                replayed + remark,
            )

    def _text(self, recorded: Recorded | None) -> str:
        assert self._replay is not None
        cluster = self._replay.cluster
        if recorded is None:
            return "no decision"
        if recorded.allocation is not None:
            return f"dispatch job {recorded.job} {allocation_text(recorded.allocation, cluster)}"
        assert recorded.reasons is not None
        return f"pend job {recorded.job}: {reasons_text(recorded.reasons, cluster)}"


def _same(recorded: Recorded, outcome: Dispatch | Pend) -> bool:
    if isinstance(outcome, Pend):
        return recorded.reasons == outcome.reasons
    return recorded.allocation is not None and _holding(recorded.allocation) == _holding(
        outcome.allocation
    )


def _holding(allocation: Allocation) -> tuple[int, dict[tuple[int, int, bool], int]]:
    """An allocation however its placements are cut: hosts by member, tasks and place."""
    held: dict[tuple[int, int, bool], int] = {}
    for hosts, tasks, member, first in allocation.placements:
        held[member, tasks, first] = held.get((member, tasks, first), 0) | hosts
    return allocation.alternative, held
