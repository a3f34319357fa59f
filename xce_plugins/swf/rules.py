"""The reading rules: what becomes of one line of a log."""

from __future__ import annotations

from xce_core.model.jobs import Dependency, DependsOn, Job, JobState, Seconds, seconds_sum
from xce_core.sim.fields import SECONDS_LIMIT
from xce_core.sim.findings import Findings, OnFault, stop_reading
from xce_core.sim.workload import InputError
from xce_plugins.swf import options as named
from xce_plugins.swf.fields import (
    ALLOCATED,
    COLUMNS,
    REQUESTED,
    RUN,
    FieldError,
    Row,
    column_of,
    row_of,
    told,
)
from xce_plugins.swf.ids import ACCEPTED, NEW, SeenIds
from xce_plugins.swf.interned import CANCELLED_STATUS, PARTS, Interned
from xce_plugins.swf.options import SwfOptions

MALFORMED = "malformed line"
CUT_OFF = "last line cut off"
CANCELLED = "cancelled before its start"
RUN_UNKNOWN = "run time unknown (below 0)"
PROCS_UNKNOWN = "processors unknown, requested and allocated"
SUBMIT_UNKNOWN = "submit time unknown (below 0)"
TOO_LARGE = "more processors than the machine has"
REPEATED = "job id repeated"
PART = "part of a job that is already read (status 2, 3 or 4)"
UNORDERED = "submit time out of order"

STAND_IN = "allocated processors stand in for requested ones that are unknown"
OVER_LIMIT = "runs longer than requested"
EXTRA_COLUMNS = f"has more than {COLUMNS} columns, the others are not read"
PRECEDING_IGNORED = "preceding job not waited for (dependencies are off)"
PRECEDING_ABSENT = "preceding job not waited for, as no earlier line gives it a run"
PRECEDING_LATER = "preceding job not waited for, as it was submitted later"

_LAST_FAILED = 4
_FRESH = 10**9


