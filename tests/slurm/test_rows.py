"""Lines to rows: headers, bars and line breaks in names, cut-off ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.slurm.samples import COLUMNS, HEADER, a_row, in_utc, jobs_of, opened, read, report
from xce_core.sim.workload import InputError
from xce_plugins.slurm import columns_named
from xce_plugins.slurm.lines import LINE_LIMIT

SKIP = in_utc(repairs=frozenset({"skip-malformed"}))
NAME_AMID = "JobID|JobName|User|State|Submit|Start|End|NCPUS|NodeList\n"
BAR = "bar in a text, put together again"
LINE_BREAK = "line break in a text, put together again"


def amid(name: str, ident: int = 1) -> str:
    """A row whose name is not the last column."""
    times = "2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-01T00:00:20"
    return f"{ident}|{name}|ann|COMPLETED|{times}|4|n1\n"


@pytest.mark.parametrize(
    "text",
    [
        HEADER + a_row(),
        HEADER.upper() + a_row(),
        "\n" + HEADER + "\n" + a_row() + "\n",
        (HEADER + a_row()).replace("\n", "\r\n"),
        "\ufeff" + HEADER + a_row(),
        (HEADER + a_row()).replace("\n", "|\n"),
        (HEADER + a_row()).rstrip("\n"),
    ],
)
def test_a_header_maps_the_columns(text: str) -> None:
    """With -P or -p, in any case, with blank lines and CRLF."""
    workload = opened(text)
    assert [job.user for job in jobs_of(workload)] == ["ann"]
    assert workload.tally.read == 1
    assert not workload.tally.repaired


@pytest.mark.parametrize("end", ["", "|"])
def test_columns_can_be_named(end: str) -> None:
    """For a dump without a header; a bar at the end of all rows is seen in the first one."""
    options = in_utc(columns=columns_named(COLUMNS.replace("|", ",")))
    text = (a_row() + a_row(2)).replace("\n", f"{end}\n")
    assert [job.number for job in jobs_of(opened(text, options))] == [1, 2]


def test_the_columns_named_go_before_a_header() -> None:
    """It is noted."""
    options = in_utc(columns=columns_named(COLUMNS.replace("|", ",")))
    workload = opened(HEADER + a_row(), options)
    assert len(jobs_of(workload)) == 1
    assert workload.notes["header line not looked at (the option columns names the columns)"] == 1


def test_dumps_after_one_another_each_have_their_header() -> None:
    """Also with other columns."""
    workload = opened(HEADER + a_row() + NAME_AMID + amid("x", 2))
    assert [job.number for job in jobs_of(workload)] == [1, 2]
    assert workload.notes["a further header line"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (a_row(), "expected a header with JobID in it"),
        ("JobID User\n-----\n1 ann\n", "take the dump with sacct --parsable2"),
        ("JobID|State\n1|COMPLETED\n", "a replay needs the columns CPUs"),
        (NAME_AMID.replace("Submit", "Eligible") + amid("x"), "needs the columns Submit too"),
    ],
)
def test_a_dump_that_cannot_be_read_says_what_is_missing(text: str, said: str) -> None:
    """S6: with the way out."""
    with pytest.raises(InputError, match=said):
        opened(text)


@pytest.mark.parametrize("name", ["a|b", "|", "a||b|", "|||||||||||||||||||||||"])
def test_bars_in_a_text_that_comes_last_do_no_harm(name: str) -> None:
    """The split is bounded; they are counted."""
    workload = read(a_row(name=name) + a_row(2))
    assert [job.number for job in jobs_of(workload)] == [1, 2]
    assert workload.tally.repaired == {BAR: 1}


@pytest.mark.parametrize("name", ["a|b", "a|b|c", "||", "COMPLETED|x"])
def test_bars_amid_a_row_are_put_together_where_one_way_makes_sense(name: str) -> None:
    """The other columns tell which."""
    workload = opened(NAME_AMID + amid(name) + amid("y", 2))
    assert [(job.number, job.user) for job in jobs_of(workload)] == [(1, "ann"), (2, "ann")]
    assert workload.tally.repaired == {BAR: 1}


def test_bars_that_nobody_can_place_are_told_with_their_line() -> None:
    """Never dropped silently: an error, or counted if the repair was asked for."""
    text = NAME_AMID + amid("y", 2) + amid("x").replace("ann", "a|nn|b").replace("|4|", "|4x|")
    with pytest.raises(InputError, match=r"^t\.slurm:3: expected 9 columns .* found 11; the"):
        opened(text)
    workload = opened(text, SKIP)
    assert len(jobs_of(workload)) == 1
    assert workload.tally.refused == {"malformed row": 1}
    assert workload.tally.read == 2


@pytest.mark.parametrize("text", [HEADER + a_row(name="a\nb\n\nc"), NAME_AMID + amid("a\nb\nc")])
def test_line_breaks_in_a_text_are_mended(text: str) -> None:
    """Wherever the text stands."""
    workload = opened(text + text)
    assert len(jobs_of(workload)) == 1
    assert workload.tally.repaired[LINE_BREAK] >= 2
    assert workload.tally.refused == {"row that repeats another one": 1}


def test_a_damaged_row_is_not_taken_for_a_text() -> None:
    """The row after it is read as it is."""
    text = NAME_AMID + "7|x|ann|COMPLE\n" + amid("x", 2) + "3|x|ann"
    with pytest.raises(InputError, match=r"^t\.slurm:2: expected 9 columns"):
        opened(text)
    lines = report(text)
    assert "  2 malformed row (first: line 2; repair: skip-malformed)" in lines
    assert lines[0].startswith("t.slurm: 3 jobs read, 1 accepted, 2 refused, 0 joined")


def test_a_line_break_outside_a_text_is_a_fault() -> None:
    """No number or list has one."""
    broken = a_row(given="cpu=4,\nnode=1")
    with pytest.raises(InputError, match=r"^t\.slurm:2: a line break stands in it, not in a text"):
        read(broken)


def test_a_last_line_that_is_cut_off_is_told_so() -> None:
    """S6."""
    with pytest.raises(InputError, match=r"^t\.slurm:3: the last line is cut off: expected 9"):
        opened(NAME_AMID + amid("x") + "3|x|ann")


@pytest.mark.parametrize("data", [b"\0\1", HEADER.encode() + b"1" * (LINE_LIMIT + 3)])
def test_what_is_no_text_in_lines_is_stopped(data: bytes) -> None:
    """S8: an endless line never fills the memory."""
    with pytest.raises(InputError, match=r"binary data|a line of at most"):
        opened(data)


CELLS = st.sampled_from(["", "x", "1", "a|b", "a\nb", "Unknown", "2026-01-01T00:00:00", "4", "7.0",
                         "1_[1-3]", "1+0", "1_[1...", "COMPLETED", "PENDING", "cpu=4,node=2", "n1"])


@given(st.lists(st.lists(CELLS, min_size=7, max_size=10), max_size=6))
def test_totals_add_up_whatever_the_rows(rows: list[list[str]]) -> None:
    """Every row is accepted, refused or joined; the check never fails."""
    good = [amid("x", number) for number in range(50, 52)]
    text = NAME_AMID + good[0] + "".join("|".join(row) + "\n" for row in rows) + good[1]
    read_, accepted, refused, joined = map(
        int, "".join(c if c.isdigit() else " " for c in report(text)[0]).split()[:4]
    )
    assert read_ == accepted + refused + joined
    assert accepted >= 1
    workload = opened(text, SKIP)
    assert len(jobs_of(workload)) == accepted
    assert workload.tally.read == read_
