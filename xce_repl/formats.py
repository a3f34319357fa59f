"""How amounts and times are shown, as the user has set it."""

from __future__ import annotations

from collections.abc import Callable

from xce_core.model.amounts import AmountKind, UnitsMode, format_amount
from xce_core.model.cluster import Cluster
from xce_core.model.resources import Resource
from xce_repl.interface import CommandError
from xce_repl.names import brief
from xce_repl.times import Clock


class Formats:
    """Units and clock.

    :param cluster: gives the cluster of the present replay.
    """

    def __init__(self, cluster: Callable[[], Cluster]) -> None:
        self.units = UnitsMode.AUTO
        self.clock = Clock()
        self._cluster = cluster

    def amount(self, resource: str, amount: int) -> str:
        """*amount* of *resource*; of jobs and unknown ones as a count."""
        known: Resource | None = self._cluster().resources.get(resource)
        if known is None:
            return format_amount(amount, AmountKind.NUMBER, 0, self.units)
        return format_amount(amount, known.kind, known.decimals, self.units)

    def set_units(self, text: str) -> None:
        """Choose a units mode.

        :raises CommandError: if there is no such mode.
        """
        for mode in UnitsMode:
            if mode.value.lower() == text.lower():
                self.units = mode
                return
        modes = ", ".join(mode.value for mode in UnitsMode)
        raise CommandError(f"set units: expected one of {modes}, found {brief(text)}")
