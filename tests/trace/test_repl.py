"""The trace in the real REPL: where its lines stand, and that it changes no other line."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.trace.test_example import EXAMPLE
from xce_core.cli import _guarded

FIXTURES = ("contention", "running")


def xce(
    root: Path, *arguments: str, commands: str = "", status: int = 0, name: str = "contention"
) -> list[str]:
    """The lines on standard output of one run of the interactive simulator."""
    return run_cli(
        ["--sim", f"{root}/fixtures/{name}.jsonl", "-i", *arguments], commands, status
    )[0]


def run_cli(arguments: list[str], commands: str, status: int = 0) -> tuple[list[str], str]:
    """The lines on standard output, and standard error, of the command in this process."""
    output, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO(commands))
        patch.setattr(sys, "stdout", output)
        patch.setattr(sys, "stderr", errors)
        patch.setenv("XDG_CONFIG_HOME", "/nonexistent")
        assert _guarded(arguments) == status, errors.getvalue()
    return output.getvalue().splitlines(), errors.getvalue()


def transcript(root: Path, name: str, lines: list[str], regenerate: bool) -> None:
    """Compare *lines* with a stored transcript, or store them."""
    path = root / "fixtures" / "trace" / name
    text = "\n".join(lines) + "\n"
    text = re.sub(r"(?<=stored traces: )[0-9.]+ KiB", "SIZE", text)  # which goes by the Python
    if regenerate:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


SCRIPTS = {
    "step.txt": "trace on all\nstep 4\ntrace status\nstep\n",
    "continue.txt": "trace on job 42 43 level full\ncontinue\ninfo trace 42\ninfo trace 41\n",
    "break.txt": "trace on all level full\nbreak job 42\ncontinue\ninfo trace 42\nstep\n",
    "mistakes.txt": "trace on all lines 49\ntrace on job x\ninfo trace\ninfo trace 99\ntrace\n",
    "help.txt": "help\nhelp trace\nhelp info trace\n",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_transcripts(name: str, root: Path, regenerate: bool) -> None:
    """R7.1, R7.2, R7.3, R7.4, R7.5, R1.7, R1.9, R1.11: commands in, the whole output."""
    lines = xce(root, commands=SCRIPTS[name], status=int(name == "mistakes.txt"))
    if name == "help.txt":
        lines = [text for text in lines if "race" in text or text.startswith("  ")]
        lines = lines[next(n for n, text in enumerate(lines) if text == "Trace:") :]
    transcript(root, name, lines, regenerate)


def test_the_example_in_the_repl(root: Path) -> None:
    """R7.6: as shown by `continue`, and as recalled."""
    lines = xce(root, commands="trace on all level full\ncontinue\ninfo trace 42\n")
    assert "\n".join(lines).count(EXAMPLE.rstrip("\n")) == 2


def test_continue_ends_a_range_before_the_first_trace(root: Path) -> None:
    """R7.3, R7.4: decision, trace, then the round's own line; a pending job is not idle."""
    lines = xce(root, commands="trace on job 42\ncontinue\n")
    at = lines.index(
        "[trace] job 42 session 5 position 3 level summary"
    )
    assert lines[at - 1].startswith("  pend job 42: ")
    assert lines[at - 2].startswith("session 5 ")
    rest = [text for text in lines[at + 1 :] if not text.startswith("  ")]
    assert rest[0] == "round 5 (2026-10-07 10:00:30): pending 40-43"
    assert not any("idle" in text for text in lines)


@pytest.mark.parametrize("name", FIXTURES)
@pytest.mark.parametrize("commands", ["continue\ninfo jobs\n", "step 99\ninfo host\nquit\n"])
def test_off_prints_what_is_printed_without_the_plugin(
    name: str, commands: str, root: Path
) -> None:
    """R10.4, R10.5: byte for byte."""
    with_it = xce(root, commands=commands, name=name)
    without = xce(root, "-p", "no:trace", commands=commands, name=name)
    assert with_it == without
    switched = xce(root, commands=f"trace on all\ntrace off\n{commands}", name=name)
    assert switched == without


