"""Placement plans: shapes that say how many tasks each host still to be found takes."""

from __future__ import annotations

from typing import NamedTuple


class Plan(NamedTuple):
    """Positions to be filled in order, those with equal tasks in a row folded into runs.

    :param runs: (tasks per position, number of positions), so ``[2, 2, 1]`` is
        ``((2, 2), (1, 1))``.
    """

    runs: tuple[tuple[int, int], ...]

    @property
    def tasks(self) -> int:
        """Tasks on all positions together."""
        return sum(tasks * count for tasks, count in self.runs)

    @property
    def positions(self) -> int:
        """How many hosts the plan needs."""
        return sum(count for _, count in self.runs)

    def shape(self) -> list[int]:
        """The tasks of each position, unfolded."""
        return [tasks for tasks, count in self.runs for _ in range(count)]
