"""Lists of host names, folded: ``n[01-03,07],login``.

Folding looks at the last run of digits of a name; names that agree before and
after it share a bracket. Unfolding also takes several brackets in one name
(``r[1-2]n[1-3]``: the last one counts fastest), a step (``n[1-9:2]``) and
blanks around a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from xce_core.model.ranges import (
    DIGITS_LIMIT,
    NAMES_LIMIT,
    NumberRange,
    RangeError,
    fold_texts,
    parse_ranges,
)
from xce_core.model.syntax import TextError

NAME_LIMIT = 255
"""How many characters a name may have."""

_DIGITS_FROM_BEHIND = re.compile(r"([^0-9]*)([0-9]+)")
_PLAIN = re.compile(r"[^,\[\]\s]+")
_BLANKS = re.compile(r"\s*")
_NAME = f"a name of 1 to {NAME_LIMIT} characters"
_UNFIT = re.compile(r"[,\[\]\s]")


class HostListError(TextError):
    """A host list is not well formed or too long, or a name does not fit into one.

    The column is one of the list or of the name.
    """


def fold(names: Iterable[str]) -> str:
    """*names*, each once, as a host list; empty for none.

    Groups stand in the order in which their first name was seen; inside a
    bracket numbers rise, shorter ones first, and keep their leading zeros.

    :raises HostListError: for an empty or too long name, or one with a comma, bracket
        or blank.
    """
    groups: dict[tuple[str, str | None], set[str]] = {}
    for name in names:
        before, digits, after = _split(name)
        groups.setdefault((before, after), set()).add(digits)
    return ",".join(
        _folded(before, digits, after or "") for (before, after), digits in groups.items()
    )


def unfold(text: str, limit: int = NAMES_LIMIT) -> list[str]:
    """The names that *text* stands for, in the order written; none for blanks.

    A name that is written twice comes twice.

    :raises HostListError: if *text* is malformed, stands for more than *limit* names,
        or for one of more than 255 characters.
    """
    names: list[str] = []
    for item in _items(text):
        if item.length > NAME_LIMIT:
            raise HostListError(item.column, _NAME, f"up to {item.length}")
        if item.count > limit - len(names):
            raise HostListError(item.column, f"at most {limit} names", "more")
        names.extend(item.names())
    return names


def _split(name: str) -> tuple[str, str, str | None]:
    """What is before, in and after the last digits; after is None if there are none."""
    unfit = _UNFIT.search(name)
    if unfit:
        raise HostListError(unfit.start() + 1, "a name without comma, bracket or blank", repr(name))
    if not 0 < len(name) <= NAME_LIMIT:
        raise HostListError(1, _NAME, f"{len(name)}")
    match = _DIGITS_FROM_BEHIND.match(name[::-1])
    if match is None or len(match[2]) > DIGITS_LIMIT:
        return name, "", None
    return name[: -match.end()], match[2][::-1], match[1][::-1]


def _folded(before: str, digits: set[str], after: str) -> str:
    # Shorter first: so 9 meets 10, while 01 and 1 stay in runs of their own.
    ordered = sorted(digits, key=lambda text: (len(text), text))
    inside = ordered[0] if len(ordered) == 1 else f"[{fold_texts(ordered)}]"
    return f"{before}{inside}{after}"


@dataclass(frozen=True, slots=True)
class _Item:
    """One name of a list, with what each of its parts may be: a text or ranges."""

    column: int
    parts: tuple[str | tuple[NumberRange, ...], ...]

    @property
    def count(self) -> int:
        brackets = (part for part in self.parts if not isinstance(part, str))
        return prod(sum(numbers.count for numbers in part) for part in brackets)

    @property
    def length(self) -> int:
        """How long a name may come out, at most."""
        return sum(len(part) if isinstance(part, str) else _longest(part) for part in self.parts)

    def names(self) -> Iterator[str]:
        return ("".join(texts) for texts in product(*map(_texts, self.parts)))


def _longest(part: tuple[NumberRange, ...]) -> int:
    return max(max(numbers.width, len(str(numbers.last))) for numbers in part)


def _texts(part: str | tuple[NumberRange, ...]) -> Iterator[str]:
    if isinstance(part, str):
        return iter((part,))
    return (text for numbers in part for text in numbers.texts())


def _items(text: str) -> Iterator[_Item]:
    at = _end_of_blanks(text, 0)
    if at == len(text):
        return
    while True:
        start = at
        parts, at = _parts_at(text, at)
        if not parts:
            raise _error_at(text, at, "a name")
        yield _Item(start + 1, parts)
        at = _end_of_blanks(text, at)
        if at == len(text):
            return
        if text[at] != ",":
            raise _error_at(text, at, "',' or the end")
        at = _end_of_blanks(text, at + 1)


def _parts_at(text: str, at: int) -> tuple[tuple[str | tuple[NumberRange, ...], ...], int]:
    """The parts of the name that starts at *at*, with where it ends."""
    parts: list[str | tuple[NumberRange, ...]] = []
    while True:
        plain = _PLAIN.match(text, at)
        if plain:
            parts.append(plain[0])
            at = plain.end()
        elif text.startswith("[", at):
            end = _closing(text, at)
            parts.append(_bracket(text[at + 1 : end], at + 1))
            at = end + 1
        else:
            return tuple(parts), at


def _closing(text: str, opening: int) -> int:
    """Where the bracket that opens at *opening* closes."""
    end = text.find("]", opening)
    if end < 0:
        raise _error_at(text, len(text), "']'")
    return end


def _bracket(inside: str, offset: int) -> tuple[NumberRange, ...]:
    """The ranges of a bracket whose content starts at index *offset*."""
    try:
        return parse_ranges(inside)
    except RangeError as error:
        expected = error.expected.replace("the end", "']'")
        raise HostListError(error.column + offset, expected, error.found or "']'") from None


def _end_of_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _error_at(text: str, at: int, expected: str) -> HostListError:
    found = f"'{text[at]}'" if at < len(text) else "the end"
    return HostListError(at + 1, expected, found)
