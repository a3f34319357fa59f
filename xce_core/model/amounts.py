"""Exact amounts of resources: reading, showing and recording them.

Inside the program an amount is a plain integer: bytes for a resource of kind
"bytes", else a count of 10**-decimals units (with 1 decimal, 5 means 0.5).
For bytes, ``decimals`` has no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction

from xce_core.model.syntax import of_type

DECIMALS_LIMIT = 6
LARGEST_AMOUNT = 2**80
"""No amount that is read may be larger; it keeps a hostile input from huge integers."""

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_DIGITS_LIMIT = 60
_TEXT = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?) *([A-Za-z]*)")
_UNIT = re.compile(r"B|([KMGTPE])(?:iB|B)?")


class AmountError(ValueError):
    """A value is no amount; the message says what was expected and found."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(expected, found)
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"expected {self.expected}, found {self.found}"


class AmountKind(Enum):
    """What a resource counts."""

    NUMBER = "number"
    BYTES = "bytes"


class UnitsMode(Enum):
    """How bytes are shown; numbers look the same in all modes but have no unit."""

    AUTO = "auto"
    RAW = "raw"
    KIB = "KiB"
    MIB = "MiB"
    GIB = "GiB"
    TIB = "TiB"


def parse_amount(value: object, kind: AmountKind, decimals: int = 0) -> int:
    """The amount that *value* says: an int, a float, a Decimal or a text.

    A float is taken as it is written (0.1 is a tenth). A text of bytes may carry
    a unit, ``8G``, ``62.50G``, ``8 GiB``, ``100``, in steps of 1024.

    :raises AmountError: for anything else, a negative or a too large value, or one
        with more decimals than allowed; bytes must come out whole.
    :raises ValueError: if *decimals* is not between 0 and 6.
    """
    exact = _exact(value, kind)
    scaled = exact * 10 ** _used_decimals(kind, decimals)
    if exact < 0:
        raise AmountError(f"{_noun(kind)} of zero or more", _phrase(value))
    if scaled > LARGEST_AMOUNT:
        raise AmountError(f"an amount of at most {LARGEST_AMOUNT}", "a larger one")
    if scaled.denominator != 1:
        raise AmountError(_whole(kind, decimals), _phrase(value))
    return int(scaled)


def format_amount(amount: int, kind: AmountKind, decimals: int, mode: UnitsMode) -> str:
    """*amount* for the user, with a unit if it is bytes and *mode* is not RAW.

    What two decimals can say exactly is shown exactly, without trailing zeros
    (``62.5 GiB``). Anything else is rounded to three decimals, and these are all
    shown (``1.000 GiB`` for 1 GiB and a byte): three decimals mean "about", and
    a rounded amount never looks like an exact one. AUTO takes the largest unit
    in which the amount is at least 1; 0 is plain ``0``.
    """
    sign = "-" if amount < 0 else ""
    if amount == 0 and mode is UnitsMode.AUTO:
        return "0"
    if kind is AmountKind.NUMBER or mode is UnitsMode.RAW:
        return sign + _decimal_text(abs(amount), _used_decimals(kind, decimals))
    power = _largest_power(abs(amount)) if mode is UnitsMode.AUTO else _POWERS[mode]
    return f"{sign}{_quotient_text(abs(amount), 1024**power)} {_UNITS[power]}"


def to_text(amount: int, kind: AmountKind, decimals: int) -> int | str:
    """The exact form for recordings: an int if whole, else a text such as "0.5".

    ``parse_amount`` gives the same amount back, unless it is negative.
    """
    whole, part = divmod(amount, int(10 ** _used_decimals(kind, decimals)))
    if part == 0:
        return whole
    return format_amount(amount, kind, decimals, UnitsMode.RAW)


# Reading.


def _exact(value: object, kind: AmountKind) -> Fraction:
    if isinstance(value, str):
        return _of_text(value, kind)
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise AmountError(_noun(kind), _phrase(value))
    if isinstance(value, int):
        return Fraction(value)
    number = Decimal(repr(value)) if isinstance(value, float) else value
    if not number.is_finite():
        raise AmountError(_noun(kind), _phrase(value))
    if number and abs(number.adjusted()) > _DIGITS_LIMIT:
        # Before 1e999999999 becomes an integer.
        raise AmountError(f"{_noun(kind)} of ordinary size", _phrase(value))
    return Fraction(number)


def _of_text(text: str, kind: AmountKind) -> Fraction:
    match = _TEXT.fullmatch(text.strip())
    if match is None or len(match[1]) > _DIGITS_LIMIT:
        raise AmountError(_noun(kind), _phrase(text))
    number = Fraction(match[1])
    if not match[2]:
        return number
    unit = _UNIT.fullmatch(match[2])
    if kind is AmountKind.NUMBER or unit is None:
        raise AmountError(_noun(kind), _phrase(text))
    return number * (1024 ** ("KMGTPE".index(unit[1]) + 1) if unit[1] else 1)


def _used_decimals(kind: AmountKind, decimals: int) -> int:
    if not 0 <= decimals <= DECIMALS_LIMIT:
        raise ValueError(f"expected 0 to {DECIMALS_LIMIT} decimals, found {decimals}")
    return decimals if kind is AmountKind.NUMBER else 0


def _noun(kind: AmountKind) -> str:
    return "a number" if kind is AmountKind.NUMBER else "bytes such as 512M or 8 GiB"


def _whole(kind: AmountKind, decimals: int) -> str:
    if kind is AmountKind.BYTES:
        return "a whole number of bytes"
    if decimals == 0:
        return "a whole number"
    return f"a number with at most {decimals} decimal{'s' if decimals > 1 else ''}"


def _phrase(value: object) -> str:
    """*value* as the user wrote it, cut if long."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "nothing"}[value]
    if isinstance(value, int) and abs(value) > LARGEST_AMOUNT:
        return "a larger one"  # also because str() refuses thousands of digits
    if not isinstance(value, (int, float, Decimal, str)):
        return of_type(value)
    text = str(value)
    shown = text if len(text) <= 40 else text[:37] + "..."
    return repr(shown) if isinstance(value, str) and not _TEXT.fullmatch(text) else shown


# Showing.

_POWERS: Mapping[UnitsMode, int] = {
    UnitsMode.KIB: 1,
    UnitsMode.MIB: 2,
    UnitsMode.GIB: 3,
    UnitsMode.TIB: 4,
}


def _largest_power(amount: int) -> int:
    """The power of 1024 of the largest unit in which *amount* is at least 1, else 0."""
    return min(max(amount.bit_length() - 1, 0) // 10, len(_UNITS) - 1)


def _quotient_text(amount: int, unit: int) -> str:
    hundredths, rest = divmod(amount * 100, unit)
    if rest == 0:
        return _decimal_text(hundredths, 2)
    thousandths = round(Fraction(amount * 1000, unit))
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def _decimal_text(count: int, decimals: int) -> str:
    """*count* times 10**-decimals, exactly, without trailing zeros."""
    whole, part = divmod(count, 10**decimals)
    digits = f"{part:0{decimals}}".rstrip("0") if part else ""
    return f"{whole}.{digits}" if digits else str(whole)
