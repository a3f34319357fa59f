"""What a job asks for: primaries, compounds of them, and alternatives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from xce_core.model.expressions import Expression


class SpanKind(Enum):
    """How the tasks of a primary may spread over hosts."""

    FREE = "free"
    ONE_HOST = "one-host"
    PER_HOST = "per-host"


@dataclass(frozen=True, slots=True)
class Span:
    """A spread rule; ``tasks_per_host`` counts only for :attr:`SpanKind.PER_HOST`.

    With PER_HOST every host takes exactly that many tasks, the last one what remains.
    """

    kind: SpanKind
    tasks_per_host: int = 0


FREE = Span(SpanKind.FREE)
ONE_HOST = Span(SpanKind.ONE_HOST)


@dataclass(frozen=True, slots=True)
class Primary:
    """Tasks with the same needs: the smallest thing that is placed as a whole.

    :param tasks_min: fewest tasks with which the job can start.
    :param tasks_max: most tasks it can use; it gets as many as fit at once.
    :param amounts: resource name and amount, in the order requested; each amount is per
        task, host or job as its resource says.
    :param select: the hosts it may use; None for all.
    """

    tasks_min: int
    tasks_max: int
    amounts: tuple[tuple[str, int], ...]
    select: Expression | None = None
    span: Span = FREE

    def __hash__(self) -> int:
        # These tell most of them apart; to hash the expression and the span too would be slow.
        return hash((self.tasks_min, self.tasks_max, self.amounts))


@dataclass(frozen=True, slots=True)
class Compound:
    """Members that are all needed, placed in order; none at all is an empty alternative."""

    members: tuple[Primary, ...]


class Shape(Enum):
    """How a requirement was written, which is how it is explained."""

    __hash__ = object.__hash__  # there is one object for each; that of Enum is many times slower

    SINGLE = "single"
    COMPOUND = "compound"
    ALTERNATIVES = "alternatives"


class Requirement:
    """All that a job asks of the cluster: alternatives, of which the first that fits wins.

    A single primary and a compound are kept as one alternative, and :attr:`shape` tells
    which. Immutable; equal by value, with the hash computed once, since every submitted
    job is grouped by it.
    """

    __slots__ = ("_hash", "alternatives", "shape")

    alternatives: tuple[Compound, ...]
    shape: Shape

    def __init__(self, alternatives: tuple[Compound, ...], shape: Shape) -> None:
        self.alternatives = alternatives
        self.shape = shape
        self._hash = hash((alternatives, shape))

    @classmethod
    def single(cls, primary: Primary) -> Requirement:
        """One primary."""
        return cls((Compound((primary,)),), Shape.SINGLE)

    @classmethod
    def compound(cls, members: tuple[Primary, ...]) -> Requirement:
        """Members that are all needed."""
        return cls((Compound(members),), Shape.COMPOUND)

    @classmethod
    def any_of(cls, alternatives: tuple[Compound, ...]) -> Requirement:
        """Alternatives in order of preference."""
        return cls(alternatives, Shape.ALTERNATIVES)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Requirement):
            return NotImplemented
        return self.shape is other.shape and self.alternatives == other.alternatives

    def __repr__(self) -> str:
        return f"Requirement({self.alternatives!r}, {self.shape})"
