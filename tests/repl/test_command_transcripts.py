"""Each command and topic of the REPL: commands in, the whole output compared.

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
    assert sorted(path.stem for path in FOLDER.glob("*.expected")) == SCRIPTS


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
