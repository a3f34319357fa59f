"""The meaning of the parts of a requirement expression, as functions of a host's attributes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xce_core.model.expressions import Attributes, Node, Value, kind_of

Operand: TypeAlias = Callable[[Attributes], "Value | None"]
"""What is compared, or is true or false by itself; None if it is undefined."""

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
COMPARISONS = {**_EQUALITIES, **_ORDERS}
"""What each symbol of a comparison asks of two values of one kind."""


def constant(value: Value) -> Operand:
    """A number, a string, or true or false."""
    return lambda attributes: value


def attribute(name: str) -> Operand:
    """The value of an attribute."""
    return lambda attributes: attributes.get(name)


def truth(operand: Operand) -> Node:
    """An operand alone: true, non-zero or not empty."""
    return lambda attributes: bool(operand(attributes))


def defined(name: str) -> Node:
    """Whether there is such an attribute."""
    return lambda attributes: name in attributes


def negation(node: Node) -> Node:
    """The contrary."""
    return lambda attributes: not node(attributes)


def any_of(nodes: Sequence[Node]) -> Node:
    """Whether at least one holds."""
    return lambda attributes: any(node(attributes) for node in nodes)


def all_of(nodes: Sequence[Node]) -> Node:
    """Whether each holds."""
    return lambda attributes: all(node(attributes) for node in nodes)


def comparison(symbol: str, left: Operand, right: Operand) -> Node:
    """Two operands compared: false if one is undefined, unequal if they differ in kind."""
    compare = COMPARISONS[symbol]

    def holds(attributes: Attributes) -> bool:
        one, other = left(attributes), right(attributes)
        if one is None or other is None:
            return False
        kind = kind_of(one)
        if kind is not kind_of(other):
            return symbol == "!="
        if kind is bool and symbol in _ORDERS:
            return False
        return compare(one, other)

    return holds
