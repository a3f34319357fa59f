"""The machine form of a record: versioned JSON with stable codes, and back.

``docs/trace-record.schema.json`` describes it. Wording is the renderer's business.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from xce_core.sched.verdicts import VerdictKind
from xce_plugins.trace import model
from xce_plugins.trace.codec import ENTRIES
from xce_plugins.trace.ending_model import Dispatched, Ending, Pended, Share, Undecided, together
from xce_plugins.trace.model import KINDS, Entry, Fault, Level, Record, Selection, Totals, Unit
from xce_plugins.trace.packed import Entries

FORMAT, VERSION = "xce-trace", 1

VERDICTS = {
    VerdictKind.ACCEPTED: "accepted",
    VerdictKind.SELECTION: "selection-mismatch",
    VerdictKind.SHORTFALL: "resource-shortfall",
    VerdictKind.LIMIT: "limit-exceeded",
    VerdictKind.CLAIMED: "already-claimed",
    VerdictKind.NOT_EVALUATED: "not-evaluated",
}
"""The code of each kind of verdict."""

CODES: dict[type[Any], str] = {
    model.RequirementBegun: "requirement-begun",
    model.RequirementEnded: "requirement-ended",
    model.AttemptFailed: "attempt-failed",
    model.ClaimFailed: "claim-failed",
    model.MembersReleased: "members-released",
    model.AlternativeSkipped: "alternative-skipped",
    model.AlternativesEnded: "alternatives-ended",
    model.CheckRow: "cluster-row",
    model.CheckEnded: "cluster-checked",
    model.GeneratorDeclined: "generator-declined",
    model.GeneratorFailed: "generator-failed",
    model.PlanDiscarded: "plan-discarded",
    model.PlanNotTried: "plan-not-tried",
    model.PlanBegun: "plan-begun",
    model.PositionBegun: "position-begun",
    model.HostSeen: "host",
    model.HostRow: "host-row",
    model.PositionEnded: "position-ended",
    model.PositionSeen: "position",
    model.HostsReleased: "hosts-released",
    model.PlanEnded: "plan-ended",
    model.PlanCommitted: "plan-committed",
    model.SearchEnded: "search-ended",
}
"""The code of each kind of entry."""

_ENTRY_OF = {CODES[kind]: kind for kind in ENTRIES}
_KIND_OF = {code: kind for kind, code in VERDICTS.items()}


def json_line(record: Record) -> str:
    """*record* as a line of JSON Lines."""
    return json.dumps(to_json(record), ensure_ascii=False, separators=(",", ":"))


def to_json(record: Record) -> dict[str, Any]:
    """*record* as plain values for JSON."""
    selection, totals = record.selection, record.totals
    return {
        "format": FORMAT,
        "version": VERSION,
        "job": record.job,
        "session": record.session,
        "time": record.time,
        "position": record.position,
        "level": record.level.value,
        "line_bound": record.bound,
        "selection": None if selection is None else _of_selection(selection),
        "entries": [_of_entry(entry) for entry in record.entries],
        "omitted": record.omitted,
        "totals": {**totals._asdict(), "hosts": _of_counts(totals.hosts)},
        "incomplete": [fault._asdict() for fault in record.faults],
        "outcome": _of_ending(record.ending),
        "units": {
            unit.resource: {"kind": unit.kind, "decimals": unit.decimals}
            for unit in record.units
        },
    }


def from_json(value: Mapping[str, Any]) -> Record:
    """The record of which :func:`to_json` made *value*.

    :raises ValueError: if it is no trace of this version.
    """
    if (value.get("format"), value.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"expected {FORMAT} version {VERSION}")
    selection = value["selection"]
    totals = {**value["totals"], "hosts": _to_counts(value["totals"]["hosts"])}
    return Record(
        value["job"],
        value["session"],
        value["time"],
        value["position"],
        Level(value["level"]),
        value["line_bound"],
        None if selection is None else _to_selection(selection),
        Entries([_to_entry(entry) for entry in value["entries"]]),
        value["omitted"],
        Totals(**totals),
        tuple(Fault(**fault) for fault in value["incomplete"]),
        _to_ending(value["outcome"]),
        tuple(Unit(name, unit["kind"], unit["decimals"]) for name, unit in value["units"].items()),
    )


# Selections.


def _of_selection(selection: Selection) -> dict[str, Any]:
    limits = selection.limits
    return {
        **selection._asdict(),
        "keys": dict(selection.keys),
        "limits": None
        if limits is None
        else [{"limit": name, "scope": scope} for name, scope in limits],
    }


def _to_selection(value: Mapping[str, Any]) -> Selection:
    limits = value["limits"]
    fields = {
        **value,
        "keys": tuple(value["keys"].items()),
        "limits": None
        if limits is None
        else tuple((each["limit"], each["scope"]) for each in limits),
    }
    return Selection(**fields)


# Entries: their fields, some of them in a form of their own.


def _of_entry(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {"entry": CODES[entry.__class__]}
    for name, value in zip(entry._fields, entry, strict=True):
        convert = _OF_FIELD.get(name)
        found[name] = value if convert is None else convert(value)
    return found


def _to_entry(value: Mapping[str, Any]) -> Entry:
    kind = _ENTRY_OF[value["entry"]]
    fields = {}
    for name in kind._fields:
        convert = _TO_FIELD.get(name)
        fields[name] = value[name] if convert is None else convert(value[name])
    entry: Entry = kind(**fields)
    return entry


def _of_step(step: Any) -> dict[str, Any]:
    return model.Step(*step)._asdict()


def _to_step(value: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(value[name] for name in model.Step._fields)


def _of_amounts(amounts: Any) -> list[dict[str, Any]]:
    return [{"resource": name, "amount": amount} for name, amount in amounts]


def _to_amounts(value: Any) -> tuple[Any, ...]:
    return tuple((each["resource"], each["amount"]) for each in value)


def _of_reasons(reasons: Any) -> list[dict[str, Any]]:
    return [
        {"code": code, "count": count, "names": list(names)} for code, count, names in reasons
    ]


def _to_reasons(value: Any) -> tuple[Any, ...]:
    return tuple((each["code"], each["count"], tuple(each["names"])) for each in value)


def _of_kinds(bits: int) -> list[str]:
    return [VERDICTS[kind] for place, kind in enumerate(KINDS) if bits >> place & 1]


def _to_kinds(codes: Any) -> int:
    return sum(1 << KINDS.index(_KIND_OF[code]) for code in codes)


def _of_counts(counts: tuple[int, ...]) -> dict[str, int]:
    return {VERDICTS[kind]: count for kind, count in zip(KINDS, counts, strict=True)}


def _to_counts(value: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(value[VERDICTS[kind]] for kind in KINDS)


def _of_limits(limits: Any) -> list[dict[str, Any]]:
    return [
        {"limit": limit, "scope": scope, "hosts": hosts} for limit, scope, hosts in limits
    ]


def _to_limits(value: Any) -> tuple[Any, ...]:
    return tuple((each["limit"], each["scope"], each["hosts"]) for each in value)


def _of_runs(runs: Any) -> list[dict[str, int]]:
    return [{"tasks": tasks, "positions": positions} for tasks, positions in runs]


def _to_runs(value: Any) -> tuple[Any, ...]:
    return tuple((each["tasks"], each["positions"]) for each in value)


_OF_FIELD: dict[str, Callable[[Any], Any]] = {
    "step": _of_step,
    "amounts": _of_amounts,
    "reasons": _of_reasons,
    "kinds": _of_kinds,
    "counts": _of_counts,
    "limits": _of_limits,
    "runs": _of_runs,
}
_TO_FIELD: dict[str, Callable[[Any], Any]] = {
    "step": _to_step,
    "amounts": _to_amounts,
    "reasons": _to_reasons,
    "kinds": _to_kinds,
    "counts": _to_counts,
    "limits": _to_limits,
    "runs": _to_runs,
}


# Outcomes.


def _of_ending(ending: Ending) -> dict[str, Any]:
    if isinstance(ending, Dispatched):
        return {
            "kind": "dispatch",
            "reconstructed": ending.reconstructed,
            "hosts": [{"host": name, **_of_share(share)} for name, share in ending.hosts],
            "shared": _of_share(ending.shared),
            "omitted": ending.omitted,
            "rest": _of_share(ending.rest),
        }
    if isinstance(ending, Pended):
        return {
            "kind": "pend",
            "main": ending.main,
            "plain": [{"code": code, "name": name} for code, name in ending.plain],
            "by_host": [
                {"code": code, "name": name, "hosts": hosts, "count": count}
                for code, name, hosts, count in ending.by_host
            ],
            "omitted": ending.omitted,
            "rest": [{"code": code, "count": count} for code, count in ending.rest],
        }
    return {"kind": "none", "cause": ending.cause, "error": ending.error}


def _to_ending(value: Mapping[str, Any]) -> Ending:
    if value["kind"] == "none":
        return Undecided(value["cause"], value["error"])
    if value["kind"] == "pend":
        return Pended(
            value["main"],
            tuple((each["code"], each["name"]) for each in value["plain"]),
            tuple(
                (each["code"], each["name"], each["hosts"], each["count"])
                for each in value["by_host"]
            ),
            value["omitted"],
            tuple((each["code"], each["count"]) for each in value["rest"]),
        )
    return Dispatched(
        value["reconstructed"],
        together((each["host"], _to_share(each)) for each in value["hosts"]),
        _to_share(value["shared"]),
        value["omitted"],
        _to_share(value["rest"]),
    )


def _of_share(share: Share) -> dict[str, Any]:
    return {
        "amounts": _of_amounts(share.amounts),
        "charges": [
            {"limit": limit, "scope": scope, "resource": resource, "amount": amount}
            for limit, scope, resource, amount in share.charges
        ],
    }


def _to_share(value: Mapping[str, Any]) -> Share:
    return Share(
        _to_amounts(value["amounts"]),
        tuple(
            (each["limit"], each["scope"], each["resource"], each["amount"])
            for each in value["charges"]
        ),
    )
