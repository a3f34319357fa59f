"""Conditions of breakpoints: selection expressions over what just happened.

``user == "alice" && tasks >= 8 && wait > 3600``. The names that may stand in one depend on
what the breakpoint waits for, and are checked when it is set. Texts stand in quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from xce_core.model.decisions import Dispatch, Pend
from xce_core.model.expressions import (
    Attributes,
    Expression,
    ExpressionError,
    Side,
    kind_of,
    parse_expression,
)
from xce_core.model.hostlist import fold
from xce_core.model.jobs import Job
from xce_core.sched.policy import NoDecision, Outcome
from xce_core.sim.replay import Replay
from xce_core.suggestions import did_you_mean
from xce_repl.interface import CommandError
from xce_repl.names import brief
from xce_repl.times import Clock


class HostNames(str):
    """The hosts of a job, which equal a text if one of them does."""

    __slots__ = ("_names",)

    def __new__(cls, names: list[str]) -> HostNames:
        made = super().__new__(cls, fold(names))
        made._names = frozenset(names)
        return made

    _names: frozenset[str]

    def __eq__(self, other: object) -> bool:
        return other in self._names or str.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class Moment:
    """What is known when something happens: the replay, and perhaps a job and an outcome."""

    __slots__ = ("clock", "job", "outcome", "replay")

    def __init__(
        self, replay: Replay, clock: Clock, job: Job | None = None, outcome: Outcome | None = None
    ) -> None:
        self.replay = replay
        self.clock = clock
        self.job = job
        self.outcome = outcome


Fact = Callable[[Any], "str | int | float | bool | None"]

OF_SESSION: dict[str, Fact] = {
    "session": lambda m: m.replay.number,
    "time": lambda m: m.replay.now,
    "date": lambda m: m.clock.text(m.replay.now),
    "pending": lambda m: m.replay.scheduler.pending.count,
    "running": lambda m: len(m.replay.scheduler.running),
}
"""What is known of every moment."""

OF_JOB: dict[str, Fact] = {
    "job": lambda m: m.job.number,
    "index": lambda m: m.job.index if m.job.index >= 0 else None,
    "id": lambda m: m.job.id,
    "user": lambda m: m.job.user,
    "queue": lambda m: m.job.queue,
    "project": lambda m: m.job.project,
    "state": lambda m: m.job.state.value,
    "priority": lambda m: m.job.priority,
    "tasks": lambda m: tasks_of(m.job),
    "host": lambda m: _hosts(m.job, m.replay),
    "wait": lambda m: (m.job.start_time or m.replay.now) - m.job.submit_time,
    "time_limit": lambda m: m.job.time_limit,
    "run_time": lambda m: m.job.run_time,
}
"""What is known of a job."""

OF_DECISION: dict[str, Fact] = {
    "kind": lambda m: _kind(m.outcome),
    "reason": lambda m: m.outcome.reasons.main.name if isinstance(m.outcome, Pend) else None,
    "reconstructed": lambda m: isinstance(m.outcome, Dispatch) and m.outcome.reconstructed,
}
"""What is known of a decision beside its job."""

SESSION_FACTS = OF_SESSION
JOB_FACTS = {**OF_JOB, **OF_SESSION}
DECISION_FACTS = {**OF_DECISION, **JOB_FACTS}


_TEXTS = ("date", "id", "user", "queue", "project", "state", "host", "kind", "reason")
_TRUTHS = ("reconstructed",)

KINDS: dict[str, type] = {
    name: str if name in _TEXTS else bool if name in _TRUTHS else float for name in DECISION_FACTS
}
"""Of what kind each of them is, as :func:`xce_core.model.expressions.kind_of` has it."""

_KIND_WORDS = {str: "a text", bool: "true or false", float: "a number"}


def tasks_of(job: Job) -> int | None:
    """Tasks of a running job, else the fewest that its first alternative asks for."""
    if job.allocation is not None:
        return job.allocation.tasks
    alternatives = job.requirement.alternatives
    return sum(member.tasks_min for member in alternatives[0].members) if alternatives else None


def _hosts(job: Job, replay: Replay) -> str | None:
    if job.allocation is None:
        return None
    return HostNames(replay.cluster.names_of(job.allocation.hosts))


def _kind(outcome: Outcome | None) -> str:
    if isinstance(outcome, Dispatch):
        return "dispatch"
    return "pend" if isinstance(outcome, Pend) else "none"


class _Facts:
    """The facts of a moment as an expression looks them up: worked out when asked for."""

    __slots__ = ("_facts", "_moment")

    def __init__(self, facts: Mapping[str, Fact], moment: Moment) -> None:
        self._facts = facts
        self._moment = moment

    def get(self, name: str) -> object:
        if self._moment.job is None and name in OF_JOB:
            return None
        return self._facts[name](self._moment)

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None


class Condition:
    """A condition, compiled once.

    :ivar text: it, as it is shown.
    """

    def __init__(self, text: str, facts: Mapping[str, Fact]) -> None:
        try:
            self._expression: Expression = parse_expression(text)
        except ExpressionError as error:
            raise CommandError(f"condition: {error}") from None
        for name in sorted(self._expression.names):
            if name not in facts:
                raise CommandError(_unknown(name, facts))
        for left, right in self._expression.comparisons:
            _check_kinds(left, right)
        self.text = self._expression.text
        self._facts = facts

    def holds(self, moment: Moment) -> bool:
        """Whether it is true now."""
        return self._expression.matches(cast(Attributes, _Facts(self._facts, moment)))


def _check_kinds(left: Side, right: Side) -> None:
    """What is of two kinds is never equal.

    :raises CommandError: if that is so.
    """
    expected, found = _kind_of(left), _kind_of(right)
    if expected is found:
        return
    shown = brief(right.text)
    if right.value is None:
        shown += f", which is {_KIND_WORDS[found]}"
    elif expected is str and found is float:
        shown += "; texts stand in quotes"
    raise CommandError(
        f"condition: column {right.column}: expected {_KIND_WORDS[expected]} to compare"
        f" {brief(left.text)} with, found {shown}"
    )


def _kind_of(side: Side) -> type:
    return KINDS[side.text] if side.value is None else kind_of(side.value)


def _unknown(name: str, facts: Mapping[str, Fact]) -> str:
    if name in DECISION_FACTS:
        return f"condition: {name} is not known here; there are: {', '.join(sorted(facts))}"
    hint = did_you_mean(name, list(facts)) or "; texts stand in quotes"
    return f"condition: unknown name {brief(name)}{hint}"


def moment_of(outcome: Outcome | None, replay: Replay, clock: Clock) -> Moment:
    """The moment right after *outcome*, or if there is none, the present."""
    job = None if outcome is None or isinstance(outcome, NoDecision) else outcome.job
    return Moment(replay, clock, job, outcome)
