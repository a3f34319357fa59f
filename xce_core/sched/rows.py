"""The rows of the checks: of a resource or limit what there is, what is taken, what is asked."""

from __future__ import annotations

from xce_core.model.cluster import Host
from xce_core.model.limits import scope_label
from xce_core.model.rows import Row
from xce_core.sched.ask import Ask
from xce_core.sched.columns import Column, Counter
from xce_core.sched.ledger import Claims


def host_row(column: Column, amount: int, left: int, host: Host, claims: Claims) -> Row:
    """The per-host check of one resource or limit, of which *host* has *left* left."""
    total = column.totals[host.index]
    reserved = claims.reserved_on(column, host.index) if claims.made else 0
    in_use = total - left - reserved
    if column.limit is None:
        return Row(column.resource, total, in_use, reserved, amount)
    scope = scope_label(column.instance, host.name)
    return Row(column.resource, total, in_use, reserved, amount, column.limit.name, scope)


def cluster_rows(ask: Ask, claims: Claims, tasks: int, hosts: int) -> tuple[Row, ...]:
    """The cluster-wide check: a row for each shared resource and limit.

    :param tasks: measured by that many tasks, on *hosts* hosts.
    """
    return tuple(
        [
            _cluster_row(claim.counter, claim.amount(tasks, hosts), claims)
            for claim in ask.shared_claims
        ]
    )


def _cluster_row(counter: Counter, amount: int, claims: Claims) -> Row:
    reserved = claims.reserved_of(counter)
    in_use = counter.used - reserved
    if counter.limit is None:
        return Row(counter.resource, counter.total, in_use, reserved, amount)
    scope = scope_label(counter.instance)
    return Row(
        counter.resource, counter.total, in_use, reserved, amount, counter.limit.name, scope
    )
