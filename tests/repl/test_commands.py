"""The command line of the REPL, scripts, errors and ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repl.harness import program, repl

PROGRAM = [sys.executable, "-m", "xce_core.cli"]


def test_commands_of_the_command_line_run_in_order(inputs: Path) -> None:
    """I2: -x and --ex as they were given, then standard input; -ex is the same as --ex."""
    Path("a.xce").write_text("step\n")
    said = program(
        "--sim", "small.swf", "-i", "-p", "no:trace", "-ex", "show units", "-x", "a.xce",
        "--ex", "info time", typed="show timezone\n",
    )  # fmt: skip
    assert said.lines[0] == "units auto"
    assert said.lines[1] == "session 1 (1970-01-01 00:00:00)"
    assert said.lines[3] == "session 1"
    assert said.lines[-1] == "timezone UTC"
    assert said.status == 0


def test_a_failed_command_ends_its_file_and_the_program(inputs: Path) -> None:
    """I2, S6: with FILE:LINE and status 1; standard input is not read any more."""
    Path("a.xce").write_text("# a comment\n\nstep\nstop\nstep\n")
    said = program("--sim", "small.swf", "-i", "-x", "a.xce", "--ex", "step", typed="step\n")
    assert said.lines[2:] == ["a.xce:4: unknown command stop; did you mean step?"]
    assert said.status == 1


def test_keep_going(inputs: Path) -> None:
    """I2: what follows a failed command is run; the status tells of it all the same."""
    Path("a.xce").write_text("nonsense\nsource b.xce\nshow units\n")
    Path("b.xce").write_text("nonsense\nshow echo\n")
    first = ("-x", "a.xce", "--ex", "x")
    said = program("--sim", "small.swf", "-i", *first, "--keep-going", "--batch")
    assert said.lines == [
        "a.xce:1: unknown command nonsense; help lists them",
        "b.xce:1: unknown command nonsense; help lists them",
        "echo off",
        "units auto",
        "--ex:1: unknown command x; help lists them",
    ]
    assert said.status == 1


def test_batch_reads_no_standard_input(inputs: Path) -> None:
    """I2: --batch leaves after the commands given; a command that fails is status 1."""
    said = program("--sim", "small.swf", "-i", "--batch", "--ex", "show echo", typed="step\n")
    assert (said.lines, said.status) == (["echo off"], 0)
    assert program("--sim", "small.swf", "-i", "--batch", "--ex", "step x").status == 1


def test_quit_in_a_file_leaves(inputs: Path) -> None:
    """I2: also what comes after the file is left out."""
    Path("a.xce").write_text("show echo\nquit\nshow units\n")
    said = program("--sim", "small.swf", "-i", "-x", "a.xce", "--ex", "show units", typed="step\n")
    assert (said.lines, said.status) == (["echo off"], 0)


def test_a_file_that_is_missing(inputs: Path) -> None:
    """I2, S1: one line, status 1; standard input is not read."""
    said = program("--sim", "small.swf", "-i", "-x", "nowhere/a.xce", typed="step\n")
    assert (said.lines, said.status) == (["nowhere/a.xce: no such file or directory"], 1)


def test_a_list_of_commands_goes_on_if_it_is_told_to(inputs: Path) -> None:
    """I2: --keep-going holds for the commands of a breakpoint as for files."""
    text = "break dispatch\ncommands 1\nnonsense\nshow echo\nend\nc\n"
    for options, last in ((), "breakpoint 1:1: unknown command nonsense; help lists them"), (
        ("--keep-going",), "echo off"
    ):  # fmt: skip
        said = program("--sim", "small.swf", "-i", *options, typed=text)
        assert (said.lines[-1], said.status) == (last, 1)


def test_standard_input_goes_on_after_a_failed_command(inputs: Path) -> None:
    """I2: no prompt, no banner; an empty line does nothing; end of input is a clean end."""
    said = repl("small.swf", "step", "", "nonsense", "info time")
    assert said.lines == [
        "session 1 (1970-01-01 00:00:00)",
        "  dispatch job 1 on n[1-2] (2 tasks each)",
        "unknown command nonsense; help lists them",
        "session 1",
        "time 1970-01-01 00:00:00 (0)",
        "events 1 done, 10 left",
    ]
    assert said.status == 1


def test_a_pipe_is_no_terminal(inputs: Path) -> None:
    """I2: no prompt, no banner, no colour, whatever the terminal can show."""
    done = subprocess.run(
        [*PROGRAM, "--sim", "small.swf", "-i"], input="step\n\n\nstap\nshow echo", text=True,
        capture_output=True, check=False, env={**os.environ, "TERM": "xterm-256color"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "session 1 (1970-01-01 00:00:00)",
        "  dispatch job 1 on n[1-2] (2 tasks each)",
        "unknown command stap; did you mean step?",
        "echo off",
    ]


@pytest.mark.parametrize("commands", ["", "\n", "# nothing\n"])
def test_no_commands_at_all(commands: str, inputs: Path) -> None:
    """I2: the end of the input is a clean end."""
    said = program("--sim", "small.swf", "-i", typed=commands)
    assert (said.status, said.output, said.errors) == (0, "", "")


def test_an_input_that_is_not_there(inputs: Path) -> None:
    """S1, I2: told once, before any command."""
    said = program("--sim", "nowhere.jsonl", "-i", typed="step\n")
    assert (said.status, said.output) == (3, "")
    assert said.errors.count("nowhere.jsonl: no such file") == 1


def test_a_time_zone_that_is_not_known_is_told(inputs: Path) -> None:
    """S6: the recording is replayed all the same, with times in UTC."""
    text = Path("contention.jsonl").read_text()
    Path("odd.jsonl").write_text(text.replace('"time_zone":"UTC"', '"time_zone":"Mars/Base"', 1))
    said = repl("odd.jsonl", "show timezone", "step")
    assert said.lines[:3] == [
        "time zone of the input: expected a time zone such as UTC or Europe/Paris,"
        " found Mars/Base; UTC is used",
        "timezone UTC",
        "session 1 (2026-10-07 10:00:00)",
    ]
    assert said.status == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--batch",),
        ("--ex", "step"),
        ("-x", "a.xce"),
        ("--keep-going",),
        ("--no-init",),
        ("-i", "--json"),
        ("-i", "--check"),
    ],
)
def test_options_that_do_not_go_together(arguments: tuple[str, ...], inputs: Path) -> None:
    """S6: wrong usage is status 2."""
    assert program("--sim", "small.swf", *arguments).status == 2


def test_the_input_may_be_standard_input(inputs: Path) -> None:
    """S9: commands then come from the command line, and what needs the input again is refused."""
    text = Path("mixed.jsonl").read_text()
    command = [*PROGRAM, "--sim", "-", "-i", "--batch", "--keep-going"]
    for ex in ("step", "restart", "finish", "snapshot x", "info time", "c"):
        command += ["--ex", ex]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[2] == (
        "--ex:1: restart: the input is standard input, which can't be read again"
    )
    assert "events 2 done, an unknown number left" in done.stdout
    assert "end of trace" in done.stdout
    assert done.returncode == 1
    assert program("--sim", "-", "-i").status == 2


TURNED_AWAY = [
    {"type": "header", "format": "xce-recording", "version": 1, "timeline": "simulated",
     "policy": "builtin_fcfs", "cluster": {"hosts": [{"name": "n1", "capacity": {"slots": 4}}],
                                           "queues": [{"name": "normal"}]}},
    {"type": "submit", "time": 0, "job": "9", "queue": "normal", "tasks": 5, "run_time": 1},
    {"type": "submit", "time": 0, "job": "1", "queue": "normal", "tasks": 4, "run_time": 100},
    {"type": "submit", "time": 10, "job": "2", "queue": "normal", "tasks": 4, "run_time": 10},
    {"type": "submit", "time": 20, "job": "3", "queue": "normal", "tasks": 5, "run_time": 1},
    {"type": "submit", "time": 30, "job": "4[1-2]", "queue": "normal", "tasks": 9, "run_time": 1},
]  # fmt: skip
"""Jobs that a host of four slots can't take, among others that it can."""


