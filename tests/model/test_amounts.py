"""Amounts: read exactly, shown honestly, recorded without loss."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xce_core.model.amounts import (
    LARGEST_AMOUNT,
    AmountError,
    AmountKind,
    UnitsMode,
    format_amount,
    parse_amount,
    to_text,
)

NUMBER, BYTES = AmountKind.NUMBER, AmountKind.BYTES
GIB = 1024**3
UNIT_BYTES = {unit: 1024**power for power, unit in enumerate(
    ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"])}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        ("8G", 8 * GIB),
        ("62.50G", 125 * GIB // 2),
        ("512M", GIB // 2),
        ("2252800K", 2252800 * 1024),
        ("8 GiB", 8 * GIB),
        ("8GB", 8 * GIB),
        (" 1E ", 1024**6),
        ("100", 100),
        ("0 B", 0),
        (100, 100),
        (8.0, 8),
        (Decimal("8"), 8),
    ],
)
def test_bytes_are_read(value: object, amount: int) -> None:
    """0: amounts are exact; bytes carry units in steps of 1024."""
    assert parse_amount(value, BYTES, 0) == amount


@pytest.mark.parametrize(
    ("value", "decimals", "amount"),
    [
        (4, 0, 4),
        ("4", 0, 4),
        (4.0, 0, 4),
        (0.1, 1, 1),
        (0.1, 6, 100000),
        ("1.50", 1, 15),
        (1e-6, 6, 1),
        (Decimal("0E+999999999"), 0, 0),
        (1e15, 0, 10**15),
    ],
)
def test_numbers_are_read(value: object, decimals: int, amount: int) -> None:
    """0: fractions only where the resource says so, without float error."""
    assert parse_amount(value, NUMBER, decimals) == amount


@pytest.mark.parametrize(
    ("value", "kind", "decimals", "message"),
    [
        (1.5, NUMBER, 0, "expected a whole number, found 1.5"),
        ("0.125", NUMBER, 2, "expected a number with at most 2 decimals, found 0.125"),
        (0.25, NUMBER, 1, "expected a number with at most 1 decimal, found 0.25"),
        (-1, NUMBER, 0, "expected a number of zero or more, found -1"),
        ("-1G", BYTES, 0, "expected bytes such as 512M or 8 GiB of zero or more, found -1G"),
        (True, NUMBER, 0, "expected a number, found true"),
        (None, NUMBER, 0, "expected a number, found nothing"),
        ([1], NUMBER, 0, "expected a number, found a list"),
        (float("nan"), NUMBER, 0, "expected a number, found nan"),
        (float("inf"), BYTES, 0, "expected bytes such as 512M or 8 GiB, found inf"),
        (Decimal("sNaN"), NUMBER, 0, "expected a number, found sNaN"),
        ("8G", NUMBER, 0, "expected a number, found 8G"),
        ("8X", BYTES, 0, "expected bytes such as 512M or 8 GiB, found 8X"),
        ("8iB", BYTES, 0, "expected bytes such as 512M or 8 GiB, found 8iB"),
        ("1e3", NUMBER, 0, "expected a number, found '1e3'"),
        ("", NUMBER, 0, "expected a number, found ''"),
        ("٣", NUMBER, 0, "expected a number, found '٣'"),
        ("0.1G", BYTES, 0, "expected a whole number of bytes, found 0.1G"),
        ("9" * 50, BYTES, 0, f"expected an amount of at most {LARGEST_AMOUNT}, found a larger one"),
        ("9" * 9000, NUMBER, 0, f"expected a number, found {'9' * 37}..."),
        (Decimal("1e999999999"), NUMBER, 0, "expected a number of ordinary size, "
         "found 1E+999999999"),
        (1e-300, NUMBER, 6, "expected a number of ordinary size, found 1e-300"),
    ],
)  # fmt: skip
def test_a_bad_amount_says_what_was_expected(
    value: object, kind: AmountKind, decimals: int, message: str
) -> None:
    """S6: what is wrong, as expected and found."""
    with pytest.raises(AmountError) as caught:
        parse_amount(value, kind, decimals)
    assert str(caught.value) == message


def test_a_huge_int_is_an_amount_error() -> None:
    """S8: also one with more digits than Python writes."""
    for value in (LARGEST_AMOUNT + 1, 10**6000, -(10**6000)):
        with pytest.raises(AmountError, match="found a larger one"):
            parse_amount(value, BYTES, 0)


@pytest.mark.parametrize("decimals", [-1, 7])
def test_decimals_are_bounded(decimals: int) -> None:
    """0: a resource has 0 to 6 decimals."""
    with pytest.raises(ValueError, match="expected 0 to 6 decimals"):
        parse_amount(1, NUMBER, decimals)


@pytest.mark.parametrize(
    ("amount", "mode", "text"),
    [
        (8 * GIB, UnitsMode.AUTO, "8 GiB"),
        (125 * GIB // 2, UnitsMode.AUTO, "62.5 GiB"),
        (5 * GIB // 4, UnitsMode.AUTO, "1.25 GiB"),
        (9 * GIB // 8, UnitsMode.AUTO, "1.125 GiB"),
        (GIB + 1, UnitsMode.AUTO, "1.000 GiB"),
        (GIB - 1, UnitsMode.AUTO, "1024.000 MiB"),
        (0, UnitsMode.AUTO, "0"),
        (1023, UnitsMode.AUTO, "1023 B"),
        (2048 * 1024**6, UnitsMode.AUTO, "2048 EiB"),
        (-3 * GIB // 2, UnitsMode.AUTO, "-1.5 GiB"),
        (8 * GIB, UnitsMode.RAW, "8589934592"),
        (-5, UnitsMode.RAW, "-5"),
        (8 * GIB, UnitsMode.KIB, "8388608 KiB"),
        (8 * GIB, UnitsMode.MIB, "8192 MiB"),
        (512 * 1024**2, UnitsMode.GIB, "0.5 GiB"),
        (1, UnitsMode.TIB, "0.000 TiB"),
        (0, UnitsMode.TIB, "0 TiB"),
    ],
)
def test_bytes_are_shown_in_the_units_mode(amount: int, mode: UnitsMode, text: str) -> None:
    """R7.7: amounts follow the units mode; a rounded one shows three decimals."""
    assert format_amount(amount, BYTES, 0, mode) == text


@pytest.mark.parametrize("mode", list(UnitsMode))
def test_numbers_have_no_unit(mode: UnitsMode) -> None:
    """R7.7: the units mode does not touch numbers."""
    assert format_amount(2048, NUMBER, 0, mode) == "2048"
    assert format_amount(5, NUMBER, 1, mode) == "0.5"
    assert format_amount(-1250, NUMBER, 3, mode) == "-1.25"
    assert format_amount(2000, NUMBER, 3, mode) == "2"


def test_the_recorded_form_is_an_int_where_possible() -> None:
    """0: recordings hold the exact amount."""
    assert to_text(8 * GIB, BYTES, 0) == 8 * GIB
    assert to_text(20, NUMBER, 1) == 2
    assert to_text(5, NUMBER, 1) == "0.5"
    assert to_text(-5, NUMBER, 1) == "-0.5"


@given(st.integers(0, LARGEST_AMOUNT), st.sampled_from(AmountKind), st.integers(0, 6))
def test_recording_loses_nothing(amount: int, kind: AmountKind, decimals: int) -> None:
    """0: what is recorded reads back as the same amount; so does the raw text."""
    assert parse_amount(to_text(amount, kind, decimals), kind, decimals) == amount
    raw = format_amount(amount, kind, decimals, UnitsMode.RAW)
    assert parse_amount(raw, kind, decimals) == amount


@given(st.integers(0, 10**9), st.integers(0, 6))
def test_a_float_is_read_as_written(count: int, decimals: int) -> None:
    """0: no float error, for any count that a float spells."""
    value = float(Fraction(count, 10**decimals))
    assert parse_amount(value, NUMBER, decimals) == count


SIZES = st.integers(0, 6).flatmap(
    lambda power: st.builds(lambda part: part * 1024**power // 100, st.integers(0, 10**6))
)


@given(SIZES | st.integers(0, 2**70), st.sampled_from([m for m in UnitsMode if m.name != "RAW"]))
def test_what_looks_exact_is_exact(amount: int, mode: UnitsMode) -> None:
    """R7.7: at most two decimals are the very amount; three are within half a thousandth."""
    text = format_amount(amount, BYTES, 0, mode)
    if text == "0":
        assert (amount, mode) == (0, UnitsMode.AUTO)
        return
    number, unit = text.split(" ")
    assert mode is UnitsMode.AUTO or unit == mode.value
    shown = Fraction(number) * UNIT_BYTES[unit]
    decimals = len(number.partition(".")[2])
    if decimals <= 2:
        assert shown == amount
        assert "." not in number or not number.endswith("0")
    else:
        assert decimals == 3
        assert abs(shown - amount) * 2000 <= UNIT_BYTES[unit]
