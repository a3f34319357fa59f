"""The parts of the REPL that can be told apart: ranges, times, names, output."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import a_job
from xce_core.model.ranges import fold_numbers
from xce_repl.backlog import ITEMS, Backlog, Ranges
from xce_repl.interface import (
    Block,
    Command,
    CommandError,
    HelpSection,
    Parameter,
    Topic,
    as_block,
)
from xce_repl.names import NameRefused, Names
from xce_repl.output import Output
from xce_repl.registry import fault_in
from xce_repl.times import Clock, duration_text

NUMBERS = st.integers(0, 40)
ODD = st.text(st.sampled_from("ab ~\n\r\t\x1b\x7f\x9b\u2028é"), max_size=5)


@given(st.lists(st.tuples(st.booleans(), NUMBERS)))
def test_ranges_are_the_set_they_stand_for(changes: list[tuple[bool, int]]) -> None:
    """I4: after any changes the text is that of the set, cut where it is long."""
    ranges, numbers = Ranges(), set[int]()
    for comes, number in changes:
        changed = ranges.add(number) if comes else ranges.remove(number)
        assert changed is ((number in numbers) is not comes)
        (numbers.add if comes else numbers.discard)(number)
        parts = fold_numbers(numbers).split(",") if numbers else []
        cut = parts if len(parts) <= ITEMS else [*parts[:ITEMS], "..."]
        assert ranges.text() == ",".join(cut)
        assert bool(ranges) is bool(numbers)


def test_the_backlog_names_arrays_among_plain_jobs() -> None:
    """I4: ``4-9,12[1-30]``, in order of the numbers."""
    backlog = Backlog()
    backlog.fresh += [a_job(n) for n in (4, 5, 6, 13)]
    backlog.fresh += [a_job(f"12[{n}]") for n in (1, 2, 3, 7)]
    backlog.settle([])
    assert backlog.text() == "4-6,12[1-3,7],13"
    full = backlog.signature
    backlog.remove(a_job("12[2]"))
    assert backlog.text() == "4-6,12[1,3,7],13"
    backlog.fresh.append(a_job("12[2]"))
    backlog.settle([a_job(99)])
    assert backlog.signature == full


NOW = 1791367200  # 2026-10-07 10:00:00 UTC


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("1791367300", NOW + 100),
        ("1.5", 1.5),
        ("2026-10-07 10:01:00", NOW + 60),
        ("2026-10-07T10:01", NOW + 60),
        ("2026-10-08", NOW + 14 * 3600),
        ("10:00:01", NOW + 1),
        ("9:59", NOW + 86400 - 60),
        ("+90", NOW + 90),
        ("+1:30:00", NOW + 5400),
    ],
)
def test_times_are_read_as_they_are_written(text: str, time: float) -> None:
    """I1: seconds, dates, times of day and distances."""
    assert Clock().parse(text, NOW) == time


@pytest.mark.parametrize(
    "text", ["", "soon", "25:00", "10:60:00", "2026-13-01", "+", "+1:99:00", "1e9", "9" * 16]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    """I1: in one line that says what was expected."""
    with pytest.raises(CommandError, match="expected a time"):
        Clock().parse(text, NOW)


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "1970-01-01 00:00:00"),
        (NOW + 0.25, "2026-10-07 10:00:00.25"),
        (-1, "1969-12-31 23:59:59"),
        (10**13, "10000000000000 s"),
    ],
)
def test_times_are_shown_in_utc(time: float, text: str) -> None:
    """I1: UTC unless something else is set; beyond the calendar as seconds."""
    assert Clock().text(time) == text
    assert Clock().text(time) == text


def test_another_zone() -> None:
    """I1: text and reading agree in any zone."""
    clock = Clock()
    clock.set_zone("America/New_York")
    assert clock.text(NOW) == "2026-10-07 06:00:00"
    assert clock.parse("2026-10-07 06:00", 0) == NOW
    assert clock.parse("06:30", NOW) == NOW + 1800
    clock.set_zone("UTC")
    assert clock.text(NOW) == "2026-10-07 10:00:00"
    assert clock.span(NOW, NOW + 5) == "2026-10-07 10:00:00 .. 10:00:05"
    assert clock.span(NOW, NOW + 86400) == "2026-10-07 10:00:00 .. 2026-10-08 10:00:00"
    assert duration_text(3661.5) == "1:01:01.5"


def test_a_unique_beginning_is_enough() -> None:
    """I1: else the candidates are named; reserved letters are nobody's beginning."""
    names: Names[int] = Names("command", "help", {"t": "tbreak"})
    for number, name in enumerate(["tbreak", "trace", "trip"]):
        names.add("a", name, number)
    assert names.find("t").value == 0
    assert names.find("tra").value == 1
    with pytest.raises(CommandError, match="command tr is ambiguous: trace, trip"):
        names.find("tr")
    with pytest.raises(CommandError, match="unknown command trcae; did you mean trace"):
        names.find("trcae")
    with pytest.raises(NameRefused, match="stands for tbreak"):
        names.add("b", "t", 4)
    with pytest.raises(NameRefused, match="command trip: a has it already"):
        names.add("b", "trip", 4)


def test_output_is_held_back_only_where_nobody_waits() -> None:
    """I2: a terminal gets each line at once."""
    for at_once, expected in ((True, "one\n"), (False, "")):
        stream = io.StringIO()
        output = Output(stream, at_once)
        output.line("one")
        assert stream.getvalue() == expected
        output.line("t\two\ud800\x00")
        output.flush()
        assert stream.getvalue() == "one\nt    wo\\ud800\\x00\n"


BLOCKS = st.lists(st.text(st.sampled_from("ab ~"), max_size=3), min_size=1, max_size=2).map(
    lambda lines: Block("\n".join(lines))
)


@given(st.lists(ODD | BLOCKS, max_size=4))
def test_a_block_holds_nothing_but_what_can_be_shown(lines: list[str]) -> None:
    """S8: it is written as it is, so whatever is not plain stays apart, to be escaped."""
    shown = as_block(lines)
    texts = [line for line in lines if not isinstance(line, Block)]
    if not lines:
        assert shown == []
    elif all(" " <= character <= "~" for text in texts for character in text):
        assert [type(text) for text in shown] == [Block]
        assert shown == ["\n".join(lines)]
    else:
        assert shown is lines


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (Command("go", list, "go", "go"), ""),
        (Command("go", None, "go", "go"), "run: expected a function"),  # type: ignore[arg-type]
        (Command("go", list, "go", "go", text=None), "text: expected a text"),  # type: ignore[arg-type]
        (Topic("t", list, 5, "t"), "usage: expected a text"),  # type: ignore[arg-type]
        (HelpSection("Mine", ["a", "b"]), ""),
        (HelpSection("Mine", None), "lines: expected a list of texts"),  # type: ignore[arg-type]
        (HelpSection("Mine", "text"), "lines: expected a list of texts"),
        (HelpSection("Mine", [1]), "lines: expected texts alone"),  # type: ignore[list-item]
        (Parameter("p", str, print, "p", values=5), "values: expected a list"),  # type: ignore[arg-type]
    ],
)
def test_a_field_of_the_wrong_type_is_found_at_once(given: Any, fault: str) -> None:
    """I3: and not when `help` or `set` is asked for."""
    found = fault_in(given)
    assert found.startswith(fault)
    assert bool(found) is bool(fault)
