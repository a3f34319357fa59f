"""The meaning of the parts of a requirement expression: what each says of a host's attributes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from xce_core.model.expressions import Attributes, Node, Value


class Operand(Protocol):
    """What is compared, or is true or false by itself."""

    def value(self, attributes: Attributes) -> Value | None:
        """None if undefined."""
        ...


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a string, or true or false."""

    constant: Value

    def value(self, attributes: Attributes) -> Value | None:
        return self.constant


@dataclass(frozen=True, slots=True)
class Attribute:
    """The value of an attribute of the host."""

    name: str

    def value(self, attributes: Attributes) -> Value | None:
        return attributes.get(self.name)


@dataclass(frozen=True, slots=True)
class Truth:
    """An operand alone: true, non-zero or not empty."""

    operand: Operand

    def holds(self, attributes: Attributes) -> bool:
        return bool(self.operand.value(attributes))


@dataclass(frozen=True, slots=True)
class Defined:
    """Whether the host has an attribute."""

    name: str

    def holds(self, attributes: Attributes) -> bool:
        return self.name in attributes


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary."""

    node: Node

    def holds(self, attributes: Attributes) -> bool:
        return not self.node.holds(attributes)


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of several."""

    nodes: tuple[Node, ...]

    def holds(self, attributes: Attributes) -> bool:
        return any(node.holds(attributes) for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Both:
    """All of several."""

    nodes: tuple[Node, ...]

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
COMPARISONS = {**_EQUALITIES, **_ORDERS}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two operands compared: false if one is undefined, unequal if of different kinds."""

    symbol: str
    left: Operand
    right: Operand

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
        return COMPARISONS[self.symbol](left, right)


def _kind(value: Value) -> type:
    """bool, str, or float for every number."""
    if isinstance(value, bool):
        return bool
    return str if isinstance(value, str) else float
