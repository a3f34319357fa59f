"""The rows of a dump: lines cut into cells, with bars and line breaks in names mended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xce_core.sim.findings import Findings
from xce_core.sim.workload import InputError
from xce_plugins.slurm.columns import Layout, header_of
from xce_plugins.slurm.lines import LINE_LIMIT, Lines

BAR = "bar in a text, put together again"
LINE_BREAK = "line break in a text, put together again"
HEADER_AGAIN = "a further header line"
HEADER_IGNORED = "header line not looked at (the option columns names the columns)"

_SHOWN = 40


class Row(NamedTuple):
    """A row; *fault* says why it could not be cut into cells, and is empty if it could."""

    line: int
    cells: Sequence[str]
    layout: Layout
    fault: str = ""


class Rows:
    """The rows of *lines*, header lines and blank ones left out.

    :param columns: the columns in order; None to take them from the header line.
    """

    def __init__(
        self, lines: Lines, path: str, columns: tuple[str, ...] | None, findings: Findings
    ) -> None:
        self._lines = lines
        self._path = path
        self._findings = findings
        self._from_option = columns is not None
        self._layout = Layout(columns) if columns is not None else None
        self._given = 0

    def __iter__(self) -> Iterator[Row]:
        """:raises InputError: if neither a header nor the user names the columns."""
        held: tuple[int, str] | None = None
        for at, line in self._lines:
            if not line.strip() and held is None:
                continue
            layout = self._layout
            header = header_of(line) if layout is None or "jobid" in line.lower() else None
            if header is not None or layout is None:
                if held is not None and layout is not None:
                    yield self._short(*held, layout)
                held = None
                self._set_header(header, line, at)
                continue
            if held is not None and self._goes_on(held, line, layout):
                at, line = held[0], f"{held[1]}\n{line}"
            elif held is not None:
                yield self._short(*held, layout)
            held = None
            bars = line.count("|") + 1 - len(layout.names) - layout.trailing
            if self._given == 0 and self._from_option and bars == 1 and line.endswith("|"):
                layout = self._layout = Layout(layout.names, trailing=True)
                bars = 0
            if bars < 0 and not self._is_rest(line, layout):
                held = at, line
            elif bars < 0:
                self._findings.repair(LINE_BREAK, at)
            else:
                yield self._row(at, line, layout)
        if held is not None and self._layout is not None:
            yield self._short(*held, self._layout)

    def _set_header(self, header: Layout | None, line: str, at: int) -> None:
        if header is None:
            raise InputError(self._path, at, _no_header(line))
        if self._from_option:
            self._findings.note(HEADER_IGNORED, at)
            return
        if self._layout is not None:
            self._findings.note(HEADER_AGAIN, at)
        self._layout = header

    def _goes_on(self, held: tuple[int, str], line: str, layout: Layout) -> bool:
        """Whether *line* is more of the row held."""
        return not layout.begins_row(line) and len(held[1]) + len(line) <= LINE_LIMIT

    def _is_rest(self, line: str, layout: Layout) -> bool:
        """Whether *line* can only be the rest of a text that ends the row before."""
        last_free = layout.free and layout.free[-1] == len(layout.names) - 1
        return bool(last_free and self._given and "|" not in line and not layout.trailing)

    def _row(self, at: int, line: str, layout: Layout) -> Row:
        self._given += 1
        cells = line.split("|")
        if layout.trailing and cells.pop():
            return Row(at, cells, layout, "expected a bar at the end of the row")
        if len(cells) > len(layout.names):
            joined = self._rejoined(cells, layout)
            if joined is None:
                return Row(at, cells, layout, _count_fault(len(cells), layout))
            self._findings.repair(BAR, at)
            cells = joined
        if "\n" in line:
            if not layout.fits(cells):
                return Row(at, cells, layout, "a line break stands in it, not in a text")
            self._findings.repair(LINE_BREAK, at)
        return Row(at, cells, layout)

    def _rejoined(self, cells: list[str], layout: Layout) -> list[str] | None:
        """The cells with a text put together where only one way to do so makes sense."""
        if len(layout.free) == 1 and layout.free[0] == len(layout.names) - 1:
            return [*cells[: layout.free[0]], "|".join(cells[layout.free[0] :])]
        more = len(cells) - len(layout.names)
        ways = [
            [*cells[:at], "|".join(cells[at : at + more + 1]), *cells[at + more + 1 :]]
            for at in layout.free
        ]
        fitting = [way for way in ways if layout.fits(way)]
        plain = {tuple(_without(way, layout.free)) for way in fitting}
        return fitting[0] if len(plain) == 1 else None

    def _short(self, at: int, line: str, layout: Layout) -> Row:
        cells = line.split("|")
        cut_off = at == self._lines.unfinished
        what = _count_fault(len(cells), layout)
        return Row(at, cells, layout, f"the last line is cut off: {what}" if cut_off else what)


def _without(cells: Sequence[str], places: tuple[int, ...]) -> list[str]:
    return [cell for at, cell in enumerate(cells) if at not in places]


def _count_fault(count: int, layout: Layout) -> str:
    return f"expected {len(layout.names)} columns with '|' between them, found {count}"


def _no_header(line: str) -> str:
    shown = repr(line[:_SHOWN])
    if "|" not in line:
        return (
            f"expected columns with '|' between them, found {shown}: take the dump with "
            "sacct --parsable2"
        )
    return (
        f"expected a header with JobID in it, found {shown}: name the columns of a dump without "
        "a header, -o columns=NAME,NAME,... (or columns=xdmod)"
    )
