"""Lists of numbers as ranges: ``1-3,7,9-12``, with a step ``1-9:2``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xce_core.model.syntax import TextError

DIGITS_LIMIT = 18
"""How many digits a number in a range may have."""

NAMES_LIMIT = 1_000_000
"""How many numbers or names one text may stand for, if not said otherwise."""

_ITEM = re.compile(r"([0-9]+)(?:-([0-9]+)(?::([0-9]+))?)?")
_BLANKS = " \t"


class RangeError(TextError):
    """A list of ranges is not well formed, or stands for too many numbers."""


@dataclass(frozen=True, slots=True)
class NumberRange:
    """The numbers first, first + step, ... up to last, padded with zeros to *width*."""

    first: int
    last: int
    step: int
    width: int

    @property
    def count(self) -> int:
        return (self.last - self.first) // self.step + 1

    def numbers(self) -> range:
        return range(self.first, self.last + 1, self.step)

    def texts(self) -> Iterator[str]:
        """The numbers as text, with leading zeros if the first was written so."""
        return (f"{number:0{self.width}}" for number in self.numbers())


def fold_numbers(numbers: Iterable[int]) -> str:
    """*numbers* in rising order, each once, as ranges; empty for none.

    :raises ValueError: for a negative number, or one of more than 18 digits.
    """
    ordered = sorted(set(numbers))
    if ordered and (ordered[0] < 0 or ordered[-1] >= 10**DIGITS_LIMIT):
        raise ValueError(f"expected numbers from 0 up, of at most {DIGITS_LIMIT} digits")
    return fold_in_order(ordered)


def fold_in_order(numbers: Iterable[int]) -> str:
    """Numbers as ranges, in the order given; neighbours that count on are joined."""
    texts: list[str] = []
    first = last = -1
    for number in numbers:
        if number == last + 1 and texts:
            last = number
            texts[-1] = f"{first}-{last}"
        else:
            first = last = number
            texts.append(str(number))
    return ",".join(texts)


def fold_texts(texts: Sequence[str]) -> str:
    """Digit texts as ranges, in the order given; neighbours that count on are joined."""
    runs: list[list[str]] = []
    for text in texts:
        if runs and text == _after(runs[-1]):
            runs[-1][1:] = [text]
        else:
            runs.append([text])
    return ",".join("-".join(run) for run in runs)


def _after(run: list[str]) -> str:
    """The text that counts on from *run*, padded as the first text of it is."""
    return str(int(run[-1]) + 1).zfill(len(run[0]))


def unfold_numbers(text: str, limit: int = NAMES_LIMIT) -> list[int]:
    """The numbers that *text* stands for, in the order written; none for blanks.

    A number that is written twice comes twice.

    :raises RangeError: if *text* is malformed or stands for more than *limit* numbers.
    """
    if not text.strip(_BLANKS):
        return []
    ranges = parse_ranges(text)
    count = sum(part.count for part in ranges)
    if count > limit:
        raise RangeError(1, f"at most {limit} numbers", str(count))
    return [number for part in ranges for number in part.numbers()]


def parse_ranges(text: str) -> tuple[NumberRange, ...]:
    """The ranges of a comma-separated list, at least one; blanks around one are allowed.

    :raises RangeError: if *text* is malformed.
    """
    found: list[NumberRange] = []
    at = 0
    for piece in text.split(","):
        lead = len(piece) - len(piece.lstrip(_BLANKS))
        found.append(_range_at(text, at + lead, at + len(piece.rstrip(_BLANKS))))
        at += len(piece) + 1
    return tuple(found)


def _range_at(text: str, at: int, end: int) -> NumberRange:
    """The range that fills text[at:end]."""
    match = _ITEM.match(text, at, max(at, end))
    if match is None:
        raise RangeError(at + 1, "a number", _phrase(text, at))
    if match.end() < end:
        stop = match.end()
        raise RangeError(stop + 1, _continuation(match, text[stop]), _phrase(text, stop))
    for group in (1, 2, 3):
        if len(match[group] or "") > DIGITS_LIMIT:
            expected = f"a number of at most {DIGITS_LIMIT} digits"
            raise RangeError(match.start(group) + 1, expected, "a longer one")
    return _checked(match)


def _continuation(match: re.Match[str], stopper: str) -> str:
    """What was expected where an item should have ended, by what stands there."""
    if stopper == "-" and match[2] is None:
        return "two numbers around '-'"
    if stopper == ":" and match[3] is None:
        return "a range and a step around ':'"
    return "',' or the end"


def _checked(match: re.Match[str]) -> NumberRange:
    first, last, step = match[1], match[2] or match[1], match[3] or "1"
    if last.startswith("0") and len(last) != len(first):
        raise RangeError(match.start(2) + 1, f"as many digits as in {first}", last)
    if int(last) < int(first):
        raise RangeError(match.start(2) + 1, f"a number of {first} or more", last)
    if int(step) == 0:
        raise RangeError(match.start(3) + 1, "a step of 1 or more", step)
    return NumberRange(int(first), int(last), int(step), len(first))


def _phrase(text: str, at: int) -> str:
    return f"'{text[at]}'" if at < len(text) else ""
