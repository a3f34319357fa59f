"""The ``trace`` command: what it takes, and when a change takes effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import a_job
from tests.trace.cases import harness, some_jobs, two_hosts
from tests.trace.harness import Harness
from xce_plugins.trace.command import completions
from xce_plugins.trace.store import ITEM_BYTES


def jobs_traced(lines: list[str]) -> list[str]:
    """The ids of the jobs traced, in order, each time."""
    return [line.split()[2] for line in lines if line.startswith("[trace] job ")]


@pytest.mark.parametrize(
    ("command", "traced"),
    [
        ("on all", ["1", "2", "3", "4[1]", "4[3]"]),
        ("on job 1", ["1"]),
        ("on job 1 3", ["1", "3"]),
        ("on job 4", ["4[1]", "4[3]"]),
        ("on job 4[3]", ["4[3]"]),
        ("on job 4[3] 2", ["2", "4[3]"]),
        ("off", []),
    ],
)
def test_who_is_traced(command: str, traced: list[str]) -> None:
    """R1.1, R1.2, R1.3: all, jobs, elements, arrays, all named before they exist."""
    run = harness(two_hosts(), *some_jobs())
    assert run.trace(command) == []
    assert sorted(set(jobs_traced(run.go()))) == traced


def test_a_new_setting_replaces_the_whole_of_the_old_one() -> None:
    """R1.4: neither jobs nor options add up."""
    run = harness(two_hosts(), *some_jobs())
    run.trace("on job 1 level full lines 77")
    run.trace("on job 2")
    status = "\n".join(run.trace("status"))
    assert "selection: jobs 2\n  level: summary\n  line bound: 1000\n  file: none" in status
    assert set(jobs_traced(run.go())) == {"2"}


def test_off_keeps_what_is_stored() -> None:
    """R1.5: it can still be recalled."""
    run = harness(two_hosts(), *some_jobs())
    run.trace("on all")
    first = run.go(1)
    run.trace("off")
    assert jobs_traced(run.go()) == []
    assert run.info("1") == first[1:-1]


def test_a_change_waits_for_the_next_session() -> None:
    """R1.6: on, off and other options, given in the middle of a session."""
    both = [a_job(n, 1, at=at) for n, at in [(1, 0), (2, 0), (3, 0), (4, 1), (5, 1), (6, 2)]]
    run = harness(two_hosts(), *both)
    run.step()
    run.trace("on all")
    assert jobs_traced(run.step() + run.step()) == []
    assert jobs_traced(run.step()) == ["4"]
    run.trace("on all level full")
    assert "level summary" in run.step()[1]
    run.trace("off")
    assert jobs_traced(run.go()) == []


def test_status_says_what_is_in_effect_and_what_replaces_it(tmp_path: Path) -> None:
    """R1.7: in a session and between two, with the memory that is used."""
    run = harness(two_hosts(), *some_jobs())
    off = ["trace next session: off", "stored traces: 0 / 64 MiB"]
    assert run.trace("status") == off
    run.trace(f"on job 7 3 4[3] 2 level full lines 50 format json file {tmp_path}/t.log")
    named = [
        "  selection: jobs 2-3,7,4[3]",
        "  level: full",
        "  line bound: 50",
        f"  file: {tmp_path}/t.log (json)",
    ]
    assert run.trace("status") == ["trace next session: on", *named, off[1]]
    run.step()
    assert run.trace("status") == ["trace in effect: on", *named, off[1]]
    run.trace("on all")
    assert run.trace("status") == [
        "trace in effect: on",
        *named,
        "trace from the next session: on",
        "  selection: all jobs",
        "  level: summary",
        "  line bound: 1000",
        "  file: none",
        off[1],
    ]
    run.trace("off")
    assert run.trace("status")[-2:] == ["trace from the next session: off", off[1]]


def test_status_tells_the_memory_that_stored_traces_take() -> None:
    """R1.7: as the store counts it, of 64 MiB."""
    run = harness(two_hosts(), *some_jobs())
    run.trace("on all")
    run.go()
    (words,) = [text for text in run.trace("status") if text.startswith("stored traces: ")]
    size, unit, *bound = words.removeprefix("stored traces: ").split()
    assert (unit, bound) == ("KiB", ["/", "64", "MiB"])
    assert len(run.plugin.store) == 5
    assert float(size) * 1024 == pytest.approx(run.plugin.store.size, abs=1)
    assert 5 * ITEM_BYTES < run.plugin.store.size < 5 * 2000
    run.trace("on all")
    run.go()
    assert run.trace("status")[0] == "trace next session: on"
    assert run.trace("status")[-1].endswith("KiB / 64 MiB")


def test_summary_is_the_default_level() -> None:
    """R1.8: and full is the other one."""
    run = harness(two_hosts(), *some_jobs())
    run.trace("on job 1 3")
    assert "level summary" in run.go(1)[1]
    run.trace("on job 1 3 level full")
    assert "level full" in "".join(run.go(2))


WRONG = [
    ("", "command: (nothing)"),
    ("onn", "command: onn"),
    ("on", "selection: (nothing)"),
    ("on every", "selection: every"),
    ("on job", "job: (nothing)"),
    ("on job level full", "job: (nothing)"),
    ("on job x", "job: x"),
    ("on job 1 2[", "job: 2["),
    ("on job 1 -3", "job: -3"),
    ("on job 1[2-3]", "job: 1[2-3]"),
    ("on job " + "9" * 19, "job: " + "9" * 19),
    ("on job " + "9" * 5000, "job: " + "9" * 5000),
    ("on all levels full", "option: levels"),
    ("on all 12", "option: 12"),
    ("on all level", "level: (nothing)"),
    ("on all level FULL", "level: FULL"),
    ("on all lines", "lines: (nothing)"),
    ("on all lines 49", "lines: 49"),
    ("on all lines 100001", "lines: 100001"),
    ("on all lines 1e3", "lines: 1e3"),
    ("on all lines \u0665\u0660\u0660", "lines: \u0665\u0660\u0660"),
    ("on all lines " + "0" * 5000, "lines: " + "0" * 5000),
    ("on all lines -50", "lines: -50"),
    ("on all level full level full", "option: level"),
    ("on all format xml", "format: xml"),
    ("on all file", "file: (nothing)"),
    ("on all file ''", "file: (nothing)"),
    ("on all file -", "file: -"),
    ("on all level full \x1b[2J", "option: \\x1b[2J"),
    ("off now", "argument: now"),
    ("status all", "argument: all"),
]


@pytest.mark.parametrize(("command", "complaint"), WRONG)
def test_a_mistake_is_one_line_and_changes_nothing(
    command: str, complaint: str, tmp_path: Path
) -> None:
    """R1.9: what is invalid, and the argument."""
    run = harness(two_hosts(), *some_jobs())
    run.trace(f"on job 3 level full lines 60 file {tmp_path}/t.log")
    before = run.trace("status")
    assert run.trace(command) == [f"[sim] trace: invalid {complaint}"]
    assert run.trace("status") == before
    assert list(tmp_path.iterdir()) == [tmp_path / "t.log"]


@pytest.mark.parametrize(("lines", "fine"), [(50, True), (51, True), (100000, True)])
def test_line_bounds_at_the_edge(lines: int, fine: bool) -> None:
    """R9.1: 50 and 100000 are allowed; R1.9 has what is not."""
    run = harness(two_hosts(), *some_jobs())
    assert (run.trace(f"on all lines {lines}") == []) is fine
    assert f"  line bound: {lines}" in run.trace("status")


def test_settings_last_until_they_are_replaced() -> None:
    """R1.10: over sessions, over a restart, and not over the end of the program."""
    run = harness(two_hosts(), *some_jobs())
    run.trace("on all level full lines 60")
    run.go(2)
    assert "  line bound: 60" in run.trace("status")
    run.plugin.xce_repl_restarted(run)
    assert "  line bound: 60" in run.trace("status")
    assert run.info("1") == ["job 1: no trace available (running)"]
    run.close()
    assert Harness(run.replay.workload).trace("status")[0] == "trace next session: off"


def test_help_comes_from_the_plugin() -> None:
    """R1.11: a section, and a line for ``info trace``."""
    run = harness(two_hosts())
    (section,) = run.plugin.xce_repl_help_sections()
    assert section.title == "Trace"
    assert any(line.startswith("info trace JOB") for line in section.lines)
    assert run.topic.usage.startswith("info trace JOB")
    for word in ("on all", "level summary|full", "lines N", "file PATH", "off", "status"):
        assert word in run.command.text


def test_any_number_of_jobs_may_be_named() -> None:
    """R1.12: ten thousand."""
    run = harness(two_hosts(), *some_jobs())
    assert run.trace("on job " + " ".join(str(2 * n) for n in range(1, 10_001))) == []
    assert set(jobs_traced(run.go())) == {"2", "4[1]", "4[3]"}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("plain.log", "plain.log"),
        ("with  two blanks.log", "with  two blanks.log"),
        ("'in quotes .log'", "in quotes .log"),
        ('"in double quotes"', "in double quotes"),
        ("a'b", "a'b"),
        ("'half", "'half"),
        ("'a' b", "'a' b"),
        ("level full lines 10", "level full lines 10"),
        ("ünï.log", "ünï.log"),
    ],
)
def test_a_path_is_the_rest_of_the_line(
    written: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1.12: with blanks, in one pair of quotes or none; whatever it says is a name."""
    monkeypatch.chdir(tmp_path)
    run = harness(two_hosts(), *some_jobs())
    assert run.trace(f"on job 1 level full file   {written}  ") == []
    run.go()
    run.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text().startswith("[trace] job 1 ")


