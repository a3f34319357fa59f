"""The machine form of a trace: the schema in the docs, and the way back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.builders import FirstCome, a_job, a_request, any_of, on_host
from tests.sched.worlds import Traits, worlds
from tests.trace.cases import (
    SEAMS,
    Elects,
    Offers,
    Ordered,
    Shapeless,
    raiser,
    sessions,
    some_jobs,
    two_hosts,
)
from tests.trace.harness import Harness
from tests.trace.test_equivalence import fresh
from tests.trace.test_example import contention
from tests.trace.test_hosts import TWICE, many_kinds
from tests.workloads import ListedWorkload
from xce_core.model.cluster import Cluster
from xce_core.model.jobs import Job
from xce_core.model.plans import Plan
from xce_core.model.reasons import ReasonCode
from xce_core.sim.events import Recorded, SessionMark
from xce_core.sim.workload import Timeline
from xce_plugins.trace.codec import decode, encode
from xce_plugins.trace.json_form import CODES, VERDICTS, from_json, json_line, to_json
from xce_plugins.trace.model import Record
from xce_plugins.trace.render import record_lines

# A check for the keywords that the schema uses, no more.

TYPES: dict[str, Any] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
REMARKS = {"$schema", "$defs", "title", "description"}
CHECKED = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const",
    "oneOf", "$ref", "minimum", "maximum", "minItems", "maxItems",
}  # fmt: skip


def faults(value: Any, schema: Any, root: Any, place: str = "$") -> Iterator[str]:
    """What of *value* is against *schema*."""
    unknown = schema.keys() - REMARKS - CHECKED
    assert not unknown, f"the check does not know {unknown}"
    if "$ref" in schema:
        yield from faults(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, place)
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    if names and not any(TYPES[name](value) for name in names):
        yield f"{place}: {value!r} is no {types}"
        return
    if "const" in schema and (value != schema["const"] or type(value) is not type(schema["const"])):
        yield f"{place}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if "oneOf" in schema:
        tried = [list(faults(value, one, root, place)) for one in schema["oneOf"]]
        fitting = sum(not found for found in tried)
        if fitting != 1:
            yield f"{place}: fits {fitting} of {len(tried)}: {min(tried, key=len)}"
    if TYPES["number"](value):
        fits = schema.get("minimum", value) <= value <= schema.get("maximum", value)
        yield from () if fits else (f"{place}: {value} is out of range",)
    if isinstance(value, list):
        fits = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        yield from () if fits else (f"{place}: {len(value)} items",)
        for number, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), root, f"{place}[{number}]")
    if isinstance(value, dict):
        yield from object_faults(value, schema, root, place)


def object_faults(value: dict[str, Any], schema: Any, root: Any, place: str) -> Iterator[str]:
    """The faults of an object's members."""
    known = schema.get("properties", {})
    yield from (f"{place}: no {name}" for name in schema.get("required", []) if name not in value)
    others = schema.get("additionalProperties", True)
    for name, each in value.items():
        if name in known:
            yield from faults(each, known[name], root, f"{place}.{name}")
        elif others is False:
            yield f"{place}: {name} is not known"
        elif isinstance(others, dict):
            yield from faults(each, others, root, f"{place}.{name}")


@pytest.fixture(scope="module")
def schema() -> Any:
    """The schema in the docs."""
    path = Path(__file__).parents[2] / "docs/trace-record.schema.json"
    return json.loads(path.read_text())


def check(record: Record, schema: Any) -> dict[str, Any]:
    """*record* fits the schema and comes back from it the same; its JSON."""
    value = json.loads(json_line(record))
    assert list(faults(value, schema, schema)) == []
    assert from_json(value) == record
    assert to_json(decode(encode(record))) == value
    return value


