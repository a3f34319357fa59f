"""Runs the command as a user does, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

COMMAND = (sys.executable, "-m", "xce_core.cli")


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.stdout)


def run_command(*words: object, stdin: str | bytes = "", **environment: str) -> Done:
    """The command with *words*, to its end."""
    done = subprocess.run(
        [*COMMAND, *map(str, words)],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
        timeout=600,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def no_traceback(done: Done) -> bool:
    """Whether the user was spared the inside of the program."""
    return "Traceback" not in done.stderr and 'File "' not in done.stderr


