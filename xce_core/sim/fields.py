"""Checked reading of objects from JSON and TOML: tables of fields, errors that name the path."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from xce_core.model.amounts import LARGEST_AMOUNT, AmountError, parse_amount
from xce_core.model.expressions import Expression, ExpressionError, parse_expression
from xce_core.model.jobs import Seconds, canonical_seconds
from xce_core.model.resources import Resource
from xce_core.suggestions import did_you_mean

NAME_LIMIT = 255
"""How many characters a name may have."""

SECONDS_LIMIT = 10**11
"""No time or duration of a submission may be larger; one that is may be in milliseconds."""

MOMENT_LIMIT = 10**15
"""No time at which something happened may be larger: long jobs, one after the other, add up."""

INTEGER_LIMIT = 2**53

_SHOWN = 40
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")

T = TypeVar("T")
E = TypeVar("E", bound=Enum)
Check = Callable[[object], T]
"""Gives the value that a field says.

:raises FieldError: if it says none; the path starts at the field.
"""


class FieldError(Exception):
    """A field is not as it should be.

    :ivar path: names and list places (from 1) that lead to the field.
    """

    def __init__(self, what: str, *path: str | int) -> None:
        super().__init__(what, *path)
        self.what = printable(what)
        self.path = path

    def inside(self, step: str | int) -> FieldError:
        """The same, seen from the object or list that holds the field at *step*."""
        return FieldError(self.what, step, *self.path)

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.what}" if self.path else self.what


def path_text(path: Iterable[str | int]) -> str:
    """``hosts[2].capacity.mem``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            dot = "." if text else ""
            text += dot + (step if _PLAIN.fullmatch(step) else printable(shown(step)))
    return text


def printable(text: str) -> str:
    """*text* with what would disturb a terminal, or can't be encoded, escaped."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shown(value: object) -> str:
    """*value* as an error message names it: as in JSON, cut if long."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if value is not None and not isinstance(value, str | int | float):
        return f"a {type(value).__name__}"  # TOML has dates and times
    if isinstance(value, int) and abs(value) > INTEGER_LIMIT:
        return "a larger number"  # also because str() refuses thousands of digits
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def mismatch(expected: str, value: object) -> FieldError:
    """The error for *value* where something else was expected."""
    return FieldError(f"expected {expected}, found {shown(value)}")


def unknown(kind: str, name: str, known: Iterable[str]) -> FieldError:
    """The error for a name that is none of the *known*, with the one that may be meant."""
    return FieldError(f"unknown {kind} {shown(name)}{did_you_mean(name, known)}")


# Objects and lists.


class Table:
    """The fields that an object may have, each with its check.

    A field that is null counts as left out.
    """

    def __init__(self, checks: Mapping[str, Check[Any]], required: Iterable[str] = ()) -> None:
        self.checks = dict(checks)
        self.required = tuple(required)

    def __call__(self, value: object) -> dict[str, Any]:
        """The checked value of each field that is there."""
        found: dict[str, Any] = {}
        checks = self.checks
        for name, item in as_object(value).items():
            check = checks.get(name)
            if check is None:
                raise self._unknown(name)
            if item is not None:
                try:
                    found[name] = check(item)
                except FieldError as error:
                    raise error.inside(name) from None
        for name in self.required:
            if name not in found:
                raise FieldError("missing", name)
        return found

    def _unknown(self, name: str) -> FieldError:
        return FieldError(f"unknown field{did_you_mean(name, self.checks)}", name)


def as_object(value: object) -> dict[str, Any]:
    """An object as it is."""
    if not isinstance(value, dict):
        raise mismatch("an object", value)
    return value


