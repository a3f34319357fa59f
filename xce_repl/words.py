"""Reading what stands after a command: words, ids and names."""

from __future__ import annotations

from collections.abc import Iterable

from xce_core.model.jobs import format_job_id, parse_job_id
from xce_core.model.ranges import RangeError, unfold_numbers
from xce_core.suggestions import did_you_mean
from xce_repl.interface import CommandError


def no_words(rest: str, usage: str) -> None:
    """Nothing may stand there.

    :raises CommandError: if something does.
    """
    if rest:
        raise CommandError(f"usage: {usage}")


def job_id_of(text: str) -> tuple[int, int]:
    """Number and index of the job id that *text* is.

    :raises CommandError: if it is none.
    """
    try:
        if len(text) > 40:
            raise ValueError
        return parse_job_id(text)
    except ValueError:
        raise CommandError(f"expected a job id such as 12 or 12[3], found {text}") from None


def canonical_id(text: str) -> str:
    """*text* as job ids are written.

    :raises CommandError: if it is none.
    """
    return format_job_id(*job_id_of(text))


def known(name: str, names: Iterable[str], what: str) -> str:
    """*name*, which must be one of *names*.

    :raises CommandError: if it is not.
    """
    there = list(names)
    if name not in there:
        raise CommandError(f"unknown {what} {name}{did_you_mean(name, there)}")
    return name


def numbers_of(rest: str) -> list[int]:
    """Numbers and ranges, apart or joined by commas.

    :raises CommandError: if *rest* is anything else.
    """
    try:
        return unfold_numbers(",".join(rest.replace(",", " ").split()), 10_000)
    except RangeError as error:
        raise CommandError(f"numbers: {error}") from None


def split_condition(rest: str) -> tuple[str, str]:
    """What stands before and after the word ``if``."""
    if rest.startswith("if "):
        return "", rest[3:].strip()
    before, found, after = rest.partition(" if ")
    if found and not after.strip():
        raise CommandError("expected a condition after if")
    return before.strip(), after.strip()


def columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows as lines with aligned columns, the last one as it is."""
    table = list(rows)
    if not table:
        return []
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]) - 1)]
    return [
        "  ".join([*(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)), row[-1]])
        .rstrip()
        for row in table
    ]
