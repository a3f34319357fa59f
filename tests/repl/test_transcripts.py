"""Transcripts: commands in, the whole output compared; `pytest --regenerate` writes them anew."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.repl.harness import FIXTURES, program

SCRIPTS = sorted(path.stem for path in FIXTURES.glob("*.script"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_transcript(name: str, inputs: Path, regenerate: bool) -> None:
    """I1, I2, I3, I4, S1: what each command says, to the letter.

    The first line of a script gives the arguments of the program, after ``#``. Commands are
    echoed, so that a transcript can be read by itself.
    """
    script = (FIXTURES / f"{name}.script").read_text(encoding="utf-8")
    head, _, commands = script.partition("\n")
    arguments = shlex.split(head.removeprefix("# xce_scheduler"))
    said = program("-p", "no:trace", *arguments, "-i", "--ex", "set echo on", typed=commands)
    found = f"{said.output}[status {said.status}]\n{said.errors}"
    expected = FIXTURES / f"{name}.expected"
    if regenerate:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


def test_every_transcript_has_its_script() -> None:
    """No transcript is left over from a script that is gone."""
    assert {path.stem for path in FIXTURES.glob("*.expected")} == set(SCRIPTS)


def test_every_command_and_topic_has_a_transcript(inputs: Path) -> None:
    """I1: no built-in command, topic or parameter is left out."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in FIXTURES.glob("*.script"))
    said = program("--sim", "small.swf", "-p", "no:trace", "-i", typed="help\nset\n")
    forms = [line.split()[:2] for line in said.lines if line.startswith("  ")]
    missing = [
        " ".join(words)
        for words in forms
        if (" ".join(words) if words[0] in ("info", "set") else words[0]) not in text
    ]
    assert missing == ["info TOPIC", "set PARAMETER"]
