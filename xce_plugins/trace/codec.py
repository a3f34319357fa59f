"""A record as compact bytes, and back: what the store keeps."""

from __future__ import annotations

import marshal
import zlib
from typing import Any

from xce_plugins.trace import model
from xce_plugins.trace.ending_model import Dispatched, Ending, Pended, Share, Undecided
from xce_plugins.trace.model import LEVEL_NAMES, Fault, Level, Record, Selection, Totals, Unit
from xce_plugins.trace.packed import Entries, HostsSeen, PositionsSeen

ENTRIES: tuple[type[Any], ...] = (
    model.RequirementBegun,
    model.RequirementEnded,
    model.AttemptFailed,
    model.ClaimFailed,
    model.MembersReleased,
    model.AlternativeSkipped,
    model.AlternativesEnded,
    model.CheckRow,
    model.CheckEnded,
    model.GeneratorDeclined,
    model.GeneratorFailed,
    model.PlanDiscarded,
    model.PlanNotTried,
    model.PlanBegun,
    model.PositionBegun,
    model.HostSeen,
    model.HostRow,
    model.PositionEnded,
    model.PositionSeen,
    model.HostsReleased,
    model.PlanEnded,
    model.PlanCommitted,
    model.SearchEnded,
)
"""The kinds of entry."""

_PARTS = (*ENTRIES, HostsSeen, PositionsSeen)
"""The place here stands for the kind in the bytes."""

_PLACE = {kind: place for place, kind in enumerate(_PARTS)}
_WORTH_IT = 4096
"""From how many bytes on compressing pays."""

_PLAIN, _DEFLATED = b"p", b"z"


def encode(record: Record) -> bytes:
    """*record* as bytes, which only this process can read."""
    place = _PLACE
    selection, totals, ending = record.selection, record.totals, record.ending
    parts: Any = (
        record.job,
        record.session,
        record.time,
        record.position,
        LEVEL_NAMES[record.level],
        record.bound,
        None if selection is None else tuple(selection),
        [(place[part.__class__], *part) for part in record.entries.parts],
        record.omitted,
        tuple(totals),
        [tuple(fault) for fault in record.faults],
        _of_ending(ending),
        [tuple(unit) for unit in record.units],
    )
    data = marshal.dumps(parts)
    if len(data) < _WORTH_IT:
        return _PLAIN + data
    return _DEFLATED + zlib.compress(data, 1)


def decode(data: bytes) -> Record:
    """The record that :func:`encode` made *data* of."""
    plain = zlib.decompress(data[1:]) if data[:1] == _DEFLATED else data[1:]
    parts = marshal.loads(plain)
    job, session, time, position, level, bound, selection, entries = parts[:8]
    omitted, totals, faults, ending, units = parts[8:]
    return Record(
        job,
        session,
        time,
        position,
        Level(level),
        bound,
        None if selection is None else Selection(*selection),
        Entries([_PARTS[place](*fields) for place, *fields in entries]),
        omitted,
        Totals(*totals),
        tuple(Fault(*fault) for fault in faults),
        _to_ending(*ending),
        tuple(Unit(*unit) for unit in units),
    )


def _of_ending(ending: Ending) -> tuple[Any, ...]:
    if isinstance(ending, Dispatched):
        return (
            "dispatch",
            ending.reconstructed,
            [(names, tuple(share)) for names, share in ending.alike],
            tuple(ending.shared),
            ending.omitted,
            tuple(ending.rest),
        )
    if isinstance(ending, Pended):
        return ("pend", *ending)
    return ("none", *ending)


def _to_ending(kind: str, *fields: Any) -> Ending:
    if kind == "pend":
        return Pended(*fields)
    if kind == "none":
        return Undecided(*fields)
    reconstructed, alike, shared, omitted, rest = fields
    return Dispatched(
        reconstructed,
        tuple((names, Share(*share)) for names, share in alike),
        Share(*shared),
        omitted,
        Share(*rest),
    )
