"""What the user can choose about reading a dump."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from xce_plugins.slurm.recipe import PRESETS

SKIP_MALFORMED = "skip-malformed"

REPAIRS: Mapping[str, str] = {
    SKIP_MALFORMED: "leave out rows that can't be read, a cut-off last one among them",
}
"""Each repair's name and what it does."""

QUEUE_RULES: Mapping[str, str] = {
    "partitions": "each partition is a queue, strict and equal in priority unless configured",
    "one": "all jobs go to one strict queue named default",
}
"""Each value of the option ``queues`` and what it means."""

ATTEMPT_RULES: Mapping[str, str] = {
    "sum": "the run times of all its attempts together",
    "last": "the run time of its last attempt",
}
"""Each value of the option ``attempts`` and how long a requeued job runs."""

COLUMNS_LIMIT = 500


@dataclass(frozen=True)
class SlurmOptions:
    """Choices for one dump.

    :param zone: of its local times; None if it is not known.
    :param zone_name: how the user named it.
    :param columns: the columns, for a dump without a header; None to take its header.
    :param cluster_name: read only jobs of this cluster; empty to read all.
    :param scontrol: a file with the text of ``scontrol show node`` or a slurm.conf.
    :param queues: a key of :data:`QUEUE_RULES`.
    :param attempts: a key of :data:`ATTEMPT_RULES`.
    :param repairs: keys of :data:`REPAIRS`.
    :raises ValueError: for a value that is not offered.
    """

    zone: tzinfo | None = None
    zone_name: str = ""
    columns: tuple[str, ...] | None = None
    cluster_name: str = ""
    scontrol: str | None = None
    queues: str = "partitions"
    attempts: str = "sum"
    repairs: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        _among("queues", self.queues, QUEUE_RULES)
        _among("attempts", self.attempts, ATTEMPT_RULES)
        for name in sorted(self.repairs):
            _among("repair", name, REPAIRS)


def zone_named(name: str) -> tzinfo:
    """The time zone called *name*, such as ``UTC`` or ``Europe/Helsinki``.

    :raises ValueError: if it is not known.
    """
    if name == "UTC":
        return timezone.utc
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        what = f"zone: expected a time zone such as UTC or Europe/Helsinki, found {name!r}"
        raise ValueError(what) from None


def columns_named(text: str) -> tuple[str, ...]:
    """The columns that *text* lists with commas, or those of a preset.

    :raises ValueError: if it lists none, too many, or one twice.
    """
    if text in PRESETS:
        return PRESETS[text]
    # As in sacct's own --format, a width may follow: jobname%30.
    names = tuple(part.strip().lower().partition("%")[0] for part in text.split(","))
    if len(names) < 2 or "" in names or len(names) > COLUMNS_LIMIT:
        known = ", ".join(PRESETS)
        raise ValueError(f"columns: expected names with commas, or {known}, found {text[:60]!r}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"columns: {name!r} stands twice")
    return names


def repair_names(words: Iterable[str]) -> frozenset[str]:
    """The repairs that *words* name, each a name, several with commas, or ``all``.

    :raises ValueError: for a name that is no repair.
    """
    names: set[str] = set()
    for name in (part.strip() for word in words for part in word.split(",")):
        if name == "all":
            names |= set(REPAIRS)
        else:
            _among("repair", name, {"all": "", **REPAIRS})
            names.add(name)
    return frozenset(names)


def _among(option: str, value: str, known: Mapping[str, str]) -> None:
    if value not in known:
        raise ValueError(f"{option}: expected {' or '.join(known)}, found {value!r}")
