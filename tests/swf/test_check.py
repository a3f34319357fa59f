"""The report of what a log holds."""

from __future__ import annotations

import io

import pytest

from tests.swf.samples import FIXTURES, MACHINE, a_line, with_repairs
from xce_core.model.cluster import Queue, uniform_cluster
from xce_plugins.swf import SwfOptions, check_report


def report(text: str, options: SwfOptions | None = None) -> list[str]:
    """The report on *text*."""
    return check_report(io.BytesIO(text.encode()), "t.swf", options or SwfOptions())


def test_the_report_on_the_small_log() -> None:
    """Contents, machine, load, refusals by cause with the first line of each."""
    with (FIXTURES / "small.swf").open("rb") as source:
        assert check_report(source, "small.swf", SwfOptions()) == [
            "small.swf: 13 jobs read, 11 accepted, 2 refused, 0 faults that stop the reading",
            "computer: Example cluster",
            "machine: 4 hosts of 2 slots (header MaxNodes and MaxProcs)",
            "submitted: 0 to 500 s (2023-11-14 22:13:20 to 2023-11-14 22:21:40 UTC)",
            "users: 5; queues: default (11)",
            "status of those accepted: 1 (9), 0 (1), 5 (1)",
            "largest job: 8 processors",
            "mean load: 59.2% of 8 slots, over 515 s from the first submission to the last end",
            "peak use: not known, as there are no wait times",
            "refused:",
            "  1 cancelled before its start (first: line 24)",
            "  1 more processors than the machine has (first: line 25; repair: clamp-procs)",
            "notes:",
            "  1 allocated processors stand in for requested ones that are unknown"
            " (first: line 21)",
        ]


def test_faults_that_stop_the_reading_do_not_stop_the_report() -> None:
    """Each kind with its count, its first line, and what would mend it."""
    text = a_line(1, 50) + a_line(2, 40) + a_line(3, 30) + a_line(4, "x") + "5 60"
    lines = report(text)
    assert lines[0] == "t.swf: 5 jobs read, 3 accepted, 0 refused, 5 faults that stop the reading"
    assert lines[1] == "machine: unknown"
    assert lines[lines.index("stops the reading:") + 1 :] == [
        "  1 last line cut off (first: line 5; repair: skip-malformed)",
        "  1 malformed line (first: line 4; repair: skip-malformed)",
        "  2 submit time out of order (first: line 2; repair: sort-submit)",
        "  1 the header has no MaxProcs and no MaxNodes: give --cluster FILE.toml or the option"
        " procs=N",
    ]


def test_repairs_that_are_asked_for_are_reported_as_such() -> None:
    """As a reading with the same options would count them."""
    lines = report(MACHINE + a_line(1, 50) + a_line(2, 40), with_repairs("sort-submit"))
    assert lines[lines.index("repaired:") + 1 :] == ["  1 sort-submit (first: line 3)"]


def test_the_peak_is_that_of_the_recorded_starts() -> None:
    """A job that starts where another ends does not overlap it."""
    text = a_line(1, 0, 100, 4, wait=0) + a_line(2, 10, 100, 3, wait=20)
    text += a_line(3, 20, 50, 4, wait=80) + a_line(4, 200, 10, 6, wait=0)
    assert "peak use: 7 processors (87.5% of the slots), by the wait times of the log" in report(
        MACHINE + text
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (MACHINE + a_line(1, 10) + a_line(2, 5, wait=0), "as the lines are not in order"),
        (MACHINE + a_line(1, wait="soon"), "as there are no wait times"),
    ],
)
def test_a_peak_that_is_not_known_is_not_told(text: str, line: str) -> None:
    """With the reason; the wait time is read here alone, so it is no fault."""
    assert any(told.startswith(f"peak use: not known, {line}") for told in report(text))


def test_a_cluster_that_is_given_counts() -> None:
    """In place of the header's machine."""
    cluster = uniform_cluster(2, 3, Queue("default"))
    source = io.BytesIO((MACHINE + a_line(1, procs=7)).encode())
    lines = check_report(source, "t.swf", SwfOptions(), cluster)
    assert "machine: 2 hosts, 6 slots (the cluster given)" in lines
    assert any("more processors than the machine has" in line for line in lines)


def test_control_characters_of_a_header_are_not_passed_on() -> None:
    """S8: a log can't steer the user's terminal."""
    assert "computer: ?[31m x" in report("; Computer: \x1b[31m x\n" + MACHINE + a_line())
