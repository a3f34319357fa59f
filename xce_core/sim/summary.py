"""The result of a replay as a short text and as a JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xce_core.sim.figures import Causes, Outcomes, Result, Stats

FORMAT = "xce-result"
VERSION = 1

_OUTCOMES = ("done", "failed", "killed", "killed_at_limit", "never_started", "still_running")
_COLUMN = 14


# Text.


def text_lines(result: Result) -> list[str]:
    """The result in fixed columns, 80 wide; the distributions only if a job ran."""
    used = result.usage.utilisation
    return [
        *_outcome_lines(result),
        _figure("sessions", f"{result.sessions:,}"),
        _figure("dispatches", f"{result.dispatches:,}"),
        _measured("makespan", result.makespan, " s"),
        _measured("utilisation", None if used is None else 100 * used, " %"),
        *(["", *_table_lines(result)] if result.turnaround.count else []),
    ]


def _outcome_lines(result: Result) -> Iterator[str]:
    """How the jobs ended: what did not occur is left out, except "done"."""
    outcomes = result.outcomes
    yield _figure("jobs", f"{outcomes.total:,}")
    for name in _OUTCOMES:
        count = getattr(outcomes, name)
        if count or name == "done":
            note = _waiting_note(outcomes) if name == "never_started" else ""
            yield _figure(f"  {name.replace('_', ' ')}", f"{count:,}", note)
    if outcomes.refused:
        yield _figure("  refused", f"{outcomes.refused:,}")
        yield from _cause_lines(result.refused)
    if result.repaired:
        yield _figure("repaired", f"{sum(count for _, count in result.repaired):,}")
        yield from _cause_lines(result.repaired)


def _waiting_note(outcomes: Outcomes) -> str:
    return f", {outcomes.still_waiting:,} still waiting" if outcomes.still_waiting else ""


def _cause_lines(causes: Causes) -> Iterator[str]:
    return (_figure("", f"{count:,}", f"  {cause}") for cause, count in causes)


def _table_lines(result: Result) -> Iterator[str]:
    """A column for each distribution, a row for each statistic."""
    columns = [stats for _, stats in _distributions(result)]
    yield _row("", ("wait", "eligible wait", "turnaround", "slowdown", "bounded"))
    yield _row("", ("s", "s", "s", "", f"tau {result.tau:g} s"))
    yield _row("count", [f"{stats.count:,}" for stats in columns])
    for name in ("mean", "p50", "p90", "p95", "p99", "max"):
        label = name.replace("p", "P")
        yield _row(label, [_number(getattr(stats, name)) for stats in columns])
    if result.slowdown_undefined:
        yield f"no slowdown, as the run time is 0: {result.slowdown_undefined:,}"


def _figure(label: str, value: str, after: str = "") -> str:
    return f"{label:<18}{value:>14}{after}"


def _measured(label: str, value: float | None, unit: str) -> str:
    return _figure(label, _number(value), "" if value is None else unit)


def _row(label: str, cells: Sequence[str]) -> str:
    return f"{label:<5}{''.join(f' {cell:>{_COLUMN}}' for cell in cells)}".rstrip()


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.2f}"


# JSON.


def as_json(result: Result) -> dict[str, object]:
    """The result for programs; ``docs/metrics.md`` describes the fields.

    Within a version fields are only added. None stands for what there is not.
    """
    usage = result.usage
    return {
        "format": FORMAT,
        "version": VERSION,
        "jobs": _json_outcomes(result.outcomes),
        "sessions": result.sessions,
        "dispatches": result.dispatches,
        "first_submit_s": result.first_submit,
        "last_end_s": result.last_end,
        "makespan_s": result.makespan,
        "utilisation": {
            "ratio": usage.utilisation,
            "busy_slot_s": usage.busy,
            "available_slot_s": usage.available,
            "start_s": usage.start,
            "end_s": usage.end,
        },
        **{name: _json_stats(name, stats) for name, stats in _distributions(result)},
        "slowdown_undefined": result.slowdown_undefined,
        "tau_s": result.tau,
        "refused": dict(result.refused),
        "repaired": dict(result.repaired),
    }


def _json_outcomes(outcomes: Outcomes) -> dict[str, int]:
    names = ("total", *_OUTCOMES, "refused", "still_waiting")
    return {name: getattr(outcomes, name) for name in names}


def _json_stats(name: str, stats: Stats) -> dict[str, float | None]:
    unit = "" if name.endswith("slowdown") else "_s"
    numbers = {
        key + unit: getattr(stats, key) for key in ("mean", "p50", "p90", "p95", "p99", "max")
    }
    return {"count": stats.count, **numbers}


def _distributions(result: Result) -> Sequence[tuple[str, Stats]]:
    names = ("wait", "eligible_wait", "turnaround", "slowdown", "bounded_slowdown")
    return [(name, getattr(result, name)) for name in names]
