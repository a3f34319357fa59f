"""The trace file, and the store that ``info trace`` reads."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.builders import FirstCome, a_job, on_host
from tests.trace.cases import harness, some_jobs, two_hosts
from tests.trace.harness import Harness
from tests.workloads import ListedWorkload
from xce_core.sim.events import Recorded, SessionMark
from xce_core.sim.run import RunOptions
from xce_core.sim.workload import Timeline


def trace_lines(shown: list[str]) -> list[str]:
    """The lines of traces among those shown."""
    return [text for text in shown if text.startswith(("[trace]", "  "))]


def test_the_file_holds_what_the_console_shows(tmp_path: Path) -> None:
    """R8.1, R2.5: reconstructed ones too; nothing of `info trace`, and no other line."""
    taken = Recorded("1", on_host(0, 3), None, True, 3)
    events = [a_job(1, 3), a_job(2, 2), a_job(3, 9), SessionMark(0, 4, (taken,), 2)]
    run = Harness(ListedWorkload(two_hosts(), events, Timeline.RECORDED), FirstCome())
    run.trace(f"on all level full file {tmp_path}/t.log")
    shown = run.go()
    run.info("1")
    run.trace("status")
    run.close()
    written = (tmp_path / "t.log").read_text().splitlines()
    assert written == trace_lines(shown)
    assert written[0].startswith("[trace] job 1 ")


def test_it_is_appended_to(tmp_path: Path) -> None:
    """R8.2: what was there stays."""
    path = tmp_path / "t.log"
    path.write_text("before\n")
    run = harness(two_hosts(), a_job(1))
    run.trace(f"on all file {path}")
    shown = run.go()
    run.close()
    assert path.read_text().splitlines() == ["before", *trace_lines(shown)]


def test_it_is_opened_when_the_command_is_given(tmp_path: Path) -> None:
    """R8.2: a failure tells its cause, and nothing changes."""
    run = harness(two_hosts(), a_job(1))
    assert run.trace(f"on all file {tmp_path}/a.log") == []
    assert (tmp_path / "a.log").exists()
    before = run.trace("status")
    cases = [
        (f"{tmp_path}/no/t.log", "no such file or directory"),
        (f"{tmp_path}", "is a directory"),
        ("/dev/full/t.log", "not a directory"),
        (f"{tmp_path}/{'x' * 300}", "file name too long"),
    ]
    for path, why in cases:
        (told,) = run.trace(f"on all level full file {path}")
        assert told == f"[sim] trace: {path}: {why}"
        assert run.trace("status") == before


def test_a_pipe_that_nobody_reads_is_not_waited_for(tmp_path: Path) -> None:
    """R8.2: it is refused at once."""
    os.mkfifo(tmp_path / "pipe")
    run = harness(two_hosts(), a_job(1))
    (told,) = run.trace(f"on all file {tmp_path}/pipe")
    assert told.endswith("/pipe: no such device or address")


ROLES = [
    ("sim", "the replay's input"),
    ("cluster", "the replay's cluster file"),
    ("output", "the replay's output"),
    ("jobs_csv", "the replay's table of jobs"),
    ("log", "the scheduler's log"),
]


def options(tmp_path: Path, **given: Any) -> RunOptions:
    """Options of a run with the paths given."""
    return RunOptions(**{"sim": str(tmp_path / "input.jsonl"), **given})


@pytest.mark.parametrize(("field", "role"), ROLES)
@pytest.mark.parametrize("name", ["used", "hard", "soft", "./x/../used", "chain"])
def test_a_file_of_the_run_is_refused_by_whatever_name(
    field: str, role: str, name: str, tmp_path: Path
) -> None:
    """R8.3: the name, a hard link, a link to a link; it is not touched."""
    used = tmp_path / "used"
    used.write_text("precious")
    (tmp_path / "x").mkdir()
    (tmp_path / "hard").hardlink_to(used)
    (tmp_path / "soft").symlink_to(used)
    (tmp_path / "chain").symlink_to(tmp_path / "soft")
    run = harness(two_hosts(), a_job(1), options=options(tmp_path, **{field: str(used)}))
    before = run.trace("status")
    path = f"{tmp_path}/{name}"
    assert run.trace(f"on all file {path}") == [f"[sim] trace: {path}: is {role}"]
    assert run.trace("status") == before
    assert used.read_text() == "precious"


@pytest.mark.parametrize("name", ["out.jsonl", "./out.jsonl", "link", "folder/out.jsonl"])
def test_an_output_that_is_not_there_yet_is_refused(name: str, tmp_path: Path) -> None:
    """R8.3: it appears only in the end, and would replace the trace; nothing is made."""
    (tmp_path / "folder").symlink_to(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "out.jsonl")
    output = str(tmp_path / "out.jsonl")
    run = harness(two_hosts(), a_job(1), options=options(tmp_path, output=output))
    (told,) = run.trace(f"on all file {tmp_path}/{name}")
    assert told.endswith(f"{name}: is the replay's output")
    assert not (tmp_path / "out.jsonl").exists()


def test_standard_output_as_output_is_refused_as_a_file(tmp_path: Path) -> None:
    """R8.3, S9: `-` is where the output goes, whatever it is called."""
    with open(tmp_path / "stdout", "w") as stdout:
        saved = os.dup(1)
        os.dup2(stdout.fileno(), 1)
        try:
            run = harness(two_hosts(), a_job(1), options=options(tmp_path, output="-"))
            (told,) = run.trace(f"on all file {tmp_path}/stdout")
        finally:
            os.dup2(saved, 1)
            os.close(saved)
    assert told.endswith("stdout: is the replay's output")


def test_other_files_are_fine(tmp_path: Path) -> None:
    """R8.3: a file beside, and the same file twice in a row."""
    (tmp_path / "input.jsonl").write_text("x")
    run = harness(two_hosts(), a_job(1), options=options(tmp_path, output=f"{tmp_path}/o"))
    assert run.trace(f"on all file {tmp_path}/t.log") == []
    assert run.trace(f"on all level full file {tmp_path}/t.log") == []
    run.go()
    run.close()
    assert (tmp_path / "t.log").read_text().count("level full") == 1


def test_an_open_trace_file_is_no_output(tmp_path: Path) -> None:
    """R8.4: also by a link, also that of the session in progress; a closed one is."""
    run = harness(two_hosts(), *some_jobs())
    refuse = run.plugin.xce_repl_refuse_output
    path = tmp_path / "t.log"
    run.trace(f"on all file {path}")
    (tmp_path / "hard").hardlink_to(path)
    (tmp_path / "soft").symlink_to(path)
    for name in ("t.log", "hard", "soft"):
        assert refuse(str(tmp_path / name)) == "is an open trace file"
    assert refuse(str(tmp_path / "else")) is None
    run.step()
    run.trace("off")
    assert refuse(str(path)) == "is an open trace file"
    run.go()
    assert refuse(str(path)) is None


def opened(path: Path) -> int:
    """How often this process has the file open."""
    links = (os.path.join("/proc/self/fd", fd) for fd in os.listdir("/proc/self/fd"))
    return sum(os.path.realpath(link) == str(path) for link in links)


def test_a_replaced_file_stays_open_as_long_as_it_is_in_use(tmp_path: Path) -> None:
    """R8.5: to the end of the session in progress; else it is closed at once."""
    old, new = tmp_path / "old.log", tmp_path / "new.log"
    run = harness(two_hosts(), *some_jobs())
    run.trace(f"on all file {old}")
    assert opened(old) == 1
    run.trace(f"on all file {new}")
    assert (opened(old), opened(new)) == (0, 1)
    run.trace(f"on all file {old}")
    run.step()
    run.trace(f"on all file {new}")
    assert (opened(old), opened(new)) == (1, 1)
    run.go(2)
    assert (opened(old), opened(new)) == (0, 1)
    run.trace("off")
    assert opened(new) == 1 if run.in_session else opened(new) == 0
    run.close()
    assert "job 1 session 1" in old.read_text()
    assert "job 2 session 2" in new.read_text()


def test_each_trace_is_on_the_disk_when_it_is_shown(tmp_path: Path) -> None:
    """R8.6: and every file is closed in the end."""
    run = harness(two_hosts(), *some_jobs())
    path = tmp_path / "t.log"
    run.trace(f"on all file {path}")
    run.step()
    first = path.read_text()
    assert first.startswith("[trace] job 1 ")
    assert first.endswith("slots=3\n")
    run.trace("off")
    run.close()
    assert opened(path) == 0


def test_nothing_is_written_to_the_log(tmp_path: Path) -> None:
    """R8.7: the plugin has no word in it."""
    log = tmp_path / "log"
    run = harness(two_hosts(), *some_jobs(), options=options(tmp_path, log=str(log)))
    run.trace("on all level full")
    run.go()
    assert not log.exists()


def test_a_full_disk_is_reported_once_a_session(tmp_path: Path) -> None:
    """R8.7: the console goes on, and the next session says it again."""
    jobs = [a_job(n, 1, at=at) for n, at in [(1, 0), (2, 0), (3, 1), (4, 1)]]
    run = harness(two_hosts(), *jobs)
    assert run.trace("on all file /dev/full") == []
    shown = run.go()
    complaint = "[sim] trace: write to /dev/full failed: no space left on device"
    assert shown.count(complaint) == 2
    assert sum(text.startswith("[trace]") for text in shown) == 4
    assert run.failures == []


def test_a_file_removed_while_it_is_open(tmp_path: Path) -> None:
    """R8.7: nothing is lost but the file; a new one of the name may be the output."""
    path = tmp_path / "t.log"
    run = harness(two_hosts(), *some_jobs())
    run.trace(f"on all file {path}")
    run.step()
    path.unlink()
    shown = run.go()
    assert not any("write to" in text for text in shown)
    path.write_text("another")
    assert run.plugin.xce_repl_refuse_output(str(path)) is None
    run.close()


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    """R8.7: a closed pipe is a write error like others."""
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    run = harness(two_hosts(), *some_jobs())
    assert run.trace(f"on all file {tmp_path}/pipe") == []
    os.close(reader)
    assert f"[sim] trace: write to {tmp_path}/pipe failed: broken pipe" in run.go(1)


def test_json_lines(tmp_path: Path) -> None:
    """R8.1: with `format json` a line of JSON for each trace."""
    run = harness(two_hosts(), *some_jobs())
    run.trace(f"on all format json file {tmp_path}/t.jsonl")
    shown = run.go()
    run.close()
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    heads = [text for text in shown if text.startswith("[trace]")]
    assert len(lines) == len(heads)
    for text, head in zip(lines, heads, strict=True):
        value = json.loads(text)
        assert f" job {value['job']} session {value['session']} " in head
    assert run.info(f"{value['job']} json") == [lines[-1]]