def test_how_long_a_path_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R1.12: 4095 bytes are taken (and the system has its say), 4096 are not."""
    monkeypatch.chdir(tmp_path)
    run = harness(two_hosts(), *some_jobs())
    fits = ("./" * 2048 + "t.log")[-4095:]
    assert len(fits) == 4095
    assert run.trace(f"on all file {fits}") == []
    assert (tmp_path / "t.log").exists()
    (refused,) = run.trace(f"on all file /{fits}")
    assert refused.startswith("[sim] trace: invalid file: /")
    wide = "ü" * 2048  # characters are not bytes
    assert run.trace(f"on all file {wide}") == [f"[sim] trace: invalid file: {wide}"]
    (long_name,) = run.trace(f"on all file {'x' * 4095}")
    assert long_name.endswith("file name too long")
    run.close()


def test_completion() -> None:
    """What may come next."""
    assert completions([], []) == ["on", "off", "status"]
    assert completions(["on"], []) == ["all", "job"]
    assert completions(["on", "job"], ["7"]) == ["7", "level", "lines", "format", "file"]
    assert completions(["on", "all", "level"], ["7"]) == ["summary", "full"]
    assert completions(["on", "all", "level", "full"], ["7"]) == ["lines", "format", "file"]
    assert completions(["off"], []) == []


def test_a_file_is_completed(tmp_path: Path) -> None:
    """I2: as after any other command that takes one."""
    (tmp_path / "traces").mkdir()
    (tmp_path / "trace.txt").touch()
    start = f"{tmp_path}/tra"
    found = completions(["on", "all", "file"], [], start)
    assert sorted(found) == [f"{tmp_path}/trace.txt", f"{tmp_path}/traces/"]
    assert completions(["on", "all", "level", "full", "file"], ["1"], start) == found
