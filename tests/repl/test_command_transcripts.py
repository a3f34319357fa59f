"""Each command and topic of the REPL, and lists of commands: what goes in, all that comes out.

A ``.script`` under ``fixtures/repl/commands`` begins with the command line that opens the
simulator; the rest is what is typed. The ``.expected`` beside it is what a reader sees, with
the commands shown (``set echo on``) and the exit status in the last line. ``$TMP`` stands for
an empty folder. ``pytest --regenerate`` writes them anew.
"""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.command import run_command
from xce_core.cli import _guarded

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "repl" / "commands"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.script"))


def xce(arguments: Sequence[object], commands: str = "") -> tuple[int, str, str]:
    """Status, standard output and standard error of the command, run in this process."""
    output, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO(commands))
        patch.setattr(sys, "stdout", output)
        patch.setattr(sys, "stderr", errors)
        patch.setenv("XDG_CONFIG_HOME", "/nonexistent")
        status = _guarded([str(word) for word in arguments])
    return status, output.getvalue(), errors.getvalue()


def replayed(path: Path, tmp_path: Path) -> str:
    """The transcript of the script at *path*, as it is stored."""
    script = path.read_text()
    _, name, *arguments = shlex.split(script.partition("\n")[0])
    assert name == "xce_scheduler"
    status, output, errors = xce(
        [*arguments, "--ex", "set echo on"], script.replace("$TMP", str(tmp_path))
    )
    shown = output.replace(str(tmp_path), "$TMP") + "".join(
        f"stderr: {line}\n" for line in errors.splitlines()
    )
    return f"{shown}status {status}\n"


