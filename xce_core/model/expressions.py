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
character as it is. A number may end in K, M, G, T or P, alone or with B or iB;
all count in steps of 1024.

What a comparison yields:

- with an undefined name: false, also for ``!=``;
- of two kinds (string, number, boolean): false, but true for ``!=``;
- of booleans by order (``<`` and the like): false;
- of strings by order: by code point.

A name alone is true if it is defined and true, non-zero or not empty. A string
or number alone is an error.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from fractions import Fraction
from typing import Protocol, TypeAlias

from xce_core.model.syntax import TextError

Value: TypeAlias = str | int | float | bool
Attributes: TypeAlias = Mapping[str, Value]

DEPTH_LIMIT = 64
"""How many ``!`` and parentheses may be open at once."""

DIGITS_LIMIT = 40
"""How many characters a number may have, without its unit."""


class ExpressionError(TextError):
    """An expression is not well formed."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression; two are equal if their normalized texts are.

    ``text`` is the original with one blank on each side of a binary operator and
    none elsewhere; ``names`` are the attributes it looks at.
    """

    text: str
    names: frozenset[str] = field(compare=False)
    _root: _Node = field(compare=False, repr=False)

    def matches(self, attributes: Attributes) -> bool:
        """Whether a host with these attributes is selected; never raises."""
        return self._root.holds(attributes)

    def __str__(self) -> str:
        return self.text


def parse_expression(text: str) -> Expression:
    """The expression that *text* spells.

    :raises ExpressionError: at the first place where it is not well formed.
    """
    return _Parser(text).whole()


# What is evaluated.


class _Node(Protocol):
    def holds(self, attributes: Attributes) -> bool: ...


class _Operand(Protocol):
    def value(self, attributes: Attributes) -> Value | None:
        """None if undefined."""
        ...


@dataclass(frozen=True, slots=True)
class _Literal:
    constant: Value

    def value(self, attributes: Attributes) -> Value | None:
        return self.constant


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str

    def value(self, attributes: Attributes) -> Value | None:
        return attributes.get(self.name)


@dataclass(frozen=True, slots=True)
class _Truth:
    operand: _Operand

    def holds(self, attributes: Attributes) -> bool:
        return bool(self.operand.value(attributes))


@dataclass(frozen=True, slots=True)
class _Defined:
    name: str

    def holds(self, attributes: Attributes) -> bool:
        return self.name in attributes


@dataclass(frozen=True, slots=True)
class _Not:
    node: _Node

    def holds(self, attributes: Attributes) -> bool:
        return not self.node.holds(attributes)


@dataclass(frozen=True, slots=True)
class _Either:
    nodes: tuple[_Node, ...]

    def holds(self, attributes: Attributes) -> bool:
        return any(node.holds(attributes) for node in self.nodes)


@dataclass(frozen=True, slots=True)
class _Both:
    nodes: tuple[_Node, ...]

    def holds(self, attributes: Attributes) -> bool:
        return all(node.holds(attributes) for node in self.nodes)