def odd_records() -> Iterator[Record]:
    """Records that between them have every kind of entry, ending and fault."""
    wants = any_of((), (a_request(1, license=1), a_request(99)), a_request(2, 3))
    odd = [
        Offers(Shapeless(()), Plan(((0, 1),)), "x", KeyError("lost"), name="a"),
        Offers(accepts=False, name="b"),
    ]
    jobs = [a_job(9, wants), a_job(10, 99), *some_jobs(), a_job(11, TWICE, at=5)]
    for command in ("on all level full", "on all"):
        for cluster in (two_hosts(license=2), many_kinds()):
            yield from records_of(
                Harness(sessions(cluster, *jobs), FirstCome(), generators=odd), command
            )
    harness = Harness(
        sessions(two_hosts(), a_job(1), a_job(2)),
        Elects("1", "77", "2"),
        others=[("bad", raiser(seam)) for seam in SEAMS[5:6]],
    )
    yield from records_of(harness, "on all")
    harness = Harness(sessions(two_hosts(), a_job(1, (a_request(1), a_request(1)))), FirstCome())
    harness.replay.scheduler.ledger.claim = lambda *_: 1 / 0  # type: ignore[method-assign]
    yield from records_of(harness, "on all")
    taken = Recorded("1", on_host(0, 3), None, True, 3)
    events = [a_job(1, 3), SessionMark(0, 4, (taken,), 2)]
    yield from records_of(
        Harness(ListedWorkload(two_hosts(), events, Timeline.RECORDED), FirstCome()), "on all"
    )
    yield from records_of(
        Harness(sessions(two_hosts(), a_job(1)), Ordered(lambda *_: ["x"])), "on all level full"
    )


def records_of(harness: Harness, command: str) -> Iterator[Record]:
    """Every record of a replay."""
    harness.trace(command)
    while harness.replay.advance():
        for outcome in harness.replay.outcomes():
            job = outcome.job if isinstance(outcome.job, str) else outcome.job.id
            record = harness.plugin.take(job, harness.replay.number)
            assert record is not None
            yield record


def test_every_record_fits_the_schema(schema: Any, root: Path) -> None:
    """R5.10, R7.8: codes for verdicts, reasons and endings; the way back loses nothing."""
    seen: set[str] = set()
    kinds: set[str] = set()
    for record in odd_records():
        value = check(record, schema)
        seen.update(entry["entry"] for entry in value["entries"])
        kinds.add(value["outcome"]["kind"])
    assert kinds == {"dispatch", "pend", "none"}
    assert seen == set(CODES.values())
    harness = contention(root)
    for job in ("30", "42", "43", "40"):
        (text,) = harness.info(f"{job} json")
        check(from_json(json.loads(text)), schema)


@given(worlds(Traits(compounds=True)))
@settings(max_examples=15, deadline=None)
def test_made_up_records_fit_the_schema(world: tuple[Cluster, list[Job]]) -> None:
    """R7.8: text rendered from the JSON form is the text that was shown."""
    path = Path(__file__).parents[2] / "docs/trace-record.schema.json"
    schema = json.loads(path.read_text())
    cluster, jobs = world
    harness = Harness(sessions(cluster, *fresh(jobs)), FirstCome())
    for record in records_of(harness, "on all level full"):
        value = check(record, schema)
        units = harness.plugin.units()
        assert record_lines(from_json(value), units) == record_lines(record, units)


def test_the_schema_knows_every_code(schema: Any) -> None:
    """R5.10, R6.4: entries, verdicts and reasons in the schema are those of the program."""
    entries = schema["$defs"]["entry"]["oneOf"]
    assert {one["properties"]["entry"]["const"] for one in entries} == set(CODES.values())
    for one in entries:
        (kind,) = [k for k, code in CODES.items() if code == one["properties"]["entry"]["const"]]
        assert list(one["properties"])[1:] == list(kind._fields)
    assert list(schema["$defs"]["counts"]["properties"]) == list(VERDICTS.values())
    assert schema["$defs"]["reason"]["enum"] == [code.name for code in ReasonCode]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": True},
        {"job": 7},
        {"line_bound": 49},
        {"extra": 1},
        {"level": "more"},
        {"outcome": {"kind": "none", "cause": "bad luck", "error": ""}},
        {"entries": [{"entry": "plan-committed", "number": 0}]},
        {"entries": [{"entry": "plan-committed"}]},
        {"entries": [{"entry": "unheard-of"}]},
    ],
)
def test_the_check_finds_what_does_not_fit(change: dict[str, Any], schema: Any) -> None:
    """The check of these tests is one."""
    record = next(odd_records())
    assert list(faults({**to_json(record), **change}, schema, schema))


def test_another_version_is_refused() -> None:
    """R7.8: a reader of version 1 reads version 1."""
    value = to_json(next(odd_records()))
    with pytest.raises(ValueError, match="expected xce-trace version 1"):
        from_json({**value, "version": 2})
