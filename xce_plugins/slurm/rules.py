"""The reading rules: what becomes of one row of a dump."""

from __future__ import annotations

from collections import Counter

from xce_core.model.jobs import JobState
from xce_core.sim.fields import printable
from xce_core.sim.findings import Findings, OnFault, stop_reading
from xce_core.sim.workload import InputError
from xce_plugins.slurm.attempts import Attempt, Attempts, Fate, Need
from xce_plugins.slurm.clock import UNKNOWN, Clock
from xce_plugins.slurm.columns import Layout
from xce_plugins.slurm.facts import Cells, Times, fate_of, run_time
from xce_plugins.slurm.fields import (
    ELEMENTS_LIMIT,
    UNKNOWN_WORDS,
    CutArray,
    FieldError,
    RowId,
    clean_name,
    count,
    duration,
    row_id,
    shown,
)
from xce_plugins.slurm.options import SKIP_MALFORMED, SlurmOptions
from xce_plugins.slurm.rows import Row
from xce_plugins.slurm.states import Meaning, meaning_of, state_word
from xce_plugins.slurm.tres import Tres, parse_tres, requested_memory

MALFORMED = "malformed row"
CUT_ARRAY = "array with its list of elements cut off"
COLUMNS_MISSING = "columns missing"
NO_ZONE = "no time zone given"
SEVERAL_CLUSTERS = "jobs of several clusters"

OTHER_CLUSTER = "job of another cluster"
NO_CPUS = "no CPUs (no job, but a pseudo-allocation)"
NO_SUBMIT = "submit time not known"
NO_START = "start time not known, although it ran"
NO_END = "neither its end nor its run time is known"

STEP = "step row (.batch, .extern, .0, ...), not a job"
THROTTLED = "array bounds its running elements (%), which is not followed"
LIVE_RUNNING = "still running when the dump was taken: it runs as long as it had"
UNKNOWN_STATE = "unknown word as the state, taken as done"
NO_LIMIT = "time limit not known (Partition_Limit, INVALID): none"
START_BEFORE_SUBMIT = "starts before it is submitted"
DOUBTFUL = "local time that stands for two moments; the others of its row decide, or the earlier"
SKIPPED = "local time that never was, as clocks were set forward"
AN_HOUR_OFF = "elapsed time is an hour off its start and end: is the zone right?"
SEVERAL_QUEUES = "asks for several partitions, the first counts"

OUTCOMES = (JobState.DONE, JobState.FAILED, JobState.KILLED)
_NO_LIMIT = frozenset(("UNLIMITED", "", "N/A"))
_LIMIT_UNKNOWN = frozenset(("PARTITION_LIMIT", "INVALID"))


