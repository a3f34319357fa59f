"""Reads requirement expressions: from text to tokens, and from these to nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction

from xce_core.model.expression_nodes import (
    COMPARISONS,
    Operand,
    all_of,
    any_of,
    attribute,
    comparison,
    constant,
    defined,
    negation,
    truth,
)
from xce_core.model.expressions import (
    DEPTH_LIMIT,
    DIGITS_LIMIT,
    Expression,
    ExpressionError,
    Node,
    Side,
    Value,
)

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
    (_Kind.NUMBER, re.compile(r"-?[0-9][A-Za-z0-9_.]*")),
    (_Kind.STRING, re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)),
    (_Kind.STRING, re.compile(r"'(?:[^'\\]|\\.)*'", re.DOTALL)),
    (_Kind.SYMBOL, re.compile(r"""\|\||&&|[=!<>]=|[^"']""")),
)
_NUMBER = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?:([KMGTP])(?:iB|B)?)?")
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
    if len(digits.lstrip("-")) > DIGITS_LIMIT:
        raise ExpressionError(
            token.column, f"a number of at most {DIGITS_LIMIT} digits", token.phrase
        )
    exact = Fraction(digits) * (1024 ** (_UNITS.index(unit) + 1) if unit else 1)
    return int(exact) if exact.denominator == 1 else float(exact)


# From tokens to nodes.

_BINARY = frozenset({"&&", "||", *COMPARISONS})
_LITERALS = {"true": True, "false": False}


class Parser:
    """Reads one text, one token ahead; each method leaves the token after its part."""

    def __init__(self, text: str) -> None:
        self._rest = _tokens(text)
        self._next = next(self._rest)
        self._pieces: list[str] = []
        self._names: set[str] = set()
        self._comparisons: list[tuple[Side, Side]] = []
        self._depth = 0
        self._after = ""  # what may follow the part just read, beside && and ||

    def whole(self) -> Expression:
        """The expression.

        :raises ExpressionError: at the first place where it is not well formed.
        """
        root = self._either()
        if self._next.kind is not _Kind.END:
            raise self._error(f"{self._after}'&&', '||' or the end")
        text, names = "".join(self._pieces), frozenset(self._names)
        return Expression(text, names, tuple(self._comparisons), root)

    def _either(self) -> Node:
        nodes = [self._both()]
        while self._skip("||"):
            nodes.append(self._both())
        return nodes[0] if len(nodes) == 1 else any_of(nodes)

    def _both(self) -> Node:
        nodes = [self._unary()]
        while self._skip("&&"):
            nodes.append(self._unary())
        return nodes[0] if len(nodes) == 1 else all_of(nodes)

    def _unary(self) -> Node:
        if not self._at("!", "("):
            return self._test()
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise self._error(f"at most {DEPTH_LIMIT} nested '!' and parentheses")
        node = negation(self._unary()) if self._take().text == "!" else self._group()
        self._depth -= 1
        return node

    def _group(self) -> Node:
        node = self._either()
        self._require(")", f"{self._after}'&&', '||' or ')'")
        self._after = ""
        return node

    def _test(self) -> Node:
        first = self._next
        left = self._side()
        self._after = ""
        if first.text == "defined" and self._at("("):
            return self._defined(first)
        if self._at(*COMPARISONS):
            return self._comparison(left)
        if first.kind in (_Kind.NUMBER, _Kind.STRING):
            raise self._error(f"a comparison after {first.phrase}")
        self._after = "a comparison, "
        return truth(_operand(left))

    def _defined(self, word: _Token) -> Node:
        self._require("(", "'('")
        name = self._next
        if name.kind is not _Kind.NAME or name.text in _LITERALS:
            raise self._error("the name of an attribute")
        self._take()
        self._require(")", "')'")
        self._names.add(name.text)
        return defined(name.text)

    def _comparison(self, left: Side) -> Node:
        symbol = self._take().text
        right = self._side()
        if self._at(*COMPARISONS):
            raise self._error("'&&' or '||' (comparisons do not chain)")
        self._comparisons.append((left, right))
        return comparison(symbol, _operand(left), _operand(right))

    def _side(self) -> Side:
        """A value, or the name of an attribute."""
        if self._next.kind in (_Kind.SYMBOL, _Kind.END):
            raise self._error("a value")
        token = self._take()
        value: Value | None = None
        if token.kind is _Kind.NUMBER:
            value = _number(token)
        elif token.kind is _Kind.STRING:
            value = _ESCAPE.sub(r"\1", token.text[1:-1])
        elif token.text in _LITERALS:
            value = _LITERALS[token.text]
        elif token.text != "defined" or not self._at("("):
            self._names.add(token.text)
        return Side(token.text, token.column, value)

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


def _operand(side: Side) -> Operand:
    return attribute(side.text) if side.value is None else constant(side.value)
