"""Cells of a row read with care: ids, durations, counts; every fault names its column."""

from __future__ import annotations

import re
from typing import NamedTuple

from xce_core.model.ranges import RangeError, unfold_numbers

LARGEST_COUNT = 10**9
"""No count that is read may be larger."""

ELEMENTS_LIMIT = 4_000_001
"""How many elements an array may have (Slurm's own limit)."""

NAME_LIMIT = 255
UNKNOWN_WORDS = frozenset(("", "Unknown", "None", "N/A", "n/a", "None assigned"))
"""What stands where there is nothing to tell."""

_ID = re.compile(r"(\d{1,18})(?:_(?:(\d{1,10})|\[([^\[\]]*)(\]?)))?(?:\+(\d{1,4}))?", re.ASCII)
_SPAN = re.compile(r"(?:(\d{1,6})-)?(\d{1,9})(?::(\d\d))?(?::(\d\d))?(?:\.\d+)?", re.ASCII)
_COUNT = re.compile(r"\d{1,10}", re.ASCII)
_SHOWN = 40


class FieldError(ValueError):
    """A row can't be read; *column* is the one at fault, empty for the row as a whole."""

    def __init__(self, what: str, column: str = "") -> None:
        super().__init__(what)
        self.column = column

    def __str__(self) -> str:
        what = super().__str__()
        return f"column {self.column}: {what}" if self.column else what


class CutArray(FieldError):
    """The list of an array's elements is cut off, so that nobody knows how many there are."""


class RowId(NamedTuple):
    """Whose row it is.

    :param indexes: the array elements it tells of; ``(-1,)`` for a job that is none.
    :param part: of a heterogeneous job, from 0; -1 for a job that is none.
    :param throttled: whether the array has a bound on elements that run at once.
    """

    number: int
    indexes: tuple[int, ...]
    part: int
    throttled: bool = False


_PLAIN = (-1,)


def row_id(text: str) -> RowId | None:
    """The job of ``123``, ``123_4``, ``123_[1-3,7%2]`` or ``123+1``; None for a step of one.

    :raises FieldError: for anything else.
    """
    if "." in text and "..." not in text:
        text, _, _ = text.partition(".")
        if _ID.fullmatch(text) is None:
            raise _not_an_id(text)
        return None
    match = _ID.fullmatch(text)
    if match is None:
        raise _not_an_id(text)
    number, index, listed, closed, part = match.groups()
    where = -1 if part is None else int(part)
    if listed is None:
        return RowId(int(number), _PLAIN if index is None else (int(index),), where)
    listed, percent, _ = listed.partition("%")
    if "..." in listed or not closed:
        what = f"the array's list is cut off, {shown(text)}: collect with SLURM_BITSTR_LEN=0"
        raise CutArray(what, "JobID")
    try:
        indexes = unfold_numbers(listed, ELEMENTS_LIMIT)
    except RangeError as error:
        raise FieldError(f"{shown(text)}: {error}", "JobID") from None
    if not indexes or max(indexes) > LARGEST_COUNT:
        raise _not_an_id(text)
    return RowId(int(number), tuple(indexes), where, bool(percent))


def _not_an_id(text: str) -> FieldError:
    what = f"expected a job id such as 123, 123_4 or 123+1, found {shown(text)}"
    return FieldError(what, "JobID")


def duration(text: str, column: str) -> int:
    """Seconds of ``[D-]HH:MM:SS``, also without its first or last parts.

    :raises FieldError: for anything else.
    """
    match = _SPAN.fullmatch(text)
    if match is None:
        raise FieldError(f"expected [D-]HH:MM:SS, found {shown(text)}", column)
    days, *parts = match.groups()
    numbers = [int(part) for part in parts if part is not None]
    if days is not None:  # D-HH, D-HH:MM, D-HH:MM:SS
        hours, minutes, seconds = (*numbers, 0, 0)[:3]
    else:  # MM:SS, HH:MM:SS
        if len(numbers) < 2:
            raise FieldError(f"expected [D-]HH:MM:SS, found {shown(text)}", column)
        hours, minutes, seconds = (0, 0, *numbers)[-3:]
    return int(days or 0) * 86400 + hours * 3600 + minutes * 60 + seconds


def count(text: str, column: str) -> int:
    """A whole number; 0 for an empty cell.

    :raises FieldError: for anything else, or one too large.
    """
    if not text:
        return 0
    if _COUNT.fullmatch(text) is None or int(text) > LARGEST_COUNT:
        what = f"expected a number of at most {LARGEST_COUNT}, found {shown(text)}"
        raise FieldError(what, column)
    return int(text)


def clean_name(text: str) -> str:
    """*text* as a name that is safe to print; ``unknown`` for none."""
    if text.isprintable() and 0 < len(text) <= NAME_LIMIT:
        return text
    return "".join(c if c.isprintable() else "?" for c in text[:NAME_LIMIT]) or "unknown"


def shown(text: str) -> str:
    """*text* for a message, cut if long."""
    return ascii(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")
