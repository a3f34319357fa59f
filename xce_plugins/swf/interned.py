"""What fields of a log stand for; equal things are one and the same object for all jobs."""

from __future__ import annotations

from typing import TypeVar

from xce_core.model.jobs import JobState
from xce_core.model.requests import Primary, Requirement
from xce_core.model.resources import SLOTS
from xce_plugins.swf.fields import GROUP, QUEUE, STATUS, USER, Row
from xce_plugins.swf.machine import DEFAULT_QUEUE

CANCELLED_STATUS = 5
PARTS = frozenset({2, 3, 4})
"""The states of lines that tell of a part of a checkpointed job."""

_OUTCOMES = {0: JobState.FAILED, 4: JobState.FAILED, CANCELLED_STATUS: JobState.KILLED}
_KEPT = 2**16

T = TypeVar("T")


class Interned:
    """Dictionaries from a field as written to what it stands for.

    They are filled by the methods and serve the reader's short cut as well: what they hold
    was checked and needs nothing else done.
    """

    def __init__(self, log_queues: bool) -> None:
        self.sizes: dict[bytes, Requirement] = {}
        self.users: dict[bytes, str] = {}
        self.projects: dict[bytes, str] = {}
        self.queues: dict[bytes, str] = {}
        self.outcomes: dict[bytes, JobState] = {}
        self._log_queues = log_queues
        self._requirements: dict[int, Requirement] = {}

    def user(self, row: Row, tokens: list[bytes]) -> str:
        """``user12``, or ``unknown``."""
        return _kept(self.users, tokens[USER - 1], row.user, _name("user", row.user))

    def project(self, row: Row, tokens: list[bytes]) -> str:
        """``group3``, or ``unknown``."""
        return _kept(self.projects, tokens[GROUP - 1], row.group, _name("group", row.group))

    def queue(self, row: Row, tokens: list[bytes]) -> str:
        """``q1``, or ``unknown``; the one queue if the log's are not kept."""
        if not self._log_queues:
            return DEFAULT_QUEUE
        return _kept(self.queues, tokens[QUEUE - 1], row.queue, queue_name(row.queue))

    def outcome(self, row: Row, tokens: list[bytes]) -> JobState:
        """What becomes of a job that runs to its end."""
        outcome = _OUTCOMES.get(row.status, JobState.DONE)
        if row.status in PARTS:
            return outcome  # such a line always needs the whole set of rules
        return _kept(self.outcomes, tokens[STATUS - 1], row.status, outcome)

    def size(self, procs: int, token: bytes) -> Requirement:
        """*procs* tasks of a slot each, anywhere; *token* is the field that says so."""
        requirement = self._requirements.get(procs)
        if requirement is None:
            primary = Primary(procs, procs, ((SLOTS.name, 1),))
            requirement = self._requirements[procs] = Requirement.single(primary)
        return _kept(self.sizes, token, procs, requirement)


def queue_name(number: int) -> str:
    """The name of a queue of the log."""
    return _name("q", number)


def _name(kind: str, number: int) -> str:
    return f"{kind}{number}" if number >= 0 else "unknown"


def _kept(known: dict[bytes, T], token: bytes, value: int, meaning: T) -> T:
    """*meaning*, the first one that was kept for *token* if it is written plainly."""
    if len(known) < _KEPT and token == b"%d" % value:
        return known.setdefault(token, meaning)
    return known.get(token, meaning)
