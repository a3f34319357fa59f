"""Headless runs from the command line: results, statuses, files that appear whole or not."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, no_traceback, run_command

CONTENTION = "fixtures/contention.jsonl"
SMALL = "fixtures/small.swf"
BROKEN = sorted(Path(__file__).parents[2].joinpath("fixtures/broken").iterdir())


@pytest.fixture(autouse=True)
def _in_the_repository(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def test_a_recording_is_replayed_and_a_short_result_printed() -> None:
    """S1: one command replays headless and prints jobs by outcome and the waits."""
    done = run_command("--sim", CONTENTION)
    assert done.returncode == 0
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "jobs                           9",
        "  done                         7",
        "  failed                       1",
    ]
    assert "sessions                      11" in lines


def test_json_is_alone_on_standard_output() -> None:
    """S1: with --json nothing else is on standard output."""
    done = run_command("--sim", CONTENTION, "--json")
    assert done.json["format"] == "xce-result"
    assert done.json["sessions"] == 11


def test_json_and_a_file_on_standard_output_exclude_each_other() -> None:
    """S9: what would mix two things on standard output is refused as wrong usage."""
    done = run_command("--sim", CONTENTION, "--json", "--sim-output", "-")
    assert done.returncode == 2
    assert done.stdout == ""


def test_a_matching_recording_verifies() -> None:
    """S3: no mismatch is said so, with the number of decisions compared."""
    done = run_command("--sim", CONTENTION, "--sim-verify")
    assert done.returncode == 0
    assert done.stderr == "xce_scheduler: verified: 8 decisions, no mismatch\n"


def test_the_first_divergence_is_told_in_full() -> None:
    """S3: file and line, session, time, job, both decisions, and how many there are; status 1.

    In fixtures/diverges.jsonl, job 42 is recorded on n01, where too little memory is left,
    and job 41 one session early.
    """
    done = run_command("--sim", "fixtures/diverges.jsonl", "--sim-verify")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "fixtures/diverges.jsonl:27: session 7 time 1791367260 job 41",
        "  recorded: dispatch job 41 on n03 (2 tasks)",
        "  replayed: pend job 41: NO_RESOURCE: a resource falls short (license)",
        "xce_scheduler: 2 mismatches in 8 decisions compared; the first is told above",
    ]


def test_jobs_running_at_the_start_are_taken_over(tmp_path: Path) -> None:
    """S4: what the recording has running and the replay did not start is started as recorded.

    Jobs 1 and 2 run when the recording begins. Job 4 is recorded on n2 in session 42,
    where 4 slots hold jobs 2 and 3 (2 slots each) already: it pends, and is taken over
    before session 43 decides anything.
    """
    log = tmp_path / "log"
    run_command("--sim", "fixtures/running.jsonl", "--log", log)
    assert log.read_text().splitlines() == [
        "session 41 time 1000",
        "  dispatch (reconstructed) job 1 on n1 (4 tasks)",
        "  dispatch (reconstructed) job 2 on n2 (2 tasks)",
        "  dispatch job 3 on n2 (2 tasks)",
        "session 42 time 1010",
        "  pend job 4: NO_RESOURCE: a resource falls short (slots) on n[1-2]",
        "session 43 time 1020",
        "  dispatch (reconstructed) job 4 on n2 (2 tasks)",
    ]


@pytest.mark.parametrize("name", [CONTENTION, "fixtures/running.jsonl", SMALL])
def test_the_output_verifies_whatever_the_hash_seed(name: str, tmp_path: Path) -> None:
    """S5, C7, C8: two runs give the same bytes, and replaying those gives no mismatch."""
    first, second, third = (tmp_path / f"{n}.jsonl" for n in (1, 2, 3))
    assert run_command("--sim", name, "--sim-output", first, PYTHONHASHSEED="1").returncode == 0
    assert run_command("--sim", name, "--sim-output", second, PYTHONHASHSEED="2").returncode == 0
    assert first.read_bytes() == second.read_bytes()
    done = run_command("--sim", first, "--sim-verify", "--sim-output", third)
    assert done.returncode == 0, done.stderr
    assert third.read_bytes() == first.read_bytes()


def test_verify_and_output_work_through_pipes() -> None:
    """S9: standard input and output, both at once, with verification."""
    recorded = run_command("--sim", CONTENTION, "--sim-output", "-").stdout
    done = run_command("--sim", "-", "--sim-verify", "--sim-output", "-", stdin=recorded)
    assert done.returncode == 0
    assert done.stdout == recorded
    assert "verified: 14 decisions" in done.stderr


@pytest.mark.parametrize("path", BROKEN, ids=[path.name for path in BROKEN])
def test_bad_input_is_told_by_place_and_harms_nothing(path: Path, tmp_path: Path) -> None:
    """S6: file and line, status 3, no traceback, and an older output stays as it was."""
    output = tmp_path / "old.jsonl"
    output.write_text("old")
    done = run_command("--sim", path, "--sim-output", output)
    assert done.returncode == 3, done
    assert done.stderr.startswith(f"{path}:")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert output.read_text() == "old"
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--sim", "no/such/file"], 3, "no/such/file: no such file"),
        (["--sim", "fixtures"], 3, "fixtures: is a directory"),
        (["--sim", SMALL, "--cluster", "no.toml"], 3, "no.toml: no such file"),
        (["--sim", SMALL, "-o", "queue=log"], 2, "-o queue: the format has no such"),
        (["--sim", SMALL, "-o", "procs=x"], 2, "-o procs: expected a number of 1 or more"),
        (["--sim", SMALL, "--repair", "nonsense"], 2, "--repair: expected all or one of"),
        (["--sim", SMALL, "--sim-verify"], 3, "no recorded decisions to verify"),
        (["--sim", SMALL, "--sim-output", "/no/such/dir/x"], 3, "/no/such/dir/x: no such file"),
        (["--sim", CONTENTION, "--check"], 3, "is a recording; --check is for workload logs"),
        (["--sim", SMALL, "--format", "odd"], 2, "--format: no plugin reads the format odd"),
        ([], 2, "give --sim FILE"),
        (["--simulate", SMALL], 2, "No such option"),
        (["--sim", SMALL, "-o", "queues"], 2, "expected KEY=VALUE"),
        (["--sim", SMALL, "--policy", "builtin_fcsf"], 4, "did you mean builtin_fcfs?"),
        (["--sim", SMALL, "-p", "no_such_module"], 4, "plugin no_such_module: ModuleNotFoundError"),
        (["--sim", SMALL, "-p", "./no.py"], 4, "plugin ./no.py: there is no such file"),
    ],
)
def test_mistakes_have_their_status_and_one_message(
    words: list[str], status: int, said: str
) -> None:
    """S6: 2 for wrong usage, 3 for bad input, 4 for a plugin asked for by name."""
    done = run_command(*words)
    assert done.returncode == status, done
    assert said in done.stderr
    assert no_traceback(done)
    assert done.stdout == ""


def test_a_recording_cut_off_in_its_last_line_can_be_replayed_up_to_there(tmp_path: Path) -> None:
    """S6: a cut is reported, and on request the replay goes up to there."""
    whole = Path(CONTENTION).read_text()
    cut = tmp_path / "cut.jsonl"
    cut.write_text(whole[: whole.rindex('"number":11')])
    refused = run_command("--sim", cut)
    assert refused.returncode == 3
    assert "cut off" in refused.stderr
    done = run_command("--sim", cut, "--up-to-cut", "--json")
    assert done.returncode == 0
    assert done.json["sessions"] == 10


def long_log(path: Path, jobs: int) -> Path:
    """A log of many short jobs on a small machine."""
    lines = ["; MaxProcs: 4\n"]
    lines += [f"{n} {n} -1 3 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1\n" for n in range(1, jobs + 1)]
    path.write_text("".join(lines))
    return path


def started(*words: object) -> subprocess.Popen[bytes]:
    """The command, running."""
    process = subprocess.Popen(
        [*COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    return process


def test_an_interrupt_leaves_the_old_output_in_place(tmp_path: Path) -> None:
    """S5: Ctrl-C while an output is being written keeps the old one; S6: status 130."""
    output = tmp_path / "out.jsonl"
    output.write_text("old")
    process = started("--sim", long_log(tmp_path / "long.swf", 300_000), "--sim-output", output)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)  # until the new output is begun, beside the old one
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert b"interrupted" in said
    assert b"Traceback" not in said
    assert output.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_closed_pipe_ends_the_command_quietly(tmp_path: Path) -> None:
    """S6: status 141 when the reader of standard output goes away."""
    process = started("--sim", long_log(tmp_path / "long.swf", 20_000), "--sim-output", "-")
    assert process.stdout is not None
    process.stdout.read(1000)
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    assert process.wait(60) == 141
    assert said == b""


def test_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    """S7: a long run tells how far it is on standard error if that is a terminal."""
    log = long_log(tmp_path / "long.swf", 150_000)
    assert run_command("--sim", log).stderr == ""
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "--sim", str(log)], stdout=subprocess.DEVNULL, stderr=terminal
    )
    os.close(terminal)
    shown = b""
    try:
        while part := os.read(main, 4096):
            shown += part
    except OSError:  # the terminal's other end is closed
        pass
    assert process.wait(60) == 0
    assert b"jobs started" in shown
    os.close(main)


def test_the_table_of_jobs_has_a_row_for_each(tmp_path: Path) -> None:
    """S1: --jobs-csv tells of every job, those never started too."""
    done = run_command("--sim", CONTENTION, "--jobs-csv", "-")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert sorted(row["job_id"] for row in rows) == [
        *("30", "31", "32", "33", "35", "40", "41", "42", "43")
    ]
    by_id = {row["job_id"]: row for row in rows}
    assert by_id["42"]["allocated_resources"] == "2"
    assert by_id["40"]["starting_time"] == ""
    assert by_id["35"]["allocated_resources"] == "0-1"


def test_without_any_plugin_the_default_is_plain_submission_order(tmp_path: Path) -> None:
    """S8: nothing is loaded with --no-autoload, and the replay still works."""
    path = tmp_path / "open.jsonl"
    lines = [json.loads(line) for line in Path(CONTENTION).read_text().splitlines()]
    del lines[0]["policy"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run_command("--sim", path, "--no-autoload", "--json")
    assert done.returncode == 0, done.stderr
    assert done.json["sessions"] == 11


def test_a_policy_named_in_a_recording_must_be_there_already() -> None:
    """S8: input never loads code: with no plugins, the recording's policy is not found."""
    done = run_command("--sim", CONTENTION, "--no-autoload")
    assert done.returncode == 4
    assert "builtin_fcfs" in done.stderr


