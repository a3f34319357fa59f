"""Stepping, continuing and running headless come to the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repl.harness import FIXTURES, INPUTS, program, repl

SIMULATED = ("small.swf", "mixed.jsonl")
ALL = (*SIMULATED, "running.jsonl")
EVERYTHING = ("-p", "no:trace", "--sim-output")


WAYS = {
    "continue": ["continue"],
    "step through": ["step 100000"],
    "step by step": ["step"] * 90,
    "session by session": ["step", "finish"] * 40,
    "until": ["until +15", "step 2", "finish", "until +100", "continue"],
    "over breakpoints": [
        "break dispatch", "break pend if wait > 5", "break session 3", "watch job 3.state",
        *["c"] * 80,
    ],
    "past breakpoints": [
        "break dispatch if tasks > 1000", "watch job 4.state if pending > 99", *["c"] * 3
    ],
    "with questions": ["step 2", "info job 3", "info jobs", "info host", "info limit"] * 45,
    "begun anew": ["step 5", "restart", "continue", "restart", "step 4", "continue"],
}  # fmt: skip


@pytest.fixture(scope="module")
def headless(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What each input's replay writes without the REPL."""
    found = {}
    for path in (*INPUTS, *FIXTURES.glob("*.jsonl")):
        output = tmp_path_factory.mktemp("headless") / "out.jsonl"
        assert program("--sim", str(path), "--sim-output", str(output)).status == 0
        found[path.name] = output.read_bytes()
    return found


@pytest.mark.parametrize("sim", [*ALL, "contention.jsonl"])
@pytest.mark.parametrize("way", WAYS)
def test_the_output_is_the_same_bytes(
    sim: str, way: str, inputs: Path, headless: dict[str, bytes]
) -> None:
    """S1, I1, S5, S9, R10.2, R10.4: however the replay is moved on and looked at."""
    said = repl(sim, *WAYS[way], options=(*EVERYTHING, "here.jsonl"))
    assert "end of trace" in said.output
    assert Path("here.jsonl").read_bytes() == headless[sim]


@pytest.mark.parametrize("sim", [*ALL, "contention.jsonl"])
def test_the_output_that_is_set(sim: str, inputs: Path, headless: dict[str, bytes]) -> None:
    """I1: ``set output`` writes what ``--sim-output`` does."""
    said = repl(sim, "set output here.jsonl", "step 3", "continue")
    assert said.status == 0
    assert Path("here.jsonl").read_bytes() == headless[sim]


def test_an_output_ends_with_a_whole_session(inputs: Path) -> None:
    """S1, I1: who leaves inside a session finds it finished in the output."""
    for name, commands in (("a", ["step 2", "quit"]), ("b", ["step 2", "finish", "quit"])):
        said = repl("contention.jsonl", *commands, options=(*EVERYTHING, name))
        assert said.status == 0
    assert Path("a").read_bytes() == Path("b").read_bytes()


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


def test_a_snapshot_of_a_recording_verifies(inputs: Path) -> None:
    """I1: what is shown from there on is the same, and verification finds no mismatch."""
    ask = ("continue", "info host", "info jobs")
    whole = repl("contention.jsonl", "until #5", "snapshot here.jsonl", *ask)
    rest = repl("here.jsonl", *ask, options=(*EVERYTHING[:2], "--sim-verify"))
    going_on = whole.lines[whole.lines.index("wrote here.jsonl") + 1 :]
    assert rest.output.replace("taken over 30-33,35; ", "").splitlines() == going_on
    assert rest.status == 0
    assert "no mismatch" in rest.errors


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
