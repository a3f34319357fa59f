"""Decisions in words: one line each, for messages, the log and the REPL."""

from __future__ import annotations

from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Allocation, Dispatch, Pend
from xce_core.model.reasons import Reason, Reasons
from xce_core.sched.policy import Outcome
from xce_core.sim.host_lists import host_lists


def outcome_text(outcome: Outcome, cluster: Cluster) -> str:
    """An outcome in a line, beginning with its kind and the job."""
    if isinstance(outcome, Dispatch):
        word = "dispatch (reconstructed)" if outcome.reconstructed else "dispatch"
        return f"{word} job {outcome.job.id} {allocation_text(outcome.allocation, cluster)}"
    if isinstance(outcome, Pend):
        return f"pend job {outcome.job.id}: {reasons_text(outcome.reasons, cluster)}"
    error = f" ({outcome.error})" if outcome.error else ""
    return f"no decision on job {outcome.job}: {outcome.cause}{error}"


def allocation_text(allocation: Allocation, cluster: Cluster) -> str:
    """Where an allocation is: ``on n[01-02] (2 tasks each), n03 (1 task)``."""
    parts = [
        f"{host_lists(cluster).fold(p.hosts)} ({_tasks(p.tasks, p.hosts.bit_count())})"
        for p in allocation.placements
    ]
    chosen = f" alternative {allocation.alternative + 1}" if allocation.alternative else ""
    return f"on {', '.join(parts)}{chosen}"


def _tasks(tasks: int, hosts: int) -> str:
    word = "task" if tasks == 1 else "tasks"
    return f"{tasks} {word} each" if hosts > 1 else f"{tasks} {word}"


def reasons_text(reasons: Reasons, cluster: Cluster) -> str:
    """A set of reasons: the main code, then every entry with its hosts."""
    entries = "; ".join(reason_text(reason, cluster) for reason in reasons.entries)
    return f"{reasons.main.name}: {entries}"


def reason_text(reason: Reason, cluster: Cluster) -> str:
    """One reason: what it is, what it is about, on which hosts."""
    about = f" ({reason.name})" if reason.name else ""
    where = f" on {host_lists(cluster).fold(reason.hosts)}" if reason.hosts else ""
    return f"{reason.code.value}{about}{where}"
