"""Each policy headless, written and verified, interactive, and traced: the same decisions."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.command import run_command
from tests.policies.plugin_files import GOOD, plugin_file

KEYS = {
    "bestfit": "queued ",
    "conservative": " promised start ",
    "easy": " expected 500 s",
    "fairshare": " usage 0.",
}
"""What the trace says of job 5's place, by policy."""


def starts_in(table: Path) -> list[tuple[str, str, str]]:
    """Start and hosts of each job."""
    with table.open(newline="") as rows:
        return sorted(
            (row["job_id"], row["starting_time"], row["allocated_resources"])
            for row in csv.DictReader(rows)
        )


def chosen(root: Path, name: str, *more: object) -> tuple[object, ...]:
    log = root / "fixtures" / "backfill.swf"
    return ("--sim", log, "-p", plugin_file(name), "--policy", name, *more)


@pytest.mark.parametrize("name", GOOD)
def test_the_decisions_are_the_same_in_all_modes(name: str, root: Path, tmp_path: Path) -> None:
    """R11.4, R10.1: headless with no other plugin, recorded, in the REPL, and traced."""
    modes = {
        "headless": ("--no-autoload", "-p", "swf"),
        "recorded": ("--sim-output", tmp_path / "out.jsonl"),
        "repl": ("-i", "--batch", "--ex", "continue"),
        "traced": ("-i", "--batch", "--ex", "trace on all level full", "--ex", "continue"),
    }
    found = {}
    for mode, more in modes.items():
        table = tmp_path / f"{mode}.csv"
        done = run_command(*chosen(root, name, "--jobs-csv", table, *more))
        assert (done.returncode, done.stderr) == (0, "")
        found[mode] = starts_in(table)
    assert len(found["headless"]) == 6
    assert all(starts == found["headless"] for starts in found.values())


@pytest.mark.parametrize("name", GOOD)
def test_what_a_policy_decided_verifies(name: str, root: Path, tmp_path: Path) -> None:
    """S3, R11.4: a recording of it, replayed with the same policy, has no mismatch."""
    out = tmp_path / "out.jsonl"
    assert run_command(*chosen(root, name, "--sim-output", out)).returncode == 0
    header = json.loads(out.read_text().partition("\n")[0])
    assert header["policy"] == name
    done = run_command("--sim", out, "-p", plugin_file(name), "--sim-verify")
    assert done.returncode == 0
    assert done.stderr.endswith("decisions, no mismatch\n")


@pytest.mark.parametrize("name", GOOD)
def test_a_trace_has_the_keys_of_the_policy(name: str, root: Path) -> None:
    """R2.2: the policy's name and its own keys."""
    commands = ("-i", "--batch", "--ex", "trace on job 5", "--ex", "continue")
    done = run_command(*chosen(root, name, *commands))
    selections = [line for line in done.stdout.splitlines() if line.startswith("  selection: ")]
    assert selections
    assert all(line.startswith(f"  selection: policy {name} queue default") for line in selections)
    assert any(KEYS[name] in line for line in selections)


def test_a_trace_names_the_reservation_that_blocked_a_job(root: Path) -> None:
    """P5, R6.4, R2.2: a backfill that is refused says whom it would delay, and until when."""
    commands = ("-i", "--batch", "--ex", "trace on job 4", "--ex", "continue")
    done = run_command(*chosen(root, "easy", *commands))
    lines = done.stdout.splitlines()
    at = lines.index("    POLICY would delay job 2, which is promised a start at 100 s")
    assert lines[at - 1] == "  outcome: PEND main reason POLICY"
    assert lines[at - 4].startswith("[trace] job 4 session 6 position 2")


def test_held_back_jobs_stand_in_the_recording_with_the_remark(root: Path, tmp_path: Path) -> None:
    """P5, C5: the policy's remark is part of the decision."""
    out = tmp_path / "out.jsonl"
    run_command(*chosen(root, "easy", "--sim-output", out))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    held = [line for line in lines if line["type"] == "pend" and line["main"] == "POLICY"]
    assert [line["job"] for line in held] == ["4"]
    (why,) = held[0]["reasons"]
    assert why["name"] == "would delay job 2, which is promised a start at 100 s"