def test_a_job_that_is_refused_when_it_comes_has_a_line(inputs: Path) -> None:
    """I1, I4: where it happened, between the rounds and before the session that follows."""
    head, *events = TURNED_AWAY
    early = {**events[0], "type": "job", "job": "8", "state": "pending"}
    texts = [json.dumps(each) for each in (head, early, *events)]
    Path("away.jsonl").write_text("".join(f"{text}\n" for text in texts))
    day, why = "1970-01-01 00:0", "does not fit an empty cluster"
    rounds = [
        f"round 1 ({day}0:00): dispatched 1",
        f"round 2 ({day}0:10): pending 2",
        f"job 3 refused ({day}0:20): {why}",
        f"round 3 ({day}0:20): pending 2",
        f"job 4[1] refused ({day}0:30): {why}",
        f"job 4[2] refused ({day}0:30): {why}",
        f"round 4 ({day}0:30): pending 2",
        f"round 5 ({day}1:40): dispatched 2",
        f"round 6 ({day}1:50): idle",
        f"end of trace (session 6, {day}1:50): 0 running, 0 pending",
    ]
    whole = [f"job {job} refused ({day}0:00): {why}" for job in (8, 9)] + rounds
    assert repl("away.jsonl", "c").lines == whole
    assert repl("away.jsonl", "c", "restart", "c").lines[-len(whole) :] == whole
    head["time_zone"] = "Europe/Paris"
    Path("paris.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in (head, early)))
    for zone, hour in (("Europe/Paris", 1), ("Asia/Tokyo", 9)):
        (line,) = repl("paris.jsonl", f"set timezone {zone}", "step").lines[:1]
        assert line == f"job 8 refused (1970-01-01 0{hour}:00:00): {why}"
    assert repl("paris.jsonl", "step").lines[0].startswith("job 8 refused (1970-01-01 01:00:00)")
    stepped = repl("away.jsonl", "step 3").lines
    assert stepped == [
        *whole[:2],
        f"session 1 ({day}0:00)",
        "  dispatch job 1 on n1 (4 tasks)",
        f"session 2 ({day}0:10)",
        "  pend job 2: NO_RESOURCE: a resource falls short (slots) on n1",
        f"job 3 refused ({day}0:20): {why}",
        f"session 3 ({day}0:20)",
        "  pend job 2: NO_RESOURCE: a resource falls short (slots) on n1",
    ]


def test_bad_input_ends_the_replay_but_not_the_dialogue(inputs: Path) -> None:
    """S6: the fault is told with its line, the state can be looked at, the status is 3."""
    lines = Path("mixed.jsonl").read_text().splitlines()
    lines[6] = json.dumps({"type": "submit", "time": 0, "job": "5", "queue": "normal"})
    Path("bad.jsonl").write_text("\n".join(lines) + "\n")
    Path("out.jsonl").write_text("before\n")
    said = repl("bad.jsonl", "c", "info session", "step", "info jobs",
                options=("-p", "no:trace", "--sim-output", "out.jsonl"))  # fmt: skip
    fault = next(line for line in said.lines if line.startswith("bad.jsonl:7: time: "))
    assert "round 2 (2026-10-07 10:00:10): pending 3" in said.lines
    assert "the replay was broken off by an error; restart begins anew" in said.lines
    assert any(line.startswith("1 ") for line in said.lines)
    assert said.status == 3
    assert fault in said.errors
    assert Path("out.jsonl").read_text() == "before\n"


def test_a_closed_pipe_ends_quietly(inputs: Path) -> None:
    """S6: status 141."""
    Path("many.xce").write_text("info jobs\nhelp\n" * 2000)
    command = [*PROGRAM, "--sim", "small.swf", "-i", "-x", "many.xce"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_an_interrupt_without_a_terminal_leaves_outputs_alone(inputs: Path) -> None:
    """S6, S7: status 130, and nothing is overwritten."""
    import signal

    Path("out.jsonl").write_text("before\n")
    command = [*PROGRAM, "--sim", "small.swf", "-i", "--sim-output", "out.jsonl"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"step\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
    assert Path("out.jsonl").read_text() == "before\n"


def test_control_characters_of_an_input_are_shown_and_not_obeyed(inputs: Path) -> None:
    """S8: names can't write over the screen."""
    text = Path("mixed.jsonl").read_text()
    assert "\\u001b" not in text
    said = repl("mixed.jsonl", "info job 7\x1b[2J", "until \x07")
    assert said.lines == [
        "expected a job id such as 12 or 12[3], found 7\\x1b[2J",
        "expected a time such as 1700000000, 2026-10-07 10:00:01, 10:00:01 or +1:30:00,"
        " found \\x07",
    ]


@pytest.mark.parametrize(
    "form",
    [
        "{}", "info {}", "info host {}", "info job {}", "info jobs {}", "break {}", "step {}",
        "until {}", "delete {}", "ignore {} 1", "set units {}", "set {} on", "watch job {}",
        "break pend if {}", "help {}", "step 1 {}",
    ],
)  # fmt: skip
def test_a_message_quotes_the_beginning_of_what_is_long(form: str, inputs: Path) -> None:
    """I1: a line of whatever length is answered in one that can be read."""
    (line,) = repl("mixed.jsonl", form.format("x" * 9000)).lines
    assert "x" * 80 in line
    assert len(line) < 250


@pytest.mark.parametrize("form", ["source {}", "snapshot {}", "set output {}"])
def test_a_path_that_none_can_be(form: str, inputs: Path) -> None:
    """S6: a mistake as any other, and nothing is written."""
    before = sorted(inputs.iterdir())
    said = repl("mixed.jsonl", form.format("a\0b"), form.format("no/such/folder/a"))
    assert said.lines[0].startswith("expected the name of a file, found a\\x00b; usage: ")
    assert "no such file or directory" in said.lines[1]
    assert sorted(inputs.iterdir()) == before


def test_start_up_imports_nothing_for_a_terminal_where_there_is_none(inputs: Path) -> None:
    """S1: neither readline nor completion."""
    code = (
        "import sys; from xce_core.cli import _guarded;"
        "_guarded(['--sim', 'mixed.jsonl', '-i', '--batch']);"
        "print([m for m in ('readline', 'xce_repl.completion') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_file_of_commands_may_begin_with_a_byte_order_mark(inputs: Path) -> None:
    """I2: editors on Windows write one."""
    Path("marked.xce").write_bytes(b"\xef\xbb\xbfinfo time\r\n")
    said = repl("small.swf", "source marked.xce")
    assert said.lines[0] == "session 0"
    assert said.status == 0
