"""Stepping, continuing and running headless come to the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repl.harness import program, repl

SIMULATED = ("small.swf", "mixed.jsonl")
ALL = (*SIMULATED, "running.jsonl")
EVERYTHING = ("-p", "no:trace", "--sim-output")


@pytest.mark.parametrize("sim", ALL)
@pytest.mark.parametrize("mode", ["step", "continue", "stops", "inspect"])
def test_the_output_is_the_same_bytes(sim: str, mode: str, inputs: Path) -> None:
    """I1, S5, S9, R10.2: however the replay is moved on and looked at."""
    commands = {
        "step": ["step"] * 90,
        "continue": ["continue"],
        "stops": ["break dispatch", "break session 3", "watch job 3.state", *["c"] * 60],
        "inspect": ["step 2", "info job 3", "info jobs", "info host", "info limit"] * 45,
    }[mode]
    assert program("--sim", sim, "--sim-output", "headless.jsonl").status == 0
    said = repl(sim, *commands, options=("-p", "no:trace", "--sim-output", "here.jsonl"))
    assert "end of trace" in said.output
    assert Path("here.jsonl").read_bytes() == Path("headless.jsonl").read_bytes()


@pytest.mark.parametrize("sim", ALL)
def test_rounds_are_the_same_whether_each_refusal_is_told_or_not(sim: str, inputs: Path) -> None:
    """I4: sessions that are passed over are rounds all the same."""
    swift = repl(sim, "c")
    told = repl(sim, "c", options=("-p", "no:trace", "--log", "log"))
    assert swift.output == told.output
    assert swift.output.count("round") > 3


@pytest.mark.parametrize("sim", ALL)
def test_what_was_left_half_way_verifies(sim: str, inputs: Path) -> None:
    """S5, S9: the output of a replay that was left early is a recording of what happened."""
    for steps in range(1, 40, 3):
        said = repl(sim, f"step {steps}", "quit", options=(*EVERYTHING, "half.jsonl"))
        assert said.status == 0
        again = program("--sim", "half.jsonl", "--sim-verify")
        assert again.status == 0, again.errors
        assert "no mismatch" in again.errors


def test_output_goes_to_standard_output_and_the_dialogue_elsewhere(inputs: Path) -> None:
    """S9: with ``-`` the recording has standard output for itself."""
    program("--sim", "small.swf", "--sim-output", "headless.jsonl")
    said = repl("small.swf", "c", options=("--sim-output", "-"))
    assert said.output == Path("headless.jsonl").read_text()
    assert "end of trace" in said.errors


def test_verification_goes_on_in_the_repl(inputs: Path) -> None:
    """S3, S9: mismatches are counted, and give status 1 at the end."""
    assert program("--sim", "running.jsonl", "--sim-verify").status == 1
    said = repl("running.jsonl", "c", options=("--sim-verify",))
    assert said.status == 1
    assert "session 42 differs from the recording (1 so far)" in said.lines
    assert "running.jsonl:9: session 42 time 1010 job 4" in said.errors


@pytest.mark.parametrize("sim", ALL)
@pytest.mark.parametrize("ready", [True, False])
def test_a_snapshot_goes_on_from_where_it_was_taken(sim: str, ready: bool, inputs: Path) -> None:
    """I1: at every place between two sessions, and right before one, the rest is the same."""
    whole = decisions(sim)
    assert len(whole) > 4
    for number in sorted(whole):
        moves = [f"until #{number}"] if ready else [f"break session {number}", "c", "finish"]
        said = repl(sim, *moves, "snapshot here.jsonl")
        assert "wrote here.jsonl" in said.lines, said.output
        rest = decisions("here.jsonl")
        if not ready and len(rest.get(number, ())) == 1:
            del rest[number]  # that session once more, with nothing left to decide
        begin = number if ready else number + 1
        assert rest == {n: made for n, made in whole.items() if n >= begin}, moves


def decisions(sim: str) -> dict[int, list[object]]:
    """The dispatches that a replay of *sim* decides by itself, by session, with its time."""
    said = program("--sim", sim, "--sim-output", "decisions.jsonl")
    assert said.status == 0, said.errors
    found: dict[int, list[object]] = {}
    for line in Path("decisions.jsonl").read_text().splitlines():
        value = json.loads(line)
        if value["type"] == "session":
            session = found[value["number"]] = [value["time"]]
        elif value["type"] == "dispatch" and not value.get("reconstructed"):
            session.append(value)
    return found