@pytest.mark.parametrize("name", FIXTURES)
def test_tracing_changes_no_output_and_no_verdict(name: str, root: Path, tmp_path: Path) -> None:
    """R10.2, R10.3: the recording that is written, and what verification says."""
    outputs = []
    for number, command in enumerate(
        ["trace off", "trace on all", "trace on all level full", "trace on job 42"]
    ):
        path = tmp_path / f"{number}.jsonl"
        arguments = ["--sim", f"{root}/fixtures/{name}.jsonl", "-i", "--sim-verify"]
        differs = int(name == "running")  # what this recording says was decided was not
        _, errors = run_cli(
            [*arguments, "--sim-output", str(path)], f"{command}\ncontinue\n", differs
        )
        outputs.append((path.read_bytes(), errors))
    assert outputs.count(outputs[0]) == len(outputs)


def test_set_output_refuses_an_open_trace_file(root: Path, tmp_path: Path) -> None:
    """R8.4: also by a link; and a trace may not go where the output goes (R8.3)."""
    (tmp_path / "soft").symlink_to(tmp_path / "t.log")
    lines = xce(
        root,
        commands=f"trace on all file {tmp_path}/t.log\nset output {tmp_path}/soft\n"
        f"trace off\nset output {tmp_path}/out.jsonl\ntrace on all file {tmp_path}/out.jsonl\n",
        status=1,
    )
    assert any("soft" in text and "is an open trace file" in text for text in lines)
    assert lines[-1] == f"[sim] trace: {tmp_path}/out.jsonl: is the replay's output"


def test_files_are_closed_at_the_end_of_the_input(root: Path, tmp_path: Path) -> None:
    """R8.6: by quit and by the end of commands alike, all is on the disk."""
    for end in ("quit\n", ""):
        path = tmp_path / f"t{len(end)}.log"
        lines = xce(root, commands=f"trace on all file {path}\nstep 3\n{end}")
        traces = [text for text in lines if text.startswith("[trace]")]
        written = path.read_text().splitlines()
        assert [text for text in written if text.startswith("[trace]")] == traces
        assert len(traces) == 3


def test_the_simulator_without_the_plugin(root: Path) -> None:
    """R11.1: the command and the topic are the plugin's."""
    lines = xce(root, "-p", "no:trace", commands="trace on all\ninfo trace 1\n", status=1)
    assert lines == [
        "unknown command trace; help lists them",
        "unknown info topic trace; info lists them",
    ]


HEADLESS = """
import sys
from xce_core.cli import _guarded
status = _guarded(sys.argv[1:])
loaded = [m for m in sys.modules if m.startswith(("xce_plugins.trace", "xce_repl"))]
loaded += ["xce_core.sched.watch"] if "xce_core.sched.watch" in sys.modules else []
print(status, loaded)
"""


def test_a_headless_run_loads_no_trace_plugin(root: Path) -> None:
    """R11.1, R11.3: neither it, nor the REPL, nor what watches."""
    done = subprocess.run(
        [sys.executable, "-c", HEADLESS, "--sim", "fixtures/contention.jsonl"],
        capture_output=True, text=True, cwd=root, check=True,
    )
    status, loaded = done.stdout.splitlines()[-1].split(" ", 1)
    assert status == "0"
    assert "xce_plugins.trace" not in loaded
    assert "xce_repl" not in loaded


POLICY = '''
from xce_core.hookspecs import hookimpl
from xce_core.sched.policy import Policy


class Latest(Policy):
    """The latest first."""

    name = "latest"

    def key(self, job, queue):
        return (-job.queue_time,)

    def remarks(self, job, queue):
        return {"arrival": str(job.queue_time)}


@hookimpl
def xce_policies():
    return {"latest": Latest}


@hookimpl
def xce_plan_begun(number):
    """A policy may look on, too."""
'''


def test_a_third_party_policy_works_in_all_three(root: Path, tmp_path: Path) -> None:
    """R11.4: headless with no plugin but itself, interactive, and traced."""
    path = tmp_path / "latest.py"
    path.write_text(POLICY)
    recording = f"{root}/fixtures/contention.jsonl"
    alone, _ = run_cli(
        ["--sim", recording, "-p", str(path), "--policy", "latest", "--no-autoload"], ""
    )
    assert any("dispatches" in text for text in alone)
    extra = ["-p", str(path), "--policy", "latest"]
    plain = xce(root, *extra, commands="continue\n")
    traced = xce(root, *extra, commands="trace on job 42\ncontinue\n")
    assert [text for text in traced if text.startswith("round")][-1] == [
        text for text in plain if text.startswith("round")
    ][-1]
    (selection,) = {text for text in traced if text.startswith("  selection")}
    assert selection == (
        "  selection: policy latest queue normal (priority 50) job priority 0"
        " queued 2026-10-07 10:00:01 arrival 1791367201"
    )
