"""What passes between a policy and a session: selections one way, outcomes the other."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from xce_core.model.decisions import Decision
from xce_core.model.jobs import Job


@dataclass(frozen=True, slots=True)
class HoldBack:
    """A policy's word that a job is not to start now although it might fit.

    :param remark: what blocks it, in a few words.
    """

    job: Job
    remark: str


@dataclass(frozen=True, slots=True)
class NoDecision:
    """A selection that ended in no decision.

    :param job: the id that was selected.
    :param cause: a stable word: ``job not found``, ``no scheduling object``, ``internal error``.
    :param error: what happened, in a line; empty where the cause says all.
    """

    job: str
    cause: str
    error: str = ""


Selection = Job | HoldBack
Outcome = Decision | NoDecision
Election = Generator[Selection, Outcome | None, None]