def test_check_tells_what_is_wrong_before_anything_runs() -> None:
    """S6: --check counts repairs and refusals by cause and runs nothing."""
    done = run_command("--sim", SMALL, "--check")
    assert done.returncode == 0
    assert "jobs" in done.stdout


def test_version_and_help_name_the_essentials() -> None:
    """S1: --version and --help."""
    assert run_command("--version").stdout.startswith("xce_scheduler ")
    told = run_command("--help").stdout
    assert "Examples:" in told
    assert "Exit status" in told


@pytest.mark.parametrize("state", ["pending", "held"])
def test_a_job_of_the_starting_state_that_is_refused_is_in_no_output(
    tmp_path: Path, state: str
) -> None:
    """S5: replayed, it would stop its strict queue; the output verifies."""
    head = {
        "type": "header", "format": "xce-recording", "version": 1, "timeline": "simulated",
        "policy": "builtin_fcfs",
        "cluster": {"hosts": [{"name": "a", "capacity": {"slots": 4}}],
                    "queues": [{"name": "s", "order": "strict"}]},
    }  # fmt: skip
    about = {"user": "bob", "queue": "s", "run_time": 5}
    starting = [
        {"type": "job", "time": 900, "job": "91", "state": state, "tasks": 1, **about},
        {"type": "job", "time": 900, "job": "90", "state": state, "tasks": 99, **about},
    ]
    submit = {"type": "submit", "time": 1000, "job": "2", "tasks": 2, **about}
    given, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    given.write_text("".join(f"{json.dumps(each)}\n" for each in (head, *starting, submit)))
    assert run_command("--sim", given, "--sim-output", out).returncode == 0
    jobs = [json.loads(line).get("job") for line in out.read_text().splitlines()]
    assert "90" not in jobs
    assert jobs[1] == "91"
    again = run_command("--sim", out, "--sim-verify")
    assert "no mismatch" in again.stderr
    assert again.returncode == 0
