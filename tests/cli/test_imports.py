"""What each way of using the program imports: no plugin's code but what it needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import run_command
from xce_core.installed import Installed

LOADED = """
import json, sys
from xce_core.cli import _guarded
try:
    _guarded(sys.argv[1:])
except SystemExit:
    pass
sys.stdout.flush()
print()
print(json.dumps(sorted(sys.modules)))
"""

SMALL = "fixtures/small.swf"
RECORDING = "fixtures/contention.jsonl"


def loaded(*words: str, **environment: str) -> set[str]:
    """The modules that are there after a command."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words],
        capture_output=True,
        check=True,
        stdin=subprocess.DEVNULL,
        env={**environment},
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def plugins_in(modules: set[str]) -> list[str]:
    """The packages of plugins among them."""
    found = {name.split(".")[1] for name in modules if name.startswith("xce_plugins.")}
    return sorted(found)


def test_a_headless_run_imports_only_the_plugins_it_uses() -> None:
    """R11.3, R11.2: no trace plugin and no REPL in a headless run."""
    modules = loaded("--sim", SMALL)
    assert plugins_in(modules) == ["builtin_fcfs", "swf"]
    assert not [name for name in modules if name.startswith("xce_repl")]


def test_help_and_completion_import_no_plugin() -> None:
    """I1: nor the scheduler, nor what finds plugins."""
    for modules in (
        loaded("--help"),
        loaded("--version"),
        loaded(
            _XCE_SCHEDULER_COMPLETE="bash_complete", COMP_WORDS="xce_scheduler --s", COMP_CWORD="1"
        ),
    ):
        assert "xce_core.command" in modules
        assert plugins_in(modules) == []
        assert "xce_core.plugins" not in modules
        assert "xce_core.sched.scheduler" not in modules
        assert not [name for name in modules if name.startswith("xce_repl")]


def test_the_start_of_the_repl_imports_what_it_needs() -> None:
    """I1: no reader of logs for a recording, and of the trace only what looks on."""
    modules = loaded("--sim", RECORDING, "-i", "--batch")
    assert plugins_in(modules) == ["builtin_fcfs", "trace"]
    assert "xce_plugins.trace.render" not in modules
    assert "xce_plugins.trace.codec" not in modules
    assert not {"tomllib", "tomli", "zoneinfo"} & modules
    modules = loaded("--sim", SMALL, "-i", "--batch", "--ex", "trace on all", "--ex", "step")
    assert plugins_in(modules) == ["builtin_fcfs", "swf", "trace"]
    assert "xce_plugins.trace.render" in modules


def test_the_readers_are_declared_to_be_no_more() -> None:
    """P1: those that need not be loaded are installed plugins."""
    installed = Installed()
    assert installed.readers == {"slurm", "swf"}
    assert installed.readers < set(installed.plugins)
    assert Installed(frozenset({"swf"})).readers == {"slurm"}


COLLECTED = """
import gc, sys
from xce_core.api import Policy, hookimpl

class Tells(Policy):
    name = "tells"
    def elect(self, session):
        sys.stderr.write(f"collected {gc.isenabled()} session {session.number}\\n")
        for job in session.in_order():
            yield job

@hookimpl
def xce_policies():
    return {"tells": Tells}
"""


@pytest.mark.parametrize("more", [(), ("-i", "--batch", "--ex", "step")])
def test_garbage_is_collected_once_the_replay_begins(more: tuple[str, ...], tmp_path: Path) -> None:
    """S1: not so while the program is loaded, which is why it has to be seen to."""
    plugin = tmp_path / "tells.py"
    plugin.write_text(COLLECTED)
    done = run_command("--sim", SMALL, "-p", plugin, "--policy", "tells", *more)
    assert done.stderr.splitlines()[0] == "collected True session 1"
