"""A record in words: one line for each entry, many of them in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xce_core.model.amounts import AmountKind, UnitsMode, format_amount
from xce_core.model.jobs import Seconds
from xce_plugins.trace.blocks import Plain
from xce_plugins.trace.ending_model import Dispatched
from xce_plugins.trace.model import KINDS, LEVEL_NAMES, Level, Record, Selection, Totals, Unit
from xce_plugins.trace.render_entries import EntryLines
from xce_plugins.trace.render_outcome import outcome_lines
from xce_repl.interface import Block, as_block

_CACHED = 20_000
"""How many amounts of each resource are kept as text."""

_FULL_NOTE = "host-scoped limits are reported with each host's verdict"
_SUMMARY_NOTE = "host-scoped limits are counted with each position"


class Units:
    """How amounts and times are shown.

    :param mode: the REPL's units mode.
    :param time: a time in the zone that is set.
    :ivar plain: makes blocks of lines.
    :ivar entries: puts entries in words, with amounts as they are shown.
    :ivar selections: puts selections in words.
    """

    def __init__(self, mode: UnitsMode, time: Callable[[Seconds], str]) -> None:
        self.mode = mode
        self.time = time
        self._of: dict[str, Callable[[int], str]] = {}
        self._units: tuple[Unit, ...] = ()
        self.plain = Plain()
        self.entries = EntryLines(self, self.plain)
        self.selections = SelectionLines()

    def know(self, units: tuple[Unit, ...]) -> None:
        """Show amounts of these resources as they count, all others as whole numbers."""
        if units != self._units:
            self._units = units
            self._of = {unit.resource: _shower(unit, self.mode) for unit in units}
            self.entries = EntryLines(self, self.plain)

    def __call__(self, resource: str, amount: int) -> str:
        show = self._of.get(resource)
        return str(amount) if show is None else show(amount)


def _shower(unit: Unit, mode: UnitsMode) -> Callable[[int], str]:
    """Amounts of one resource as text; the same ones come again and again."""
    kind, decimals = AmountKind(unit.kind), unit.decimals
    known: dict[int, str] = {}

    def show(amount: int) -> str:
        text = known.get(amount)
        if text is None:
            if len(known) >= _CACHED:
                known.clear()
            text = known[amount] = format_amount(amount, kind, decimals, mode)
        return text

    return show


class SelectionLines:
    """Puts a selection in words; a job that has to wait is selected again and again alike."""

    def __init__(self) -> None:
        self._last: tuple[tuple[Selection, str, Level], list[str]] | None = None

    def of(self, selection: Selection, level: Level, show: Units) -> list[str]:
        """The lines of *selection*."""
        queued = "" if selection.queue_time is None else show.time(selection.queue_time)
        told = (selection, queued, level)
        if self._last is None or self._last[0] != told:
            self._last = (told, as_block(list(_selection_lines(*told))))
        return self._last[1]


def record_parts(record: Record, show: Units) -> list[str]:
    """All lines of *record*, and blocks of lines among them."""
    show.know(record.units)
    parts = [_head(record)]
    ending = record.ending
    if record.selection is not None:
        parts += show.selections.of(record.selection, record.level, show)
    elif isinstance(ending, Dispatched) and ending.reconstructed:
        parts.append("  reconstructed: taken over from the recording, not decided here")
    parts += show.entries.of(record.entries)
    if record.omitted:
        parts.append(f"  ... {record.omitted} trace lines omitted (line bound {record.bound})")
        parts += _totals_lines(record.totals)
    if record.faults:
        parts += [
            f"  ... trace incomplete (plugin {fault.plugin} in {fault.hook}: {fault.error})"
            for fault in record.faults
        ]
    parts += outcome_lines(ending, show, show.plain)
    return parts


def record_lines(record: Record, show: Units) -> list[str]:
    """All lines of *record*, one by one."""
    lines: list[str] = []
    for part in record_parts(record, show):
        lines += part.split("\n") if isinstance(part, Block) else (part,)
    return lines


def _head(record: Record) -> str:
    place = f" position {record.position}" if record.position else ""
    level = LEVEL_NAMES[record.level]
    return f"[trace] job {record.job} session {record.session}{place} level {level}"


def _selection_lines(selection: Selection, queued: str, level: Level) -> Iterator[str]:
    """The lines of a selection.

    :param queued: when the job was queued; empty if that is not known.
    """
    if not selection.known:
        yield (
            f"  selection: policy {selection.policy}; ordering keys and limits unavailable"
            " (job not found by the allocator)"
        )
        return
    yield f"  selection: {_keys(selection, queued)}"
    if selection.limits is None:
        yield "  cluster-wide limits: unavailable (no scheduling object)"
        return
    limits = ", ".join(f"{name} ({scope})" for name, scope in selection.limits) or "none"
    note = _FULL_NOTE if level is Level.FULL else _SUMMARY_NOTE
    yield f"  cluster-wide limits: {limits}; {note}"


def _keys(selection: Selection, queued: str) -> str:
    queue = selection.queue
    if selection.queue_priority is not None:
        queue += f" (priority {selection.queue_priority})"
    text = f"policy {selection.policy} queue {queue} job priority {selection.priority}"
    if queued:
        text += f" queued {queued}"
    return text + "".join(f" {name} {value}" for name, value in selection.keys)


def _totals_lines(totals: Totals) -> Iterator[str]:
    yield f"  totals: plans {totals.plans_tried} tried, {totals.plans_discarded} discarded"
    yield (
        f"  totals: requirements {totals.none_generated} with no plan generated,"
        f" {totals.all_discarded} with all plans discarded,"
        f" {totals.none_placed} with no plan placed"
    )
    counts = ", ".join(
        f"{kind.value} {count}" for kind, count in zip(KINDS, totals.hosts, strict=True)
    )
    yield f"  totals: host evaluations {counts}"
