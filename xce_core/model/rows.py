"""Rows of a check: what there is, what is taken, what is asked."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One resource, or one limit on a resource, in a check.

    Amounts are integers in the resource's own unit (bytes, slots, licences).

    :param resource: the resource, or the one that the limit caps.
    :param total: what there is; for a limit its value.
    :param in_use: what running jobs hold or are charged.
    :param reserved: claimed earlier in the same, still uncommitted, allocation.
    :param limit: the limit's name; empty for a resource.
    :param scope: the limit's scope instance, such as ``u=alice,h=n03``.
    """

    resource: str
    total: int
    in_use: int
    reserved: int
    requested: int
    limit: str = ""
    scope: str = ""

    @property
    def met(self) -> bool:
        """Whether what is asked is left."""
        return self.requested <= self.total - self.in_use - self.reserved
