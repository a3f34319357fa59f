"""What passes between a policy and a session: selections one way, outcomes the other."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from xce_core.model.decisions import Decision
from xce_core.model.jobs import Job
from xce_core.model.syntax import of_type


@dataclass(frozen=True, slots=True)
class HoldBack:
    """A policy's word that a job is not to start now although it might fit.

    :param remark: what blocks it, in a few words.
    :raises TypeError: if the remark is no text.
    """

    job: Job
    remark: str

    def __post_init__(self) -> None:
        """A remark that is no text would be found out only where one is written."""
        if not isinstance(self.remark, str):
            raise TypeError(f"remark: expected a text, found {of_type(self.remark)}")


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
