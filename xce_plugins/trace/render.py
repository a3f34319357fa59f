"""A record in words: pure, one line for each entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xce_core.model.amounts import AmountKind, UnitsMode, format_amount
from xce_core.model.jobs import Seconds
from xce_plugins.trace import model
from xce_plugins.trace.ending_model import Dispatched
from xce_plugins.trace.model import KINDS, Record, Selection, Totals, Unit
from xce_plugins.trace.render_entries import EntryLines
from xce_plugins.trace.render_outcome import outcome_lines

_CACHED = 20_000
"""How many amounts of each resource are kept as text."""

_FULL_NOTE = "host-scoped limits are reported with each host's verdict"
_SUMMARY_NOTE = "host-scoped limits are counted with each position"


class Units:
    """How amounts and times are shown.

    :param mode: the REPL's units mode.
    :param time: a time in the zone that is set.
    :ivar entries: puts entries in words, with amounts as they are shown.
    """

    def __init__(self, mode: UnitsMode, time: Callable[[Seconds], str]) -> None:
        self.mode = mode
        self.time = time
        self._of: dict[str, Callable[[int], str]] = {}
        self._units: tuple[Unit, ...] = ()
        self.entries = EntryLines(self)

    def know(self, units: tuple[Unit, ...]) -> None:
        """Show amounts of these resources as they count, all others as whole numbers."""
        if units != self._units:
            self._units = units
            self._of = {unit.resource: _shower(unit, self.mode) for unit in units}
            self.entries = EntryLines(self)

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


def record_lines(record: Record, show: Units) -> list[str]:
    """All lines of *record*."""
    show.know(record.units)
    lines = [_head(record), *_selection_lines(record, show)]
    lines += show.entries.of(record.entries)
    if record.omitted:
        lines.append(f"  ... {record.omitted} trace lines omitted (line bound {record.bound})")
        lines += _totals_lines(record.totals)
    lines += [
        f"  ... trace incomplete (plugin {fault.plugin} in {fault.hook}: {fault.error})"
        for fault in record.faults
    ]
    lines += outcome_lines(record.ending, show)
    return lines


def _head(record: Record) -> str:
    place = f" position {record.position}" if record.position else ""
    return f"[trace] job {record.job} session {record.session}{place} level {record.level.value}"


def _selection_lines(record: Record, show: Units) -> Iterator[str]:
    selection = record.selection
    if selection is None:
        if isinstance(record.ending, Dispatched) and record.ending.reconstructed:
            yield "  reconstructed: taken over from the recording, not decided here"
        return
    if not selection.known:
        yield (
            f"  selection: policy {selection.policy}; ordering keys and limits unavailable"
            " (job not found by the allocator)"
        )
        return
    yield f"  selection: {_keys(selection, show)}"
    if selection.limits is None:
        yield "  cluster-wide limits: unavailable (no scheduling object)"
        return
    limits = ", ".join(f"{name} ({scope})" for name, scope in selection.limits) or "none"
    note = _FULL_NOTE if record.level is model.Level.FULL else _SUMMARY_NOTE
    yield f"  cluster-wide limits: {limits}; {note}"


def _keys(selection: Selection, show: Units) -> str:
    queue = selection.queue
    if selection.queue_priority is not None:
        queue += f" (priority {selection.queue_priority})"
    text = f"policy {selection.policy} queue {queue} job priority {selection.priority}"
    if selection.queue_time is not None:
        text += f" queued {show.time(selection.queue_time)}"
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
