"""The report of ``--check``: the wording that the readers of all log formats share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from xce_core.model.jobs import Seconds
from xce_core.sim.findings import Findings

_COUNTS_SHOWN = 10


def counts_text(counts: Mapping[str, int], shown: Callable[[str], str] = str) -> str:
    """The most frequent ones, by name.

    :param shown: gives the text of a name that is safe to print.
    """
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    texts = [f"{shown(name)} ({count})" for name, count in most[:_COUNTS_SHOWN]]
    more = f", {len(most) - len(texts)} more" if len(most) > len(texts) else ""
    return ", ".join(texts) + more


def peak_share(peak: int, slots: int) -> str:
    """How much of the machine *peak* slots are; empty if it has none."""
    return f" ({100 * peak / slots:.1f}% of the slots)" if slots else ""


def mean_load_lines(work: Seconds, slots: int, span: Seconds) -> Iterator[str]:
    """The line about the mean load, if there is any time and room to spread it over.

    :param work: slots times run time of all jobs.
    :param span: from the first submission to the last end, in seconds.
    """
    if slots * span:
        yield (
            f"mean load: {100 * work / (slots * span):.1f}% of {slots} slots, over "
            f"{span} s from the first submission to the last end"
        )


def finding_lines(
    findings: Findings, remedies: Mapping[str, str], details: Mapping[str, str]
) -> Iterator[str]:
    """What stops the reading, was refused, repaired and noted, by cause.

    :param remedies: the repair for each cause that has one.
    :param details: more to tell of a cause that has no remedy.
    """
    for title, counts in (
        ("stops the reading:", findings.stops),
        ("refused:", findings.tally.refused),
        ("repaired:", findings.tally.repaired),
        ("notes:", findings.notes),
    ):
        yield from _section(title, counts, findings.first, remedies, details)


def _section(
    title: str,
    counts: Counter[str],
    first: Mapping[str, int],
    remedies: Mapping[str, str],
    details: Mapping[str, str],
) -> Iterator[str]:
    if counts:
        yield title
    for cause, count in sorted(counts.items()):
        remedy = f"; repair: {remedies[cause]}" if cause in remedies else ""
        where = f" (first: line {first[cause]}{remedy})" if first[cause] else ""
        detail = f": {details[cause]}" if cause in details and not remedy else ""
        yield f"  {count} {cause}{detail}{where}"
