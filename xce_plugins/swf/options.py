"""What the user can choose about reading an SWF log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SORT_SUBMIT = "sort-submit"
SKIP_MALFORMED = "skip-malformed"
CLAMP_PROCS = "clamp-procs"
RAISE_LIMIT = "raise-limit"
LIMIT_RUN = "limit-run"
MERGE_PARTIAL = "merge-partial"
RENUMBER = "renumber"

REPAIRS: Mapping[str, str] = {
    SORT_SUBMIT: "put the jobs in order of submit time (holds the whole log in memory)",
    SKIP_MALFORMED: "leave out lines that can't be read, a cut-off last line among them",
    CLAMP_PROCS: "give a job that asks for more processors than there are the whole machine",
    RAISE_LIMIT: "raise a requested time that is below the run time to the run time",
    LIMIT_RUN: "cut a run time that is above the requested time to the requested time",
    MERGE_PARTIAL: "join the parts of a checkpointed job (holds the whole log in memory)",
    RENUMBER: "give a job whose id was used before a number of its own",
}
"""Each repair's name and what it does."""

ALL_REPAIRS = frozenset(REPAIRS)

QUEUE_RULES: Mapping[str, str] = {
    "one": "all jobs go to one strict queue named default",
    "log": "the queues of the log: q0, q1, ..., strict and equal in priority",
}
"""Each value of the option ``queues`` and what it means."""

@dataclass(frozen=True)
class SwfOptions:
    """Choices for one log.

    :param procs: the machine has so many hosts of one slot, whatever the header says.
    :param queues: a key of :data:`QUEUE_RULES`.
    :param repairs: keys of :data:`REPAIRS`.
    :param dependencies: whether a job waits for its preceding job and the think time.
    :raises ValueError: for a value that is not offered.
    """

    procs: int | None = None
    queues: str = "one"
    repairs: frozenset[str] = frozenset()
    dependencies: bool = False

    def __post_init__(self) -> None:
        if self.procs is not None and self.procs < 1:
            raise ValueError(f"procs: expected a number of 1 or more, found {self.procs}")
        if self.queues not in QUEUE_RULES:
            raise ValueError(f"queues: expected one or log, found {self.queues!r}")
        for name in sorted(self.repairs - ALL_REPAIRS):
            raise ValueError(_unknown_repair(name))


def repair_names(words: Iterable[str]) -> frozenset[str]:
    """The repairs that *words* name, each a name, several with commas, or ``all``.

    :raises ValueError: for a name that is no repair.
    """
    names: set[str] = set()
    for name in (part.strip() for word in words for part in word.split(",")):
        if name == "all":
            names |= ALL_REPAIRS
        elif name in REPAIRS:
            names.add(name)
        else:
            raise ValueError(_unknown_repair(name))
    return frozenset(names)


def _unknown_repair(name: str) -> str:
    return f"repair: expected all or one of {', '.join(REPAIRS)}, found {name!r}"
