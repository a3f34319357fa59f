"""What a trace says of the requirements tried."""

from __future__ import annotations

import json

import pytest

from tests.builders import FirstCome, a_cluster, a_host, a_job, a_request, any_of, gib
from tests.trace.cases import harness, line, still, trace, two_hosts
from tests.trace.harness import trace_of
from xce_core.hookspecs import hookimpl
from xce_core.model.requests import ONE_HOST, Requirement
from xce_core.sched.facts import Path


def steps(lines: list[str]) -> list[str]:
    """The lines about requirements, with their indents."""
    words = (
        "requirement", "alternative", "member", "compound", "all alternatives",
        "released hosts of",
    )  # fmt: skip
    return [text for text in lines if text.strip().startswith(words)]


def test_every_requirement_is_labelled_with_its_path() -> None:
    """R3.1, R3.2: alternative and member, tasks and resources, and how it ended."""
    wants = any_of(
        (a_request(1), a_request(9, 12, mem=gib(1))),
        (a_request(2, 4, gpu=5),),
        (a_request(2), a_request(3)),
    )
    assert steps(trace(two_hosts(), a_job(1, wants))) == [
        "  requirement alternative 1/3 (compound, 2 members)",
        "    requirement alternative 1/3 > member 1/2 tasks 1..1 requests slots=1",
        "    member 1/2 satisfied",
        "    requirement alternative 1/3 > member 2/2 tasks 9..12 requests slots=1 mem=1 GiB",
        "    member 2/2 not satisfied",
        "    released hosts of earlier members: n1",
        "  alternative 1/3 not satisfied",
        "  requirement alternative 2/3 (compound, 1 member)",
        "    requirement alternative 2/3 > member 1/1 tasks 2..4 requests slots=1 gpu=0.5",
        "    member 1/1 not satisfied",
        "  alternative 2/3 not satisfied",
        "  requirement alternative 3/3 (compound, 2 members)",
        "    requirement alternative 3/3 > member 1/2 tasks 2..2 requests slots=1",
        "    member 1/2 satisfied",
        "    requirement alternative 3/3 > member 2/2 tasks 3..3 requests slots=1",
        "    member 2/2 satisfied",
        "  alternative 3/3 satisfied",
        "  alternative 3/3 chosen; no alternatives after it",
    ]


def test_a_single_requirement_has_no_whole_around_it() -> None:
    """R3.1: begin, reasons and end on two levels."""
    lines = trace(two_hosts(), a_job(1, 9))
    assert steps(lines) == [
        "  requirement (single) tasks 9..9 requests slots=1",
        "  requirement not satisfied",
    ]
    assert "    failure reasons: TOO_FEW_HOSTS x1" in lines


@pytest.mark.parametrize("tasks", [8, 9])
def test_a_single_requirement_begins_and_ends_as_its_only_member(tasks: int) -> None:
    """R3.1: in the machine form too."""
    run = still(two_hosts(), a_job(1, tasks))
    run.trace("on all")
    run.go()
    (text,) = run.info("1 json")
    entries = json.loads(text)["entries"]
    steps = [entry["step"] for entry in entries if "step" in entry]
    one = {"alternative": 1, "alternatives": 1, "member": 1, "members": 1}
    assert steps == [{"shape": "single", **one}] * 2
    assert entries[-1]["satisfied"] is (tasks == 8)


