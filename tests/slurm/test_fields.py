"""Cells: ids, durations, TRES, memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xce_plugins.slurm.fields import CutArray, FieldError, RowId, count, duration, row_id
from xce_plugins.slurm.tres import Tres, parse_tres, requested_memory

MIB = 2**20


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("123", RowId(123, (-1,), -1)),
        ("123_4", RowId(123, (4,), -1)),
        ("123_[1-3]", RowId(123, (1, 2, 3), -1)),
        ("123_[9-11,13,16-20]", RowId(123, (9, 10, 11, 13, 16, 17, 18, 19, 20), -1)),
        ("123_[1-5:2]", RowId(123, (1, 3, 5), -1)),
        ("123_[1-3%2]", RowId(123, (1, 2, 3), -1, throttled=True)),
        ("123+0", RowId(123, (-1,), 0)),
        ("123+1", RowId(123, (-1,), 1)),
        ("123.batch", None),
        ("123.0", None),
        ("123_4.extern", None),
        ("123+1.interactive", None),
        ("123+1.0+2", None),
    ],
)
def test_ids_tell_job_array_and_part(text: str, expected: RowId | None) -> None:
    """C1: steps are no jobs."""
    assert row_id(text) == expected


@pytest.mark.parametrize("text", ["", "x", "12a", "12_", "12_[]", "12_[a]", "12_[3-1]", "-1", "1+"])
def test_what_is_no_id_is_a_fault(text: str) -> None:
    """Also an id cut in a column of fixed width."""
    with pytest.raises(FieldError, match="JobID"):
        row_id(text)


@pytest.mark.parametrize("text", ["12_[1,3,5,...]", "12_[1,3,5,...", "12_[1,3", "12_[1-...]"])
def test_a_cut_list_of_elements_is_refused_with_the_way_out(text: str) -> None:
    """Nobody knows how many jobs it stands for."""
    with pytest.raises(CutArray, match="SLURM_BITSTR_LEN=0"):
        row_id(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:00:24", 24),
        ("22-08:05:48", 22 * 86400 + 8 * 3600 + 5 * 60 + 48),
        ("125-00:00:00", 125 * 86400),
        ("100:00:00", 360000),
        ("00:15.057", 15),
        ("1-02", 93600),
        ("1-02:30", 95400),
    ],
)
def test_durations(text: str, seconds: int) -> None:
    """[D-]HH:MM:SS, and what Slurm prints elsewhere."""
    assert duration(text, "Elapsed") == seconds


@pytest.mark.parametrize("text", ["", "12", "1:2:3", "-1:00:00", "INVALID", "1-00:00:00:00"])
def test_what_is_no_duration_is_a_fault(text: str) -> None:
    """With its column."""
    with pytest.raises(FieldError, match="column Elapsed"):
        duration(text, "Elapsed")


@given(st.integers(0, 10**8))
def test_a_duration_is_read_as_it_is_written(seconds: int) -> None:
    """Whatever its size."""
    days, rest = divmod(seconds, 86400)
    text = f"{days}-{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    assert duration(text, "Elapsed") == seconds
    assert days or duration(text[2:], "Elapsed") == seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Tres()),
        ("billing=64,cpu=64,mem=62.50G,node=8", Tres(64, 8, 64000 * MIB)),
        ("cpu=8,mem=24000M,node=1", Tres(8, 1, 24000 * MIB)),
        ("cpu=1,mem=2252800K,node=1", Tres(1, 1, 2200 * MIB)),
        ("cpu=2,gres/gpu=2,gres/gpu:v100=2", Tres(2, gres=(("gpu", 2),))),
        ("cpu=2,gres/gpu:a100=1,gres/gpu:v100=2", Tres(2, gres=(("gpu", 3),))),
        ("cpu=2,license/ansys=3,license/none=0", Tres(2, licences=(("ansys", 3),))),
        ("energy=18446744073709551614,fs/disk=1,cpu=3", Tres(3)),
        ("cpu=1,mem=1.33G", Tres(1, memory=2**30 + 33 * 2**30 // 100)),
    ],
)
def test_tres_lists(text: str, expected: Tres) -> None:
    """A typed entry beside a plain one is the same pair, not another one."""
    assert parse_tres(text, "AllocTRES") == expected


@pytest.mark.parametrize("text", ["cpu", "cpu=x", "cpu=1,,mem=1M", "mem=1Q", "cpu=99999999999"])
def test_what_is_no_tres_list_is_a_fault(text: str) -> None:
    """With its column."""
    with pytest.raises(FieldError, match="column AllocTRES"):
        parse_tres(text, "AllocTRES")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3000Mc", 8 * 3000),
        ("48000Mn", 2 * 48000),
        ("0n", 0),
        ("", 0),
        ("4000M", 4000),
        ("2252800K", 2200),
        ("2.50Gc", 8 * 2560),
        ("2147486448Mn", 8 * 2800),
        ("2147486648Mn", 8 * 3000),
    ],
)
def test_requested_memory_in_all_its_forms(text: str, expected: int) -> None:
    """Per CPU, per node, in all; bit 31 means per CPU whatever the letter says."""
    assert requested_memory(text, cpus=8, nodes=2) == expected * MIB


def test_counts_have_a_bound() -> None:
    """S8: no number makes a huge job."""
    assert count("", "NCPUS") == 0
    with pytest.raises(FieldError, match="column NCPUS"):
        count("1000000001", "NCPUS")
