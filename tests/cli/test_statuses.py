"""Every way out of the command: its status, one message, and no harm to any file."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.command import COMMAND, Done, no_traceback, run_command
from tests.cli.test_headless import long_log, started

CONTENTION = "fixtures/contention.jsonl"
SMALL = "fixtures/small.swf"


@pytest.fixture(autouse=True)
def _in_the_repository(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)


def in_shell(words: str, redirected: str, before: str = "") -> Done:
    """The command with *words* and redirections, as a shell runs it."""
    text = f"{before} {shlex.join(COMMAND)} {words} {redirected}"
    done = subprocess.run(["bash", "-c", text], capture_output=True, check=False, timeout=60)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


# Outputs that would destroy something.


@pytest.mark.parametrize("flag", ["--sim-output", "--jobs-csv", "--log"])
@pytest.mark.parametrize("way", ["same", "hard", "soft", "folder"])
def test_an_output_over_the_input_is_refused(flag: str, way: str, tmp_path: Path) -> None:
    """R8.3, S6: compared as files, before anything is opened; the input stays as it was."""
    source = tmp_path / "a.jsonl"
    source.write_bytes(Path(CONTENTION).read_bytes())
    (tmp_path / "soft").symlink_to(source)
    os.link(source, tmp_path / "hard")
    (tmp_path / "folder").symlink_to(tmp_path)
    names = {"same": "a.jsonl", "hard": "hard", "soft": "soft", "folder": "folder/a.jsonl"}
    for more in ([], ["-i", "--batch"]):
        done = run_command("--sim", source, flag, tmp_path / names[way], *more)
        assert done.returncode == 2
        assert f"{flag} would overwrite what --sim reads" in done.stderr
        assert done.stdout == ""
        assert source.read_bytes() == Path(CONTENTION).read_bytes()
        assert not (tmp_path / names[way]).is_symlink() or way == "soft"


def test_other_inputs_are_not_overwritten_either(tmp_path: Path) -> None:
    """S6: the cluster file, files of commands, plugins and files that options name."""
    for flag, name, value in (
        ("--cluster", "c.toml", "c.toml"), ("-x", "x.txt", "x.txt"), ("-p", "p.py", "./p.py"),
        ("-o", "nodes.txt", "scontrol=nodes.txt"),
    ):
        (tmp_path / name).write_text("precious")
        words = [*COMMAND, "--sim", "x.swf", flag, value, "--log", name]
        root = Path.cwd()
        environment = {**os.environ, "PYTHONPATH": str(root)}
        done = subprocess.run(
            words, cwd=tmp_path, capture_output=True, check=False, env=environment
        )
        assert done.returncode == 2, done
        assert f"--log would overwrite what {flag} reads".encode() in done.stderr
        assert (tmp_path / name).read_text() == "precious"


def test_redirected_streams_are_files_too(tmp_path: Path) -> None:
    """R8.3, S9: standard input and output that the shell opened."""
    source = tmp_path / "a.jsonl"
    source.write_bytes(Path(CONTENTION).read_bytes())
    done = in_shell(f"--sim - --log {source}", f"< {source}")
    assert done.returncode == 2
    done = in_shell(f"--sim {source}", f">> {source}")
    assert done.returncode == 2
    assert source.read_bytes() == Path(CONTENTION).read_bytes()
    assert in_shell(f"--sim {source} --log {tmp_path}/o", f"> {tmp_path}/o").returncode == 2


def test_two_outputs_do_not_share_a_place(tmp_path: Path) -> None:
    """S9: by name or by link, there already or not; only the null device takes any number."""
    (tmp_path / "link").symlink_to(tmp_path / "out")
    for _ in range(2):
        words = ["--sim", SMALL, "--log", tmp_path / "out", "--jobs-csv", tmp_path / "link"]
        done = run_command(*words)
        assert done.returncode == 2
        assert "--jobs-csv and --log would both write to" in done.stderr
        (tmp_path / "out").write_text("")
    done = run_command("--sim", SMALL, "--log", "/dev/null", "--jobs-csv", "/dev/null")
    assert done.returncode == 0


# Outputs that can't be written.


@pytest.mark.parametrize(
    ("words", "redirected", "said"),
    [
        (f"--sim {CONTENTION}", "> /dev/full", "standard output: no space left on device"),
        (f"--sim {CONTENTION} --json", "> /dev/full", "standard output: no space left on device"),
        (f"--sim {CONTENTION} --sim-output -", "> /dev/full", "standard output: no space left"),
        (f"--sim {CONTENTION} --sim-verify", "> /dev/full", "standard output: no space left"),
        ("--sim fixtures/diverges.jsonl --sim-verify", "> /dev/full", "standard output: no space"),
        (f"--sim {CONTENTION} -i --batch --ex step", "> /dev/full", "standard output: no space"),
        ("--help", "> /dev/full", "standard output: no space left on device"),
        ("plugins", "> /dev/full", "standard output: no space left on device"),
        ("formats --help", "> /dev/full", "standard output: no space left on device"),
        ("--version", "> /dev/full", "standard output: no space left on device"),
        (f"--sim {CONTENTION}", ">&-", "standard output: is closed"),
        (f"--sim {CONTENTION} --sim-output -", ">&-", "standard output: is closed"),
        ("--help", ">&-", "standard output: is closed"),
        (f"--sim {CONTENTION} --sim-output /dev/full", "", "/dev/full: no space left on device"),
        (f"--sim {CONTENTION} --sim-verify", "2> /dev/full", ""),
    ],
)
def test_what_can_not_be_written_has_status_3(words: str, redirected: str, said: str) -> None:
    """S6: a message where one is possible; never 1, which is a mismatch, and no traceback."""
    done = in_shell(words, redirected)
    assert done.returncode == 3, done
    assert said in done.stderr
    assert no_traceback(done)
    assert "internal" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (f"--sim {CONTENTION}", 0),
        (f"--sim {CONTENTION} --sim-verify", 0),
        ("--sim fixtures/diverges.jsonl --sim-verify", 1),
        ("--sim nope", 3),
        ("--nope", 2),
        (f"--sim {CONTENTION} --policy nope", 4),
    ],
)
def test_without_a_standard_error_the_status_tells(words: str, status: int) -> None:
    """S6: a closed standard error is one that nobody wants to read."""
    assert in_shell(words, "2>&-").returncode == status
    if status > 1:
        assert in_shell(words, "2> /dev/full").returncode == status


def test_a_file_grown_too_large_is_named_and_removed(tmp_path: Path) -> None:
    """S5, S6: a write error in the middle names the output; nothing is left beside it."""
    log = long_log(tmp_path / "long.swf", 5_000)
    (tmp_path / "out").write_text("old")
    for flag in ("--sim-output", "--jobs-csv", "--log"):
        done = in_shell(f"--sim {log} {flag} {tmp_path}/out", "", "ulimit -f 64;")
        assert done.returncode == 3, done
        assert done.stderr == f"{tmp_path}/out: file too large\n"
        assert (tmp_path / "out").read_text() == "old"
        assert sorted(os.listdir(tmp_path)) == ["long.swf", "out"]
    done = in_shell(f"--sim {log} --sim-output -", f"> {tmp_path}/out", "ulimit -f 64;")
    assert done.returncode == 3
    assert done.stderr == "standard output: file too large\n"


# Signals.


@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        (signal.SIGTERM, 143, b"terminated"),
        (signal.SIGHUP, 129, b"hung up"),
        (signal.SIGINT, 130, b"interrupted"),
    ],
)
def test_signals_leave_nothing_behind(
    number: signal.Signals, status: int, said: bytes, tmp_path: Path
) -> None:
    """S5: the same clean way out for all; the old output stays."""
    output = tmp_path / "out.jsonl"
    output.write_text("old")
    process = started("--sim", long_log(tmp_path / "long.swf", 300_000), "--sim-output", output)
    deadline = time.monotonic() + 60
    while len(list(tmp_path.iterdir())) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    _, told = process.communicate(timeout=60)
    assert process.returncode == status, told
    assert told.strip() == b"xce_scheduler: " + said + b"; outputs were left as they were"
    assert len(told.splitlines()) <= 2
    assert output.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_an_ignored_hangup_stays_ignored(tmp_path: Path) -> None:
    """S6: as ``nohup`` wants it."""
    log = long_log(tmp_path / "long.swf", 20_000)
    text = f"trap '' HUP; exec {shlex.join(COMMAND)} --sim {log}"
    process = subprocess.Popen(["bash", "-c", text], stdout=subprocess.DEVNULL)
    time.sleep(0.7)
    process.send_signal(signal.SIGHUP)
    assert process.wait(60) == 0


def test_an_early_interrupt_shows_no_traceback() -> None:
    """S6: also while the program is being imported."""
    code = (
        "import os, signal, sys, builtins\n"
        "from xce_core.cli import main\n"
        "real, wanted = builtins.__import__, sys.argv[1]\n"
        "def stop(name, *rest):\n"
        "    if name == wanted: raise KeyboardInterrupt\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = stop\n"
        "sys.argv[1:] = ['--sim', 'fixtures/small.swf']\n"
        "main()\n"
    )
    for module in ("click", "xce_core.sim.workload"):
        done = subprocess.run(
            [COMMAND[0], "-c", code, module], capture_output=True, text=True, check=False
        )
        assert done.returncode == 130, done
        assert done.stderr.strip() == "xce_scheduler: interrupted; outputs were left as they were"


@pytest.mark.parametrize("words", ["--help", "--sim nope", "plugins", "formats", "--version",
                                   "plugins --help", f"--sim {CONTENTION} --json", "--nope"])
def test_a_closed_pipe_has_one_status(words: str) -> None:
    """S6: 141, whatever was about to be said, and quietly."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*COMMAND, *words.split()], stdout=write, stderr=write, check=False, timeout=60
    )
    os.close(write)
    assert done.returncode == 141


