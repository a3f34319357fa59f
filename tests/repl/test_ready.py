"""What is asked for right before a session counts in that session."""

from __future__ import annotations

import pytest

from tests.cli.command import run_command

CONTENTION = "fixtures/contention.jsonl"


@pytest.mark.parametrize("stop", ["until #5", "tbreak session 5\ncontinue"])
def test_a_step_from_right_before_a_session_shows_all_of_it(stop: str) -> None:
    """I1: the jobs that only pend again are told too, as when stepping from the start."""
    done = run_command("--sim", CONTENTION, "-i", stdin=f"{stop}\nstep 4\n")
    jobs = [line.split()[2].strip(":") for line in done.stdout.splitlines() if "pend job" in line]
    assert jobs == ["40", "41", "42", "43"]


def test_a_breakpoint_set_right_before_a_session_stops_in_it() -> None:
    """I1: a breakpoint on a job that pends again stops at once, not a session later."""
    commands = "until #5\nbreak job 40\ncontinue\ninfo time\n"
    done = run_command("--sim", CONTENTION, "-i", stdin=commands)
    stopped = done.stdout.split("breakpoint 1 (job 40)")[1]
    assert "session 5" in stopped
    assert "session 6" not in done.stdout


def test_a_trace_switched_on_right_before_a_session_is_in_effect_in_it() -> None:
    """R1.6: that session's begin is the next one."""
    commands = "until #7\ntrace on job 42\nstep 3\n"
    done = run_command("--sim", CONTENTION, "-i", stdin=commands)
    assert "[trace] job 42 session 7 position 3 level summary" in done.stdout
