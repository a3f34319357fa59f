"""Which rows are one job: repeats, requeues, parts of a heterogeneous job."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import groupby

from xce_core.sim.findings import Findings
from xce_plugins.slurm.attempts import NEVER, Attempt, Attempts, Fate
from xce_plugins.slurm.clock import UNKNOWN

REPEATED = "row that repeats another one"
USED_AGAIN = "job id used again by another user"
PART_MISSING = "heterogeneous job without all of its parts"
ARRAY_ROW = "row of an array as a whole, beside those of its elements"

CHAINED = "later attempt of a requeued job, joined to it"
JOINED_PART = "part of a heterogeneous job, joined to it"


class Merged:
    """A job put together from its rows.

    :param members: for each part, the rows of its attempts in order.
    :ivar kill: when it is cancelled, for one that never started; else -1.
    """

    __slots__ = ("first", "kill", "last", "members", "run", "start")

    def __init__(
        self, members: Sequence[Sequence[Attempt]], latest: int, only_last: bool
    ) -> None:
        self.members = members
        self.first = members[0][0]
        self.last = members[0][-1]
        runs = [max(part[n].run for part in members) for n in range(len(members[0]))]
        started = [row for part in members for row in part if row.start != UNKNOWN]
        self.start = min((row.start for row in started), default=UNKNOWN)
        self.run = runs[-1] if only_last and self.last.start != UNKNOWN else sum(runs)
        self.kill = UNKNOWN
        if not started:
            ends = self.last.end if self.last.fate == Fate.NEVER_STARTED else latest
            self.kill = max(ends, self.first.submit)

    @property
    def begin(self) -> int | None:
        """When it may start at the earliest; None for at once."""
        eligible = self.first.eligible
        if eligible == NEVER:  # it waited for something to the end
            return None if self.kill == UNKNOWN else self.kill
        return eligible if eligible > self.first.submit else None


class Chains:
    """The jobs of a dump, in order of their ids.

    :ivar rows: places in *attempts* of the rows that are used, job by job.
    :ivar chained: how many jobs have more than one attempt.
    """

    def __init__(self, attempts: Attempts, findings: Findings, only_last: bool) -> None:
        self.rows = array("q")
        self.chained = 0
        self._begins = array("q")
        self._attempts = attempts
        self._findings = findings
        self._only_last = only_last
        self._columns = attempts.columns
        self._sort_out()
        self._begins.append(len(self.rows))

    def __len__(self) -> int:
        return len(self._begins) - 1

    def __getitem__(self, job: int) -> Merged:
        parts: dict[int, list[Attempt]] = {}
        for place in self.rows[self._begins[job] : self._begins[job + 1]]:
            row = self._attempts[place]
            parts.setdefault(row.part, []).append(row)
        return Merged(list(parts.values()), self._attempts.latest, self._only_last)

    def submit(self, job: int) -> int:
        """When *job* was first submitted."""
        found: int = self._columns["submit"][self.rows[self._begins[job]]]
        return found

    def never_started(self, job: int) -> bool:
        """Whether no attempt of *job* ran."""
        starts = self._columns["start"]
        places = self.rows[self._begins[job] : self._begins[job + 1]]
        return all(starts[place] == UNKNOWN for place in places)

    def _sort_out(self) -> None:
        numbers, elements = self._columns["number"], self._columns["element"]
        order = list(range(len(self._attempts)))
        for name in ("start", "submit", "part", "element", "number"):  # the last one counts most
            order.sort(key=self._columns[name].__getitem__)
        for _, rows in groupby(order, key=numbers.__getitem__):
            groups = [list(group) for _, group in groupby(rows, key=elements.__getitem__)]
            if len(groups) > 1 and elements[groups[0][0]] < 0:
                self._refuse(ARRAY_ROW, groups.pop(0))
            for group in groups:
                self._take(group)

    def _take(self, rows: list[int]) -> None:
        """The rows of one id, in order of part, submission and start."""
        rows = self._of_one_user(self._distinct(rows) if len(rows) > 1 else rows)
        by_part = [list(part) for _, part in groupby(rows, key=self._columns["part"].__getitem__)]
        parts = [self._columns["part"][part[0]] for part in by_part]
        whole = parts in ([-1], list(range(len(parts))))
        if not whole or len({len(part) for part in by_part}) > 1:
            self._refuse(PART_MISSING, rows)
            return
        self._begins.append(len(self.rows))
        self.rows.extend(rows)
        self.chained += len(by_part[0]) > 1
        for number, part in enumerate(by_part):
            for place in part[0 if number else 1 :]:
                line = self._columns["line"][place]
                self._findings.repair(JOINED_PART if number else CHAINED, line)

    def _distinct(self, rows: list[int]) -> list[int]:
        """*rows* without those that repeat another, or were overtaken by a later dump's."""
        part, submit, fate = (self._columns[name] for name in ("part", "submit", "fate"))
        kept: list[int] = []
        for _, alike in groupby(rows, key=lambda place: (part[place], submit[place])):
            group = list(alike)
            over = [place for place in group if fate[place] in (Fate.RAN, Fate.NEVER_STARTED)]
            seen = {self._facts(place): place for place in reversed(over or group[-1:])}
            first = sorted(seen.values(), key=group.index)
            self._refuse(REPEATED, [place for place in group if place not in first])
            kept += first
        return kept

    def _facts(self, place: int) -> tuple[int, int, int]:
        columns = self._columns
        return columns["start"][place], columns["end"][place], columns["run"][place]

    def _of_one_user(self, rows: list[int]) -> list[int]:
        users = self._columns["user"]
        first = users[rows[0]]
        others = [place for place in rows if users[place] != first]
        self._refuse(USED_AGAIN, others)
        return [place for place in rows if users[place] == first] if others else rows

    def _refuse(self, cause: str, rows: list[int]) -> None:
        for place in rows:
            self._findings.refuse(cause, self._columns["line"][place])