class Released:
    """Notes what is released and what fails; interrupted when an attempt has failed."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    @hookimpl
    def xce_members_released(self, hosts: int) -> None:
        self.heard.append(f"released {hosts:b}")

    @hookimpl
    def xce_attempt_failed(self, reasons: object) -> None:
        self.heard.append("failed")
        raise KeyboardInterrupt

    @hookimpl
    def xce_requirement_ended(self, path: Path, satisfied: bool, error: str) -> None:
        self.heard.append(f"ended {path.member} {satisfied} {error}".strip())


def test_hosts_are_released_once_however_it_ends() -> None:
    """R3.3, R5.8: also if the one who is told of it is interrupted."""
    listener = Released()
    run = still(
        two_hosts(), a_job(1, (a_request(2), a_request(7))), others=[("ears", listener)]
    )
    run.trace("on all")
    with pytest.raises(KeyboardInterrupt):
        run.go()
    assert listener.heard == [
        "ended 1 True", "ended 2 False", "released 1", "failed", "ended 0 False",
    ]  # fmt: skip


def test_a_compound_is_one() -> None:
    """R3.1: its members stand in it."""
    wants = Requirement.compound((a_request(1), a_request(2)))
    assert steps(trace(two_hosts(), a_job(1, wants))) == [
        "  requirement compound (2 members)",
        "    requirement compound > member 1/2 tasks 1..1 requests slots=1",
        "    member 1/2 satisfied",
        "    requirement compound > member 2/2 tasks 2..2 requests slots=1",
        "    member 2/2 satisfied",
        "  compound satisfied",
    ]


@pytest.mark.parametrize(
    ("fails", "left"),
    [(1, "; members 2..4 not tried"), (2, "; members 3..4 not tried"),
     (3, "; member 4/4 not tried"), (4, "")],
)
def test_members_after_a_failed_one_are_not_tried(fails: int, left: str) -> None:
    """R3.3: they are named, and what was claimed before is given back."""
    members = tuple(a_request(99 if n == fails else 1) for n in range(1, 5))
    lines = trace(two_hosts(), a_job(1, members))
    assert f"    member {fails}/4 not satisfied{left}" in lines
    assert sum("> member" in text for text in lines) == fails


def test_a_failure_to_merge_members_is_named() -> None:
    """R3.3: the member, the error, those not tried; nothing stays claimed."""
    run = harness(two_hosts(), a_job(1, tuple(a_request(1) for _ in range(4))))
    run.trace("on all level full")
    ledger = run.replay.scheduler.ledger
    claim, calls = ledger.claim, []

    def second_fails(ask, placements):  # type: ignore[no-untyped-def]
        calls.append(ask)
        if len(calls) == 2:
            raise ArithmeticError("the books do not balance")
        claim(ask, placements)

    ledger.claim = second_fails  # type: ignore[method-assign]
    lines = trace_of(run.go(), "1")
    assert line(lines, "merge failed") == (
        "member 2/4: merge failed, internal error (ArithmeticError: the books do not balance);"
        " members 3..4 not tried"
    )
    assert line(lines, "released") == "released hosts of earlier members: n1"
    assert line(lines, "compound not") == (
        "compound not satisfied: internal error (ArithmeticError: the books do not balance)"
    )
    assert not any(column.left(0) != 4 for column in [ledger.columns["slots"]])


@pytest.mark.parametrize(
    ("sizes", "end"),
    [
        ((1, 1, 1), "alternative 1/3 chosen; alternatives 2..3 not tried"),
        ((99, 1, 1), "alternative 2/3 chosen; alternative 3/3 not tried"),
        ((99, 99, 1), "alternative 3/3 chosen; no alternatives after it"),
        ((99, 99, 99), "all alternatives failed (3 tried or skipped)"),
    ],
)
def test_the_alternative_chosen_and_those_not_tried(sizes: tuple[int, ...], end: str) -> None:
    """R3.4: in one line at the end."""
    lines = trace(two_hosts(), a_job(1, any_of(*(a_request(n) for n in sizes))))
    assert f"  {end}" in lines


def test_alternatives_not_tried_for_an_internal_error() -> None:
    """R3.4: the one that broke off says so."""
    run = harness(two_hosts(), a_job(1, any_of(a_request(1), a_request(1), a_request(1))))
    run.trace("on all")
    run.replay.scheduler.ledger.claim = lambda *_: 1 / 0  # type: ignore[method-assign]
    assert (
        "  alternative 1/3 not satisfied: internal error (ZeroDivisionError: division by zero);"
        " alternatives 2..3 not tried"
    ) in trace_of(run.go(), "1")


def test_why_each_alternative_failed() -> None:
    """R3.5: codes, counts and names, of each by itself."""
    wants = any_of(
        a_request(1, license=2),
        a_request(1, select="slots > 100"),
        a_request(5, span=ONE_HOST, mem=gib(9)),
    )
    cluster = two_hosts(license=1)
    reasons = [t.strip() for t in trace(cluster, a_job(1, wants)) if "failure reasons" in t]
    assert reasons == [
        "failure reasons: NO_RESOURCE x1 (resources: license)",
        "failure reasons: SELECTION x2",
        "failure reasons: NO_RESOURCE x4 (resources: slots, mem)",
    ]


def test_an_empty_alternative_is_skipped() -> None:
    """R3.6: it counts, and nothing is tried for it."""
    lines = trace(two_hosts(), a_job(1, any_of((), a_request(1))))
    assert steps(lines)[0] == "  alternative 1/2 skipped: it is empty"
    assert "  alternative 2/2 chosen; no alternatives after it" in lines


def test_a_closed_queue_tries_nothing() -> None:
    """R2.4, R6.4: no requirement, and a reason that says why."""
    cluster = a_cluster(a_host())
    run = harness(cluster, a_job(1), policy=FirstCome())
    run.replay.scheduler.set_queue("normal", False)
    run.trace("on all")
    assert trace_of(run.go(), "1")[3:] == [
        "  outcome: PEND main reason QUEUE_CLOSED",
        "    QUEUE_CLOSED normal",
    ]
