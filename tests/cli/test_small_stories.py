"""Small recordings, replayed from the command line, with starts derived by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.command import run_command

HEADER = {
    "type": "header",
    "format": "xce-recording",
    "version": 1,
    "timeline": "simulated",
    "cluster": {
        "hosts": [{"name": "n[1-2]", "capacity": {"slots": 4}}],
        "queues": [{"name": "q"}],
    },
}


def write(path: Path, *events: dict[str, object]) -> Path:
    """A recording of *events*."""
    path.write_text("".join(json.dumps(line) + "\n" for line in (HEADER, *events)))
    return path


def submit(time: float, job: str, **fields: object) -> dict[str, object]:
    """A submission."""
    return {"type": "submit", "time": time, "job": job, **fields}


def starts(*words: object) -> dict[str, str]:
    """The start of each job that started, as the table of jobs has it."""
    done = run_command(*words, "--jobs-csv", "-")
    assert done.returncode == 0, done.stderr
    rows = csv.DictReader(io.StringIO(done.stdout))
    return {row["job_id"]: row["starting_time"] for row in rows if row["starting_time"]}


@pytest.mark.parametrize(
    ("when", "delay", "start"),
    [
        ("ended", 5, "15.0"),  # job 1 ends at 10
        ("ended", 1, "12.0"),  # over at 11, before the submission
        ("started", 50, "50.0"),  # job 1 starts at 0
        ("done", 5, "15.0"),
    ],
)
def test_a_delay_counts_from_when_the_other_job_got_there(
    when: str, delay: int, start: str, tmp_path: Path
) -> None:
    """C1, C6: also if that was before the job that waits was submitted."""
    needed = [{"job": "1", "when": when, "delay": delay}]
    path = write(
        tmp_path / "r.jsonl",
        submit(0, "1", run_time=10),
        submit(12, "2", run_time=10, depends=needed),
    )
    assert starts("--sim", path)["2"] == start


def test_a_suspended_job_does_not_prolong_the_replay(tmp_path: Path) -> None:
    """S2: the end that a suspended job would have had is no moment at which anything happens."""
    path = write(
        tmp_path / "r.jsonl",
        submit(0, "1", run_time=100),
        submit(0, "2", run_time=3),
        {"type": "suspend", "time": 5, "job": "1"},
    )
    assert run_command("--sim", path, "--json").json["makespan_s"] == 5


def test_recorded_decisions_need_not_fit_another_cluster(tmp_path: Path) -> None:
    """S1: --cluster replaces the cluster; on the simulated timeline no recorded host counts."""
    cluster = tmp_path / "c.toml"
    cluster.write_text(
        '[[hosts]]\nname = "x[1-3]"\ncapacity = { slots = 2 }\n[[queues]]\nname = "q"\n'
    )
    path = write(
        tmp_path / "r.jsonl",
        submit(0, "1", run_time=10, tasks=4),
        {"type": "session", "time": 0, "number": 1},
        {"type": "dispatch", "job": "1", "hosts": [{"hosts": "n1", "tasks": 4}]},
        {"type": "end", "time": 10, "job": "1", "state": "done"},
    )
    given = ("--sim", path, "--cluster", cluster, "--timeline")
    assert starts(*given, "simulated") == {"1": "0.0"}
    assert run_command(*given, "recorded").returncode == 3


def test_a_queue_refuses_users_of_a_log_that_it_does_not_take(tmp_path: Path) -> None:
    """S5, C1: what would not be taken when read back is refused and counted at once."""
    cluster = tmp_path / "c.toml"
    cluster.write_text(
        '[[hosts]]\nname = "n[1-4]"\ncapacity = { slots = 2 }\n'
        '[[queues]]\nname = "default"\nusers = ["nobody"]\n'
    )
    output = tmp_path / "o.jsonl"
    given = ("--sim", "fixtures/small.swf", "--cluster", cluster, "--sim-output", output)
    done = run_command(*given, "--json")
    assert done.json["refused"]["its queue does not take its user"] == 11
    assert run_command("--sim", output, "--sim-verify").returncode == 0


def test_a_log_is_known_by_its_content(tmp_path: Path) -> None:
    """S1: neither an odd name nor standard input hides a log."""
    text = Path("fixtures/small.swf").read_text()
    odd = tmp_path / "odd"
    odd.write_text(text)
    first = run_command("--sim", "fixtures/small.swf").stdout
    assert run_command("--sim", odd).stdout == first
    assert run_command("--sim", "-", stdin=text).stdout == first


def test_what_is_passed_over_makes_no_session(tmp_path: Path) -> None:
    """S2: killing a job that is over is nothing that happens."""
    path = write(
        tmp_path / "r.jsonl",
        submit(0, "1", run_time=5),
        {"type": "kill", "time": 50, "job": "1"},
        submit(60, "2", run_time=5),
    )
    assert run_command("--sim", path, "--json").json["sessions"] == 4


def test_what_was_killed_at_its_limit_still_was_when_the_output_is_replayed(
    tmp_path: Path,
) -> None:
    """S5: the jobs ended as in the replay that was written, also if one was suspended."""
    path = write(
        tmp_path / "r.jsonl",
        submit(0, "1", run_time=20, time_limit=10),
        submit(0, "2", run_time=20, time_limit=10, outcome="killed"),
        submit(0, "3", run_time=10, time_limit=10, outcome="killed"),
        submit(0, "4", run_time=5, time_limit=10, outcome="killed"),
        submit(0, "5", run_time=20, time_limit=30),
        {"type": "kill", "time": 15, "job": "5"},
        submit(20, "6", run_time=20, time_limit=10),
        {"type": "suspend", "time": 22, "job": "6"},
        {"type": "resume", "time": 50, "job": "6"},
        submit(60, "7", run_time=20, time_limit=10, outcome="killed"),
        {"type": "suspend", "time": 62, "job": "7"},
        {"type": "resume", "time": 90, "job": "7"},
        submit(100, "8", run_time=5, time_limit=10, outcome="killed"),
        {"type": "suspend", "time": 102, "job": "8"},
        {"type": "resume", "time": 130, "job": "8"},
        submit(200, "9", run_time=20, time_limit=10),
        {"type": "suspend", "time": 202, "job": "9"},
        {"type": "resume", "time": 230, "job": "9"},
        {"type": "requeue", "time": 232, "job": "9"},
    )
    output = tmp_path / "o.jsonl"
    given = ("--sim", path, "--enforce-limits", "--sim-output", output)
    first = run_command(*given, "--json").json
    again = run_command("--sim", output, "--json").json
    assert first["jobs"]["killed_at_limit"] == 5
    assert again["jobs"] == first["jobs"]


def test_an_output_without_enforced_limits_has_nobody_killed_at_one(tmp_path: Path) -> None:
    """S5: who ran beyond a limit and was killed when its run time was over."""
    path = write(tmp_path / "r.jsonl", submit(0, "1", run_time=20, time_limit=10, outcome="killed"))
    output = tmp_path / "o.jsonl"
    first = run_command("--sim", path, "--sim-output", output, "--json").json
    assert first["jobs"]["killed"] == 1
    assert run_command("--sim", output, "--json").json["jobs"] == first["jobs"]


def a_policy(path: Path, *lines: str) -> tuple[object, ...]:
    """Options for a policy in a file, whose session goes so for each pending *job*."""
    path.write_text(
        "from xce_core.api import HoldBack, Policy, hookimpl\n"
        "class Twice(Policy):\n"
        "    name = 'twice'\n"
        "    def elect(self, session):\n"
        "        for job in session.pending():\n"
        + "".join(f"            {line}\n" for line in lines)
        + "@hookimpl\n"
        "def xce_policies():\n"
        "    return {'twice': Twice}\n"
    )
    return "-p", path, "--policy", "twice"


def recorded_and_verified(path: Path, *given: object) -> str:
    """What a replay of the small log writes, after it was verified against itself."""
    done = run_command("--sim", "fixtures/small.swf", *given, "--sim-output", path)
    assert done.stderr == ""
    done = run_command("--sim", path, *given, "--sim-verify")
    assert done.returncode == 0, done.stderr
    assert "no mismatch" in done.stderr
    return path.read_text()


def test_a_job_held_back_and_then_started_in_one_session_verifies(tmp_path: Path) -> None:
    """S5, P5: a policy may decide twice on a job; the recording holds both and is read back."""
    given = a_policy(
        tmp_path / "twice.py",
        "if session.fits(job):",
        "    yield HoldBack(job, 'one moment')",
        "yield job",
    )
    assert "one moment" in recorded_and_verified(tmp_path / "o.jsonl", *given)


def test_of_a_job_that_pends_twice_in_one_session_the_first_pend_is_recorded(
    tmp_path: Path,
) -> None:
    """S5, P5: a policy may propose a job again; the recording is read back all the same."""
    given = a_policy(
        tmp_path / "twice.py",
        "yield HoldBack(job, 'first')",
        "yield HoldBack(job, 'second')",
        "yield job",
    )
    text = recorded_and_verified(tmp_path / "o.jsonl", *given)
    assert '"first"' in text
    assert '"second"' not in text
