"""Lists of job ids, folded in the order given: ``4-9,12[1-3,7]``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from xce_core.model.jobs import format_job_id
from xce_core.model.ranges import NAMES_LIMIT, NumberRange, RangeError, fold_in_order, parse_ranges
from xce_core.sim.fields import FieldError, mismatch

JobId = tuple[int, int]
"""A job's number and its array index, -1 if it is no array element."""

_DIGITS = r"[0-9]{1,18}"
_ONE = re.compile(rf"({_DIGITS})(?:\[({_DIGITS})\])?")
_ITEM = re.compile(rf"({_DIGITS}(?:-{_DIGITS})?)(?:\[([^\[\]]*)\])?")
_EXPECTED = "a job id such as 12 or 12[3]"


def job_id(value: object) -> str:
    """A single job or array element, in canonical form; a number is taken as a text.

    :raises FieldError: if it is neither.
    """
    if value.__class__ is int and 0 <= value < 10**18:
        return str(value)
    match = _ONE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise mismatch(_EXPECTED, value)
    return format_job_id(int(match[1]), -1 if match[2] is None else int(match[2]))


def submitted_ids(value: object) -> tuple[JobId, ...]:
    """What a submission names: a job, or the elements of an array in rising order.

    :raises FieldError: if it is neither.
    """
    if value.__class__ is int and 0 <= value < 10**18:
        return ((value, -1),)
    match = _ITEM.fullmatch(value) if isinstance(value, str) else None
    if match is None or "-" in match[1]:
        raise mismatch(f"{_EXPECTED}, or an array such as 12[1-30]", value)
    if match[2] is None:
        return ((int(match[1]), -1),)
    indexes = sorted(_numbers(match[2], match.start(2), NAMES_LIMIT))
    for one, other in pairwise(indexes):
        if one == other:
            raise FieldError(f"array element {one} stands twice")
    return tuple((int(match[1]), index) for index in indexes)


def unfold_jobs(value: object) -> tuple[str, ...]:
    """The ids that a list stands for, in the order written.

    :raises FieldError: if it is malformed, empty, or stands for too many.
    """
    if not isinstance(value, str):
        raise mismatch("a list of jobs such as 4-9,12[1-3]", value)
    found: list[str] = []
    at = 0
    while True:
        match = _ITEM.match(value, at)
        if match is None:
            raise _error(at, "a job id", value)
        found += _ids(match, NAMES_LIMIT - len(found))
        at = match.end()
        if at == len(value):
            return tuple(found)
        if value[at] != ",":
            raise _error(at, "',' or the end", value)
        at += 1


def fold_jobs(ids: Iterable[JobId]) -> str:
    """*ids* as a list that unfolds in the same order."""
    return ",".join(_folded(ids))


def _folded(ids: Iterable[JobId]) -> Iterator[str]:
    """The items of the list: a run of plain jobs, or elements of one array."""
    kind = -1
    numbers: list[int] = []
    for number, index in ids:
        array = number if index >= 0 else -1
        if numbers and array != kind:
            yield _item(kind, numbers)
            numbers = []
        kind = array
        numbers.append(number if index < 0 else index)
    if numbers:
        yield _item(kind, numbers)


def _item(array: int, numbers: list[int]) -> str:
    folded = fold_in_order(numbers)
    return folded if array < 0 else f"{array}[{folded}]"


def _ids(match: re.Match[str], limit: int) -> list[str]:
    if match[2] is None:
        return [str(number) for number in _numbers(match[1], match.start(1), limit)]
    if "-" in match[1]:
        raise FieldError(f"column {match.start(2)}: expected ',' or the end, found '['")
    number = int(match[1])
    return [format_job_id(number, i) for i in _numbers(match[2], match.start(2), limit)]


def _numbers(ranges: str, offset: int, limit: int) -> list[int]:
    try:
        parts: tuple[NumberRange, ...] = parse_ranges(ranges)
    except RangeError as error:
        what = f"expected {error.expected}, found {error.found or 'the end'}"
        raise FieldError(f"column {error.column + offset}: {what}") from None
    if sum(part.count for part in parts) > limit:
        raise FieldError(f"expected at most {NAMES_LIMIT} jobs, found more")
    return [number for part in parts for number in part.numbers()]


def _error(at: int, expected: str, value: str) -> FieldError:
    found = f"'{value[at]}'" if at < len(value) else "the end"
    return FieldError(f"column {at + 1}: expected {expected}, found {found}")
