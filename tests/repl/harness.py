"""Running the interactive simulator inside a test, its output caught as a whole."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from xce_core import plugins as core_plugins
from xce_core.cli import _guarded

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "fixtures" / "repl"
INPUTS = tuple(ROOT / "fixtures" / n for n in ("small.swf", "running.jsonl", "contention.jsonl"))


@dataclass(frozen=True, slots=True)
class Said:
    """What a run of the program said, and its exit status."""

    status: int
    output: str
    errors: str

    @property
    def lines(self) -> list[str]:
        """The output's lines."""
        return self.output.splitlines()


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder but for the inputs, and no settings of whoever runs the tests."""
    for path in (*INPUTS, *FIXTURES.glob("*.jsonl"), *FIXTURES.glob("*.xce")):
        shutil.copy(path, tmp_path)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Plugins by name, to be loaded with ``-p NAME`` as if they were modules."""
    found: dict[str, Any] = {}
    plain = core_plugins.importlib.import_module
    monkeypatch.setattr(
        core_plugins.importlib, "import_module", lambda name: found.get(name) or plain(name)
    )
    return found


def program(*arguments: str, typed: str = "") -> Said:
    """Run the program with *typed* on its standard input, which is no terminal."""
    output, errors = io.StringIO(), io.StringIO()
    with (
        _stdin(typed),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        status = _guarded(list(arguments))
    return Said(status, output.getvalue(), errors.getvalue())


def repl(sim: str, *commands: str, options: tuple[str, ...] = ("-p", "no:trace")) -> Said:
    """Run the interactive simulator on *commands*, without the trace unless *options* say so."""
    return program("--sim", sim, "-i", *options, typed="".join(f"{c}\n" for c in commands))


def with_plugin(sim: str, name: str, *commands: str, more: tuple[str, ...] = ()) -> Said:
    """The REPL with a plugin, and no others but the policy."""
    own = ("--no-autoload", "-p", "builtin_fcfs", "-p", "swf", "-p", name, *more)
    own += ("--policy", "builtin_fcfs")
    return repl(sim, *commands, options=own)


@contextmanager
def _stdin(text: str) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before
