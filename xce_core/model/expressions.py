"""Selection expressions over the attributes and capacities of a host.

Example: ``type == "gpu" && mem >= 32G || !defined(local)``. From loose to tight::

    either     = both { "||" both }
    both       = unary { "&&" unary }
    unary      = "!" unary | "(" either ")" | test
    test       = "defined" "(" name ")" | value [ comparison value ]
    value      = name | string | number | "true" | "false"
    comparison = "==" | "!=" | "<" | "<=" | ">" | ">="

So ``!a == b`` means ``!(a == b)``. Comparisons do not chain. A word without
quotes is the name of an attribute, on either side, except ``true``, ``false``
and ``defined`` before a parenthesis. In a string, a backslash takes the next
character as it is. A number may begin with a minus, without a blank behind it, and
may end in K, M, G, T or P, alone or with B or iB; all count in steps of 1024.

What a comparison yields:

- with an undefined name: false, also for ``!=``;
- of two kinds (string, number, boolean): false, but true for ``!=``;
- of booleans by order (``<`` and the like): false;
- of strings by order: by code point.

A name alone is true if it is defined and true, non-zero or not empty. A string
or number alone is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from xce_core.model.syntax import TextError

Value: TypeAlias = str | int | float | bool
Attributes: TypeAlias = Mapping[str, Value]

Node: TypeAlias = Callable[[Attributes], bool]
"""The meaning of an expression or a part of it: whether it holds; never raises."""

DEPTH_LIMIT = 64
"""How many ``!`` and parentheses may be open at once."""

DIGITS_LIMIT = 40
"""How many characters a number may have, without its unit."""


class ExpressionError(TextError):
    """An expression is not well formed."""


class Side(NamedTuple):
    """A side of a comparison.

    :param text: as it is written.
    :param column: where it stands, from 1.
    :param value: None for the name of an attribute.
    """

    text: str
    column: int
    value: Value | None


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression; two are equal if their normalized texts are.

    ``text`` is the original with one blank on each side of a binary operator and
    none elsewhere; ``names`` are the attributes it looks at; ``comparisons`` what it
    compares, for those who know of what kind an attribute is.
    """

    text: str
    names: frozenset[str] = field(compare=False)
    comparisons: tuple[tuple[Side, Side], ...] = field(compare=False)
    _root: Node = field(compare=False, repr=False)

    def matches(self, attributes: Attributes) -> bool:
        """Whether a host with these attributes is selected; never raises."""
        return self._root(attributes)

    def __str__(self) -> str:
        return self.text


def kind_of(value: Value) -> type:
    """What values can be compared with: bool, str, or float for every number."""
    if isinstance(value, bool):
        return bool
    return str if isinstance(value, str) else float


def parse_expression(text: str) -> Expression:
    """The expression that *text* spells.

    :raises ExpressionError: at the first place where it is not well formed.
    """
    from xce_core.model.expression_parser import Parser  # few inputs have expressions

    return Parser(text).whole()