class Rules:
    """Reads rows one by one into *attempts*.

    :ivar states: how often each word stood for the state of a job.
    :ivar clusters: the clusters named so far, in order.
    """

    def __init__(
        self,
        path: str,
        options: SlurmOptions,
        findings: Findings,
        on_fault: OnFault = stop_reading,
    ) -> None:
        self.attempts = Attempts()
        self.states: Counter[str] = Counter()
        self.clusters: dict[str, None] = {}
        self.rows = 0
        self._path = path
        self._options = options
        self._findings = findings
        self._on_fault = on_fault
        self._clock = Clock(options.zone, self._no_zone)
        self._elements = 0
        self._line = 0
        self._told: set[str] = set()
        self._tres: dict[str, Tres] = {}
        self._layout: Layout | None = None
        self._readable = False

    def take(self, row: Row) -> None:
        """Take in what *row* tells.

        :raises InputError: for a fault that no repair was asked for.
        """
        self.rows += 1
        self._line = row.line
        if row.layout is not self._layout:
            self._set_layout(row.layout)
        try:
            if row.fault:
                raise FieldError(row.fault)
            self._take(Cells(row.cells, row.layout))
        except FieldError as fault:
            self._findings.tally.read += 1
            self._malformed(fault)

    def _set_layout(self, layout: Layout) -> None:
        self._layout = layout
        self._readable = not layout.missing
        if layout.missing:
            what = f"a replay needs the columns {', '.join(layout.missing)} too"
            self._fault(COLUMNS_MISSING, what, once=True)

    def _take(self, cells: Cells) -> None:
        found = row_id(cells.get("jobid") or cells.get("jobidraw"))
        if found is None:
            self._findings.note(STEP, self._line)
            return
        word = state_word(cells.get("state"))
        self.states[word[:40]] += len(found.indexes)
        self._count_elements(found)
        cause = self._foreign(cells) or ("" if self._readable else COLUMNS_MISSING)
        attempt = None if cause else self._attempt(cells, found, meaning_of(word))
        self._findings.tally.read += len(found.indexes)
        for index in found.indexes:
            if isinstance(attempt, Attempt):
                self.attempts.add(attempt._replace(element=index))
            else:
                self._findings.refuse(attempt or cause, self._line)
        if found.throttled:
            self._findings.note(THROTTLED, self._line)

    def _count_elements(self, found: RowId) -> None:
        self._elements += len(found.indexes) if len(found.indexes) > 1 else 0
        if self._elements > ELEMENTS_LIMIT:
            what = f"expected lists of at most {ELEMENTS_LIMIT} array elements in all"
            raise InputError(self._path, self._line, what)

    def _foreign(self, cells: Cells) -> str:
        """Why the row is of no concern; empty if it is."""
        name = clean_name(cells.get("cluster")) if cells.get("cluster") else ""
        if not name:
            return ""
        if len(self.clusters) < 100:
            self.clusters[name] = None
        if self._options.cluster_name:
            return "" if name == self._options.cluster_name else OTHER_CLUSTER
        if name != next(iter(self.clusters)):
            first = next(iter(self.clusters))
            what = f"column Cluster: {shown(name)} after {shown(first)}: choose one, "
            self._fault(SEVERAL_CLUSTERS, f"{what}-o cluster-name=NAME", once=True)
            return OTHER_CLUSTER
        return ""

    def _attempt(self, cells: Cells, found: RowId, meaning: Meaning) -> Attempt | str:
        """What the row says, without the array index; why not, if it says too little."""
        times = Times(self._clock, cells)
        fate = fate_of(meaning, times, cells)
        if times.submit == UNKNOWN:
            return NO_SUBMIT
        run = run_time(fate, times)
        if fate in (Fate.RAN, Fate.RUNNING) and times.start == UNKNOWN:
            return NO_START
        if run is None or (fate is Fate.NEVER_STARTED and times.end == UNKNOWN):
            return NO_END
        need = self._need(cells, fate)
        if need.cpus == 0:
            return NO_CPUS
        self._note(times, fate, meaning)
        known, names = self.attempts, self.attempts.names
        ran = fate in (Fate.RAN, Fate.RUNNING)
        return Attempt(
            found.number,
            -1,
            found.part,
            times.submit,
            times.eligible,
            times.start if ran else UNKNOWN,
            times.end if fate is Fate.NEVER_STARTED else times.start + run if ran else UNKNOWN,
            run,
            self._limit(cells),
            fate,
            OUTCOMES.index(meaning.outcome),
            names.number(clean_name(cells.get("user"))),
            names.number(clean_name(cells.get("account"))),
            names.number(self._queue(cells)),
            known.needs.number(need),
            known.node_lists.number(_node_list(cells) if ran else ""),
            self._line,
        )

    def _note(self, times: Times, fate: Fate, meaning: Meaning) -> None:
        notes = {
            UNKNOWN_STATE: not meaning.known,
            LIVE_RUNNING: fate is Fate.RUNNING,
            DOUBTFUL: times.doubtful,
            SKIPPED: times.skipped,
            START_BEFORE_SUBMIT: UNKNOWN < times.start < times.submit,
            AN_HOUR_OFF: fate is Fate.RAN and times.hour_off,
        }
        for text, noted in notes.items():
            if noted:
                self._findings.note(text, self._line)

    def _need(self, cells: Cells, fate: Fate) -> Need:
        """What it got; for a job that never started, what it asked for."""
        given = self._tres_of(cells, "alloctres")
        asked = self._tres_of(cells, "reqtres")
        order = (given, asked) if fate in (Fate.RAN, Fate.RUNNING) else (asked, given)
        plain = (("alloccpus", "ncpus", "reqcpus"), ("reqcpus", "ncpus", "alloccpus"))
        cpus = next((tres.cpus for tres in order if tres.cpus), 0)
        for name in plain[order[0] is asked] if not cpus else ():
            cpus = cpus or count(cells.get(name), name)
        nodes = next((tres.nodes for tres in order if tres.nodes), 0)
        nodes = max(1, min(nodes or count(cells.get("nnodes"), "NNodes"), cpus))
        memory = next((tres.memory for tres in order if tres.memory), 0)
        memory = memory or requested_memory(cells.get("reqmem"), cpus, nodes)
        gres = next((tres.gres for tres in order if tres.gres), ())
        return Need(cpus, nodes, memory, gres, order[0].licences or order[1].licences)

    def _tres_of(self, cells: Cells, name: str) -> Tres:
        text = cells.get(name)
        found = self._tres.get(text)
        if found is None:
            found = parse_tres(text, {"alloctres": "AllocTRES", "reqtres": "ReqTRES"}[name])
            if len(self._tres) >= 100_000:
                self._tres.clear()
            self._tres[text] = found
        return found

    def _limit(self, cells: Cells) -> int:
        text = cells.get("timelimit") or cells.get("timelimitraw")
        word = text.upper()
        if word in _NO_LIMIT:
            return UNKNOWN
        if word in _LIMIT_UNKNOWN:
            self._findings.note(NO_LIMIT, self._line)
            return UNKNOWN
        if not cells.get("timelimit"):
            return count(text, "TimelimitRaw") * 60
        return duration(text, "Timelimit")

    def _queue(self, cells: Cells) -> str:
        name, comma, _ = cells.get("partition").partition(",")
        if comma:
            self._findings.note(SEVERAL_QUEUES, self._line)
        return clean_name(name)

    # Faults.

    def _malformed(self, fault: FieldError) -> None:
        cause = CUT_ARRAY if isinstance(fault, CutArray) else MALFORMED
        if SKIP_MALFORMED in self._options.repairs:
            self._findings.repair(SKIP_MALFORMED, self._line)
            self._findings.refuse(cause, self._line)
            return
        self._findings.tally.refused[cause] += 1
        self._fault(cause, f"{fault}; the repair {SKIP_MALFORMED} leaves such rows out")

    def _no_zone(self) -> None:
        what = "times are local and do not say where: -o zone=UTC or, say, -o zone=Europe/Helsinki"
        self._fault(NO_ZONE, what, once=True)

    def _fault(self, cause: str, what: str, once: bool = False) -> None:
        if once and cause in self._told:
            return
        self._told.add(cause)
        self._on_fault(cause, InputError(self._path, self._line, printable(what)))


def _node_list(cells: Cells) -> str:
    text = cells.get("nodelist")
    return "" if text in UNKNOWN_WORDS else text
