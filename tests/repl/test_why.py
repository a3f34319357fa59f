"""``info job`` of a job that waits although there is room for it: who holds it back."""

from __future__ import annotations

from pathlib import Path

from tests.repl.harness import program, repl

EASY = str(Path(__file__).resolve().parents[2] / "fixtures/plugins/easy/xce_easy.py")


def test_a_job_that_the_policy_holds_back(inputs: Path, root: Path) -> None:
    """I1, S5: the remark of its last decision, until a decision goes another way."""
    said = program(
        *("--sim", str(root / "fixtures/backfill.swf"), "-p", EASY, "--policy", "easy", "-i"),
        typed='break pend if reason == "POLICY"\ncontinue\ninfo job 4\n'
        "finish\nstep 2\ninfo job 4\n",
    )
    (decision,) = [line for line in said.lines if line.startswith("  pend job 4: POLICY")]
    remark = decision.partition("(")[2].rstrip(")")
    assert remark.startswith("would delay job 2")
    held = f"  held back by the policy in session 6: {remark}"
    at = said.lines.index(held)
    assert said.lines[at - 1] == "  verdict NOW: there is room for it now, whoever else waits"
    assert "NO_RESOURCE" in said.lines[said.lines.index("session 7 (1970-01-01 00:01:00)") + 2]
    assert said.lines.count(held) == 1


def test_a_job_behind_another_in_a_strict_queue(inputs: Path) -> None:
    """I1: the first of the queue stops it, whatever room there is; the first itself nobody."""
    said = repl("small.swf", "until #6", "info job 6", "info job 3")
    lines = said.lines[said.lines.index("job 6: pending") :]
    first = lines.index("job 3: pending")
    assert "  its queue is strict: job 3 has to start first" in lines[:first]
    assert not [line for line in lines[first:] if "strict" in line]