_EQUALITIES: Mapping[str, Callable[[Value, Value], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
}
_ORDERS: Mapping[str, Callable[[Value, Value], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_COMPARISONS = {**_EQUALITIES, **_ORDERS}


@dataclass(frozen=True, slots=True)
class _Comparison:
    symbol: str
    left: _Operand
    right: _Operand

    def holds(self, attributes: Attributes) -> bool:
        left = self.left.value(attributes)
        right = self.right.value(attributes)
        if left is None or right is None:
            return False
        kind = _kind(left)
        if kind is not _kind(right):
            return self.symbol == "!="
        if kind is bool and self.symbol in _ORDERS:
            return False
        return _COMPARISONS[self.symbol](left, right)


def _kind(value: Value) -> type:
    """bool, str, or float for every number."""
    if isinstance(value, bool):
        return bool
    return str if isinstance(value, str) else float


# From text to tokens.


class _Kind(Enum):
    NAME = auto()
    NUMBER = auto()
    STRING = auto()
    SYMBOL = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: _Kind
    text: str
    column: int

    @property
    def phrase(self) -> str:
        """The token as an error message names it."""
        if self.kind is _Kind.END:
            return "the end"
        shown = self.text if len(self.text) <= 40 else self.text[:37] + "..."
        return shown if self.kind is _Kind.STRING else f"'{shown}'"


_BLANKS = re.compile(r"\s*")
_PATTERNS = (
    (_Kind.NAME, re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")),
    (_Kind.NUMBER, re.compile(r"[0-9][A-Za-z0-9_.]*")),
    (_Kind.STRING, re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)),
    (_Kind.STRING, re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL)),
    (_Kind.SYMBOL, re.compile(r"""\|\||&&|[=!<>]=|[^"']""")),
)
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:([KMGTP])(?:iB|B)?)?")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_UNITS = "KMGTP"


def _tokens(text: str) -> Iterator[_Token]:
    """Tokens from left to right, the last one of kind END, without end."""
    at = _blanks_end(text, 0)
    while at < len(text):
        token = _token_at(text, at)
        yield token
        at = _blanks_end(text, at + len(token.text))
    while True:
        yield _Token(_Kind.END, "", len(text) + 1)


def _blanks_end(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _token_at(text: str, at: int) -> _Token:
    for kind, pattern in _PATTERNS:
        match = pattern.match(text, at)
        if match:
            return _Token(kind, match[0], at + 1)
    raise ExpressionError(len(text) + 1, f"a closing {text[at]}", "the end")


def _number(token: _Token) -> int | float:
    """The value of a number token: an integer if it is whole."""
    match = _NUMBER.fullmatch(token.text)
    if match is None:
        raise ExpressionError(
            token.column, "a number, perhaps with a unit K, M, G, T or P", token.phrase
        )
    digits, unit = match.groups()
    if len(digits) > DIGITS_LIMIT:
        raise ExpressionError(
            token.column, f"a number of at most {DIGITS_LIMIT} digits", token.phrase
        )
    exact = Fraction(digits) * (1024 ** (_UNITS.index(unit) + 1) if unit else 1)
    return int(exact) if exact.denominator == 1 else float(exact)


# From tokens to nodes.

_BINARY = frozenset({"&&", "||", *_COMPARISONS})
_LITERALS = {"true": True, "false": False}


class _Parser:
    """Reads one text, one token ahead; each method leaves the token after its part."""

    def __init__(self, text: str) -> None:
        self._rest = _tokens(text)
        self._next = next(self._rest)
        self._pieces: list[str] = []
        self._names: set[str] = set()
        self._depth = 0
        self._after = ""  # what may follow the part just read, beside && and ||

    def whole(self) -> Expression:
        root = self._either()
        if self._next.kind is not _Kind.END:
            raise self._error(f"{self._after}'&&', '||' or the end")
        return Expression("".join(self._pieces), frozenset(self._names), root)

    def _either(self) -> _Node:
        nodes = [self._both()]
        while self._skip("||"):
            nodes.append(self._both())
        return nodes[0] if len(nodes) == 1 else _Either(tuple(nodes))

    def _both(self) -> _Node:
        nodes = [self._unary()]
        while self._skip("&&"):
            nodes.append(self._unary())
        return nodes[0] if len(nodes) == 1 else _Both(tuple(nodes))

    def _unary(self) -> _Node:
        if not self._at("!", "("):
            return self._test()
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise self._error(f"at most {DEPTH_LIMIT} nested '!' and parentheses")
        node = _Not(self._unary()) if self._take().text == "!" else self._group()
        self._depth -= 1
        return node

    def _group(self) -> _Node:
        node = self._either()
        self._require(")", f"{self._after}'&&', '||' or ')'")
        self._after = ""
        return node

    def _test(self) -> _Node:
        first = self._next
        left = self._operand()
        self._after = ""
        if first.text == "defined" and self._at("("):
            return self._defined(first)
        if self._at(*_COMPARISONS):
            return self._comparison(left)
        if first.kind in (_Kind.NUMBER, _Kind.STRING):
            raise self._error(f"a comparison after {first.phrase}")
        self._after = "a comparison, "
        return _Truth(left)

    def _defined(self, word: _Token) -> _Node:
        self._require("(", "'('")
        name = self._next
        if name.kind is not _Kind.NAME or name.text in _LITERALS:
            raise self._error("the name of an attribute")
        self._take()
        self._require(")", "')'")
        self._names.add(name.text)
        return _Defined(name.text)

    def _comparison(self, left: _Operand) -> _Node:
        symbol = self._take().text
        right = self._operand()
        if self._at(*_COMPARISONS):
            raise self._error("'&&' or '||' (comparisons do not chain)")
        return _Comparison(symbol, left, right)

    def _operand(self) -> _Operand:
        if self._next.kind in (_Kind.SYMBOL, _Kind.END):
            raise self._error("a value")
        token = self._take()
        if token.kind is _Kind.NUMBER:
            return _Literal(_number(token))
        if token.kind is _Kind.STRING:
            return _Literal(_ESCAPE.sub(r"\1", token.text[1:-1]))
        if token.text in _LITERALS:
            return _Literal(_LITERALS[token.text])
        if token.text != "defined" or not self._at("("):
            self._names.add(token.text)
        return _Attribute(token.text)

    def _at(self, *symbols: str) -> bool:
        return self._next.kind is _Kind.SYMBOL and self._next.text in symbols

    def _skip(self, symbol: str) -> bool:
        """Take *symbol* if it is next; whether it was."""
        if not self._at(symbol):
            return False
        self._take()
        return True

    def _require(self, symbol: str, expected: str) -> None:
        if not self._skip(symbol):
            raise self._error(expected)

    def _take(self) -> _Token:
        token = self._next
        binary = token.kind is _Kind.SYMBOL and token.text in _BINARY
        self._pieces.append(f" {token.text} " if binary else token.text)
        self._next = next(self._rest)
        return token

    def _error(self, expected: str) -> ExpressionError:
        return ExpressionError(self._next.column, expected, self._next.phrase)