def list_of(check: Check[T], least: int = 0, most: int = INTEGER_LIMIT) -> Check[tuple[T, ...]]:
    """A list whose items all pass *check*."""

    def read(value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise mismatch("a list", value)
        if not least <= len(value) <= most:
            bound = f"at least {least}" if len(value) < least else f"at most {most}"
            raise FieldError(f"expected {bound} in the list, found {len(value)}")
        return tuple(_item(check, item, place) for place, item in enumerate(value, 1))

    return read


def _item(check: Check[T], item: object, place: int) -> T:
    try:
        return check(item)
    except FieldError as error:
        raise error.inside(place) from None


def names(value: object) -> tuple[str, ...]:
    """A list of different names, at least one."""
    found = list_of(name, least=1)(value)
    seen: set[str] = set()
    for place, each in enumerate(found, 1):
        if each in seen:
            raise FieldError(f"{shown(each)} stands twice", place)
        seen.add(each)
    return found


# Single values.


def anything(value: object) -> object:
    """Any value; whoever asked for it checks it."""
    return value


def text(value: object) -> str:
    """A text as it is."""
    if not isinstance(value, str):
        raise mismatch("a text", value)
    return value


def name(value: object) -> str:
    """A name: not empty, not too long, and safe to print."""
    if not isinstance(value, str) or not value:
        raise mismatch("a name", value)
    if len(value) > NAME_LIMIT or not value.isprintable():
        raise mismatch(f"a name of at most {NAME_LIMIT} printable characters", value)
    return value


def maybe_name(value: object) -> str:
    """A name, or an empty text for none."""
    return "" if value == "" else name(value)


def flag(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise mismatch("true or false", value)
    return value


def integer(low: int = -INTEGER_LIMIT, high: int = INTEGER_LIMIT) -> Check[int]:
    """A whole number from *low* to *high*."""

    def read(value: object) -> int:
        if value.__class__ is not int:
            raise mismatch("a whole number", value)
        if not low <= value <= high:
            bound = f"{low} or more" if value < low else f"{high} or less"
            raise mismatch(f"a whole number, {bound}", value)
        return value

    return read


def _seconds(limit: int) -> Check[Seconds]:
    def read(value: object) -> Seconds:
        if value.__class__ is not int and value.__class__ is not float:
            raise mismatch("seconds", value)
        if not -limit <= value <= limit:
            raise mismatch(f"seconds, up to {limit}", value)
        return canonical_seconds(value)

    return read


time = _seconds(SECONDS_LIMIT)
"""A time that a submission says, in seconds, whole or decimal, in canonical form."""

moment = _seconds(MOMENT_LIMIT)
"""The same of a time at which something happened."""


def duration(value: object) -> Seconds:
    """A time span in seconds, zero or more, in canonical form."""
    seconds = time(value)
    if seconds < 0:
        raise mismatch("seconds, 0 or more", value)
    return seconds


def choice(kinds: type[E] | Iterable[E]) -> Check[E]:
    """A member of an enumeration, written as its value."""
    by_value: dict[object, E] = {kind.value: kind for kind in kinds}
    expected = " or ".join(str(value) for value in by_value)
    if len(by_value) > 2:
        expected = "one of " + ", ".join(str(value) for value in by_value)

    def read(value: object) -> E:
        found = by_value.get(value) if isinstance(value, str) else None
        if found is None:
            raise mismatch(expected, value)
        return found

    return read


def attribute(value: object) -> str | int | float | bool:
    """What an attribute of a host may be: a text, a number, or true or false."""
    if isinstance(value, str):
        return value if value == "" else name(value)
    if not isinstance(value, int | float):
        raise mismatch("a text, a number, true or false", value)
    if not -LARGEST_AMOUNT <= value <= LARGEST_AMOUNT:  # so for "not a number" too
        raise mismatch("a number of ordinary size", value)
    return value


def amount_of(resource: Resource) -> Check[int]:
    """An amount of *resource*."""

    def read(value: object) -> int:
        try:
            return parse_amount(value, resource.kind, resource.decimals)
        except AmountError as error:
            raise FieldError(str(error)) from None

    return read


def expression(value: object) -> Expression:
    """A selection expression."""
    try:
        return parse_expression(text(value))
    except ExpressionError as error:
        raise FieldError(str(error)) from None