# Usage.


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"--sim {SMALL} --check --json", "--json does not go with --check"),
        (f"--sim {SMALL} --check --sim-output o", "--sim-output does not go with --check"),
        (f"--sim {SMALL} --check --jobs-csv o", "--jobs-csv does not go with --check"),
        (f"--sim {SMALL} --check --log o", "--log does not go with --check"),
        (f"--sim {SMALL} --check --sim-verify", "--sim-verify does not go with --check"),
        (f"--sim {SMALL} --check -i", "-i does not go with --check"),
        (f"--sim {SMALL} --check --up-to-cut", "--up-to-cut does not go with --check"),
        (f"--sim {CONTENTION} --json -i", "--json does not go with -i"),
        (f"--sim {CONTENTION} --batch", "--batch goes with -i"),
        (f"--sim {CONTENTION} --enforce-limits", "--enforce-limits: needs the simulated timeline"),
        (f"--sim {CONTENTION} -i --enforce-limits", "--enforce-limits: needs the simulated"),
        (f"--sim {SMALL} --enforce-limits --timeline recorded", "--timeline"),
        (f"--sim {SMALL} --timeline recorded", "--timeline: a log has no recorded sessions"),
        (f"--sim {SMALL} --repair nonsense", "--repair: expected all or one of"),
        (f"--sim {SMALL} -o repair=nonsense", "--repair: expected all or one of"),
        (f"--sim {SMALL} --check --repair nonsense", "--repair: expected all or one of"),
        (f"--sim {SMALL} -o procs=abc", "-o procs: expected a number of 1 or more"),
        (f"--sim {SMALL} -o bogus=1", "-o bogus: the format has no such option; there are: "),
        (f"--sim {SMALL} --check -o bogus=1", "-o bogus: the format has no such option"),
        (f"--sim {SMALL} -i -o bogus=1", "-o bogus: the format has no such option"),
        (f"--sim {CONTENTION} --repair all", "--repair: the format has no such option"),
        (f"--sim {SMALL} --format odd", "--format: no plugin reads the format odd"),
        (f"--sim {SMALL} --tau nan", "--tau"),
        (f"--sim {SMALL} --tau inf", "--tau"),
        (SMALL, f"did you mean --sim {SMALL}?"),
    ],
)
def test_wrong_usage_names_the_flag(words: str, said: str) -> None:
    """S6: status 2, nothing on standard output."""
    done = run_command(*words.split())
    assert done.returncode == 2, done
    assert said in " ".join(done.stderr.split())
    assert no_traceback(done)
    assert done.stdout == ""


def test_formats_are_listed_with_options_and_repairs() -> None:
    """P1: what can be said of an input, format by format, a line each."""
    lines = run_command("formats").stdout.splitlines()
    assert lines[0].startswith("recording  ")
    assert "swf" in lines
    assert any(line.startswith("  -o procs=") for line in lines)
    assert any(line.startswith("  --repair ") and "sort-submit" in line for line in lines)
    assert "xce_scheduler formats" in run_command("--help").stdout


@pytest.mark.parametrize("words", [["--sim", "nope"], ["--sim", "fixtures/broken"]])
def test_the_interactive_simulator_has_the_same_statuses(words: list[str]) -> None:
    """S6, S9: for bad input and outputs alike."""
    assert run_command(*words, "-i", "--batch").returncode == 3
    done = run_command("--sim", CONTENTION, "--sim-output", "/no/dir/o", "-i", "--batch")
    assert done.returncode == 3
    assert done.stderr.startswith("/no/dir/o: no such file")


def test_statuses_are_documented() -> None:
    """S6: in the help text."""
    told = " ".join(run_command("--help").stdout.split())
    for words in ("3 bad input or an output that can't be written", "129", "143", "141", "70"):
        assert words in told