@pytest.mark.parametrize("name", SCRIPTS)
def test_transcript(
    name: str, root: Path, tmp_path: Path, regenerate: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I1, I2, I4, S1: what each command prints, to the byte."""
    monkeypatch.chdir(root)
    transcript = replayed(FOLDER / f"{name}.script", tmp_path)
    expected = FOLDER / f"{name}.expected"
    if regenerate:
        expected.write_text(transcript)
    assert transcript == expected.read_text()


def test_every_transcript_has_its_script() -> None:
    """No transcript is left over from a script that is gone."""
    assert {path.stem for path in FOLDER.glob("*.expected")} <= set(SCRIPTS)


def test_a_snapshot_goes_on_as_the_replay_would_have(root: Path, tmp_path: Path) -> None:
    """I1: from there on, the same decisions; verification finds no mismatch."""
    path = tmp_path / "here.jsonl"
    commands = f"until #5\nsnapshot {path}\nset echo on\ncontinue\ninfo host\ninfo jobs\n"
    _, output, _ = xce(["--sim", root / "fixtures/contention.jsonl", "-i"], commands)
    going_on = output[output.index("(xce) continue") :].splitlines()
    status, output, errors = xce(
        ["--sim", path, "--sim-verify", "-i"], "set echo on\ncontinue\ninfo host\ninfo jobs\n"
    )
    resumed = output.replace("taken over 30-33,35; ", "").splitlines()
    assert (status, resumed) == (0, going_on)
    assert "no mismatch" in errors


# However the replay is moved on, it decides the same.

INPUTS = ("contention.jsonl", "running.jsonl", "small.swf")
WAYS = {
    "continue": "continue\n",
    "step through": "step 100000\n",
    "step by step": "step\n" * 60,
    "session by session": "step\nfinish\n" * 40,
    "until": "until +15\nstep 2\nfinish\nuntil +100\ncontinue\n",
    "over breakpoints": "break dispatch\nbreak pend if wait > 5\n" + "continue\n" * 80,
    "past breakpoints": "break dispatch if tasks > 1000\nwatch job 4.state if pending > 99\n"
    "continue\ncontinue\ncontinue\n",
    "with questions": "step 3\ninfo jobs\ninfo host\ninfo limit\ninfo job 3\ncontinue\n",
    "begun anew": "step 5\nrestart\ncontinue\nrestart\nstep 4\ncontinue\n",
}


@pytest.fixture(scope="module")
def headless(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What each input's replay writes without the REPL."""
    found = {}
    for name in INPUTS:
        path = tmp_path_factory.mktemp("headless") / "out.jsonl"
        status, _, errors = xce(["--sim", root / "fixtures" / name, "--sim-output", path])
        assert status == 0, errors
        found[name] = path.read_bytes()
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", INPUTS)
def test_the_output_is_the_same(
    name: str, way: str, root: Path, tmp_path: Path, headless: dict[str, bytes]
) -> None:
    """S1, I1, R10.4: stepping, continuing or headless: the same bytes."""
    path = tmp_path / "out.jsonl"
    words = ["--sim", root / "fixtures" / name, "-i", "--sim-output", path]
    _, output, _ = xce(words, WAYS[way])
    assert "end of trace" in output
    assert path.read_bytes() == headless[name]


@pytest.mark.parametrize("name", INPUTS)
def test_the_output_that_is_set(
    name: str, root: Path, tmp_path: Path, headless: dict[str, bytes]
) -> None:
    """I1: ``set output`` writes what ``--sim-output`` does."""
    path = tmp_path / "out.jsonl"
    commands = f"set output {path}\nstep 3\ncontinue\n"
    status, _, errors = xce(["--sim", root / "fixtures" / name, "-i"], commands)
    assert (status, path.read_bytes()) == (0, headless[name]), errors


def test_an_output_ends_with_a_whole_session(root: Path, tmp_path: Path) -> None:
    """S1, I1: who leaves inside a session finds it finished in the output."""
    sim = root / "fixtures/contention.jsonl"
    paths = [tmp_path / "inside.jsonl", tmp_path / "after.jsonl"]
    for path, commands in zip(paths, ("step 2\nquit\n", "step 2\nfinish\nquit\n"), strict=True):
        assert xce(["--sim", sim, "-i", "--sim-output", path], commands)[0] == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    status, _, errors = xce(["--sim", paths[0], "--sim-verify"])
    assert status == 0, errors


# How lists of commands are run.

SESSION = "session 1 (2026-10-07 10:00:00)"
DECISIONS = [
    "  dispatch job 30 on n02 (64 tasks)",
    "  dispatch job 31 on n01 (32 tasks)",
    "  dispatch job 32 on n03 (1 task)",
    "  dispatch job 33 on n03 (4 tasks)",
]


@pytest.fixture
def sim(root: Path) -> list[object]:
    """The words that open the REPL on a small recording."""
    return ["--sim", root / "fixtures/contention.jsonl", "-i"]


def script(path: Path, text: str) -> Path:
    """A file of commands."""
    path.write_text(text)
    return path


def test_a_failing_script_names_file_and_line(sim: list[object], tmp_path: Path) -> None:
    """I2, S1: it ends there, what is piped in is not run, and the status is 1."""
    file = script(tmp_path / "cmds", "# comment\n\nstep\nstap\nstep\n")
    status, output, _ = xce([*sim, "-x", file], "step\n")
    assert (status, output.splitlines()) == (1, [
        SESSION, DECISIONS[0], f"{file}:4: unknown command stap; did you mean step?"
    ])  # fmt: skip


def test_a_script_that_is_missing(sim: list[object]) -> None:
    """I2, S1: one line, status 1."""
    assert xce([*sim, "-x", "/nowhere/cmds"], "step\n") == (
        1, "/nowhere/cmds: no such file or directory\n", ""
    )  # fmt: skip


def test_keep_going(sim: list[object], tmp_path: Path) -> None:
    """I2: what follows a mistake is run; the status is still 1."""
    file = script(tmp_path / "cmds", "step\nstap\nstep\n")
    status, output, _ = xce([*sim, "-x", file, "--ex", "stop", "--keep-going"], "step\n")
    assert (status, output.splitlines()) == (1, [
        SESSION, DECISIONS[0], f"{file}:2: unknown command stap; did you mean step?",
        DECISIONS[1], "--ex:1: unknown command stop; did you mean step?", DECISIONS[2],
    ])  # fmt: skip


def test_scripts_and_commands_run_in_their_order(sim: list[object], tmp_path: Path) -> None:
    """I2: ``-x`` and ``-ex`` as they stand on the command line, then what is piped in."""
    file = script(tmp_path / "cmds", "info time\n")
    status, output, _ = xce([*sim, "-ex", "step", "-x", file, "-ex", "step"], "step\n")
    assert status == 0
    assert [line for line in output.splitlines() if "dispatch" in line] == DECISIONS[:3]
    assert output.splitlines()[2] == "session 1"


def test_batch_leaves_after_them(sim: list[object]) -> None:
    """I2: nothing is read from standard input."""
    status, output, _ = xce([*sim, "--ex", "step", "--batch"], "step\n")
    assert (status, output.splitlines()) == (0, [SESSION, DECISIONS[0]])
    assert xce([*sim, "--ex", "stap", "--batch"])[0] == 1


def test_quit_in_a_script_leaves(sim: list[object], tmp_path: Path) -> None:
    """I2: also what comes after it is left out."""
    file = script(tmp_path / "cmds", "step\nquit\nstep\n")
    status, output, _ = xce([*sim, "-x", file, "--ex", "step"], "step\n")
    assert (status, output.splitlines()) == (0, [SESSION, DECISIONS[0]])


def test_scripts_may_nest_but_not_without_end(sim: list[object], tmp_path: Path) -> None:
    """I2: a file that names itself is a mistake like any other."""
    file = tmp_path / "cmds"
    script(file, f"info time\nsource {file}\n")
    status, output, _ = xce([*sim, "-x", file])
    assert status == 1
    assert output.splitlines()[-1] == f"{file}:2: more than 20 files of commands are nested"


def test_pipes(sim: list[object]) -> None:
    """I2: no terminal: no prompt, no banner, no colour; an empty line repeats nothing."""
    done = run_command(*sim, stdin="step\n\n\nstap\nstep", TERM="xterm")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        SESSION, DECISIONS[0], "unknown command stap; did you mean step?", DECISIONS[1]
    ]  # fmt: skip


@pytest.mark.parametrize("commands", ["", "\n", "# nothing\n"])
def test_no_commands_at_all(sim: list[object], commands: str) -> None:
    """I2: the end of the input is a clean end."""
    assert xce(sim, commands) == (0, "", "")


def test_an_input_that_is_not_there(root: Path) -> None:
    """S1, I2: told once, before any prompt."""
    status, output, errors = xce(["--sim", root / "fixtures/nowhere.jsonl", "-i"], "step\n")
    assert (status, output) == (3, "")
    assert "nowhere.jsonl: no such file" in errors.lower()