class Rules:
    """Reads lines one by one, with what has to be remembered between them.

    :attr:`last` is the latest submit time so far.
    """

    def __init__(
        self,
        path: str,
        options: SwfOptions,
        slots: int | None,
        findings: Findings,
        on_fault: OnFault = stop_reading,
    ) -> None:
        self.known = Interned(options.queues == "log")
        self.seen = SeenIds()
        self.last: Seconds = 0
        self._path = path
        self.options = options
        self._slots = slots
        self._findings = findings
        self._on_fault = on_fault
        self._parted: dict[int, Job] = {}
        self._fresh = _FRESH

    def job(self, line: bytes, at: int, unfinished: bool = False) -> Job | None:
        """The job that *line* submits; None for a remark, or a job that is left out.

        :param unfinished: whether the input ends in this line without a newline.
        :raises InputError: for a fault that no repair was asked for.
        """
        tokens = line.split()
        if not tokens or tokens[0].startswith(b";"):
            return None
        self._findings.tally.read += 1
        try:
            row = row_of(tokens, self.options.queues == "log", self.options.dependencies)
            job = self._taken(row, tokens, at)
        except FieldError as fault:
            cut_off = unfinished and len(tokens) < COLUMNS
            self._malformed(fault, CUT_OFF if cut_off else MALFORMED, line, at)
            return None
        if job is not None and len(tokens) > COLUMNS:
            self._findings.note(EXTRA_COLUMNS, at)
        return job

    def longer(self, run: Seconds, limit: Seconds, at: int) -> tuple[Seconds, Seconds]:
        """The run time and the requested time to use, where the first is above the second."""
        repairs = self.options.repairs
        if named.RAISE_LIMIT in repairs:
            self._findings.repair(named.RAISE_LIMIT, at)
            return run, run
        if named.LIMIT_RUN in repairs:
            self._findings.repair(named.LIMIT_RUN, at)
            return limit, limit
        self._findings.note(OVER_LIMIT, at)
        return run, limit

    def _malformed(self, fault: FieldError, cause: str, line: bytes, at: int) -> None:
        if named.SKIP_MALFORMED in self.options.repairs:
            self._findings.repair(named.SKIP_MALFORMED, at)
            self._findings.refuse(cause, at)
            return
        what = f"the last line is cut off: {fault}" if cause is CUT_OFF else told(fault)
        what = f"{what}; the repair {named.SKIP_MALFORMED} leaves such lines out"
        self._on_fault(cause, InputError(self._path, at, what, column_of(line, fault.field)))

    def _taken(self, row: Row, tokens: list[bytes], at: int) -> Job | None:
        if row.status in PARTS and self.seen.get(row.number) != NEW:
            self._part(row, at)
            return None
        cause = self._why_not(row)
        if not cause:
            number = self._number(row, at)
            if number is not None:
                return self._made(row, number, tokens, at)
            cause = REPEATED
        self.seen.refuse(row.number)
        self._findings.refuse(cause, at)
        return None

    def _why_not(self, row: Row) -> str:
        """Why the job can never run; empty if it can."""
        if row.status == CANCELLED_STATUS and row.run <= 0 and row.allocated <= 0:
            return CANCELLED
        if row.run < 0:
            return RUN_UNKNOWN
        if row.procs <= 0:
            return PROCS_UNKNOWN
        if row.submit < 0:
            return SUBMIT_UNKNOWN
        too_large = self._slots is not None and row.procs > self._slots
        return TOO_LARGE if too_large and named.CLAMP_PROCS not in self.options.repairs else ""

    def _number(self, row: Row, at: int) -> int | None:
        """The job's number, if need be and wished for a new one; None if it is taken."""
        if self.seen.accept(row.number):
            return row.number
        if named.RENUMBER not in self.options.repairs:
            return None
        self._findings.repair(named.RENUMBER, at)
        while True:
            self._fresh += 1
            if self.seen.accept(self._fresh):
                return self._fresh

    def _made(self, row: Row, number: int, tokens: list[bytes], at: int) -> Job:
        self._check_order(row.submit, at)
        known, run, limit = self.known, row.run, row.limit
        if run > limit > 0:
            run, limit = self.longer(run, limit, at)
        job = Job(
            str(number),
            number,
            -1,
            known.user(row, tokens),
            known.queue(row, tokens),
            known.project(row, tokens),
            known.size(self._procs(row, at), tokens[self._procs_field(row, at) - 1]),
            row.submit,
            run,
            limit if limit > 0 else None,
            dependencies=self._dependencies(row, at),
            outcome=known.outcome(row, tokens),
            line=at,
        )
        if row.status in PARTS and named.MERGE_PARTIAL in self.options.repairs:
            self._parted[number] = job
        return job

    def _procs_field(self, row: Row, at: int) -> int:
        if row.requested > 0:
            return REQUESTED
        self._findings.note(STAND_IN, at)
        return ALLOCATED

    def _procs(self, row: Row, at: int) -> int:
        if self._slots is None or row.procs <= self._slots:
            return row.procs
        self._findings.repair(named.CLAMP_PROCS, at)
        return self._slots

    def _check_order(self, submit: Seconds, at: int) -> None:
        if submit >= self.last:
            self.last = submit
        elif named.SORT_SUBMIT in self.options.repairs:
            self._findings.repair(named.SORT_SUBMIT, at)
        else:
            what = f"field 2 (submit time): expected {self.last} or later, found {submit}"
            what = f"{what}; the repair {named.SORT_SUBMIT} puts jobs in order"
            self._on_fault(UNORDERED, InputError(self._path, at, what))

    def _part(self, row: Row, at: int) -> None:
        """A further line of a job: its run time is in the job's, or is added if wished."""
        job = self._parted.get(row.number)
        if job is None or job.run_time is None:
            self._findings.refuse(PART, at)
        elif row.run < 0:
            self._findings.refuse(RUN_UNKNOWN, at)
        else:
            run = seconds_sum(job.run_time, row.run)
            if run > SECONDS_LIMIT:
                what = f"expected parts of at most {SECONDS_LIMIT} together, found {run}"
                raise FieldError(what, RUN)
            job.run_time = run
            job.outcome = JobState.FAILED if row.status == _LAST_FAILED else JobState.DONE
            self._findings.repair(named.MERGE_PARTIAL, at)

    def _dependencies(self, row: Row, at: int) -> tuple[Dependency, ...]:
        if row.preceding <= 0:
            return ()
        if not self.options.dependencies:
            self._findings.note(PRECEDING_IGNORED, at)
        elif row.preceding == row.number or self.seen.get(row.preceding) != ACCEPTED:
            self._findings.note(PRECEDING_ABSENT, at)
        else:
            delay = max(row.think, 0)
            return (Dependency(str(row.preceding), DependsOn.ENDED, delay),)
        return ()
