"""Outputs appear whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from xce_core.sim.atomic import AtomicFile, OutputError


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    """S5: not before."""
    target = tmp_path / "out"
    with AtomicFile(str(target)) as stream:
        stream.write("half")
        stream.flush()
        assert not target.exists()
        stream.write(" whole ä\r\n")
    assert target.read_bytes() == "half whole ä\r\n".encode()
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_changes_on_failure_or_interrupt(
    tmp_path: Path, error: type[BaseException]
) -> None:
    """S5: the old file is kept, and nothing is left beside it."""
    target = tmp_path / "out"
    target.write_text("old")

    def fail() -> None:
        with AtomicFile(str(target)) as stream:
            stream.write("new" * 100_000)
            raise error

    with pytest.raises(error):
        fail()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out"]


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    """S5: a new one gets those that any new file gets."""
    old, new, plain = tmp_path / "old", tmp_path / "new", tmp_path / "plain"
    old.write_text("")
    old.chmod(0o640)
    plain.write_text("")
    for path in (old, new):
        with AtomicFile(str(path)) as stream:
            stream.write("x")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert new.stat().st_mode == plain.stat().st_mode


def test_a_link_keeps_its_place(tmp_path: Path) -> None:
    """S5: what it points to is replaced, there or not."""
    (tmp_path / "folder").mkdir()
    for name in ("there", "new"):
        (tmp_path / name).symlink_to(Path("folder") / name)
    (tmp_path / "folder" / "there").write_text("old")
    for name in ("there", "new"):
        with AtomicFile(str(tmp_path / name)) as stream:
            stream.write(name)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "folder" / name).read_text() == name
    assert names(tmp_path / "folder") == ["new", "there"]


@pytest.mark.parametrize(
    ("path", "what"),
    [
        (".", "is a directory"),
        ("none/out", "no such file or directory"),
        ("none/", "no such file or directory"),
        ("", "no such file or directory"),
        ("a\0b", "no such file or directory"),
    ],
)
def test_what_can_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, what: str
) -> None:
    """S6: one line that names the output and the cause."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError) as caught, AtomicFile(path):
        raise AssertionError
    assert str(caught.value) == f"{path}: {what}"
    assert names(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    """S6: a file that may not be written is not replaced either."""
    target = tmp_path / "out"
    target.write_text("old")
    target.chmod(0o400)
    with pytest.raises(OutputError, match="permission denied"), AtomicFile(str(target)):
        raise AssertionError


def test_a_full_disk() -> None:
    """S6: told when the rest can't be written; a device is written directly."""
    with pytest.raises(OutputError) as caught, AtomicFile("/dev/full") as stream:
        stream.write("x")
    assert str(caught.value) == "/dev/full: no space left on device"
    with AtomicFile("/dev/null") as stream:
        stream.write("x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    """S9: it stays a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with AtomicFile(str(pipe)) as stream:
        stream.write("through")
    reader.join()
    assert read == ["through"]
    assert names(tmp_path) == ["pipe"]


def test_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """S9: `-` writes there and leaves it open."""
    with AtomicFile("-") as stream:
        stream.write("one ")
    print("two")
    assert capsys.readouterr().out == "one two\n"


def test_two_at_once(tmp_path: Path) -> None:
    """S5: the last one that is whole stays."""
    target = str(tmp_path / "out")
    with AtomicFile(target) as one:
        one.write("one")
        with AtomicFile(target) as two:
            two.write("two")
    assert (tmp_path / "out").read_text() == "one"
    assert names(tmp_path) == ["out"]


def test_an_interrupt_from_outside(root: Path, tmp_path: Path) -> None:
    """S5: a real one, in the middle of writing."""
    target = tmp_path / "out"
    target.write_text("old")
    code = (
        "import os, signal, sys\n"
        "from xce_core.sim.atomic import AtomicFile\n"
        "with AtomicFile(sys.argv[1]) as stream:\n"
        "    stream.write('new')\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    stream.write('more')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(target)], cwd=root, stderr=subprocess.DEVNULL
    )
    assert done.returncode != 0
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out"]


def test_a_write_error_in_the_middle_names_the_file(root: Path, tmp_path: Path) -> None:
    """S5, S6: as one at the end does; the old file is kept and nothing left beside it."""
    target = tmp_path / "out"
    target.write_text("old")
    code = (
        "import resource, sys\n"
        "from xce_core.sim.atomic import AtomicFile, OutputError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "try:\n"
        "    with AtomicFile(sys.argv[1]) as stream:\n"
        "        for _ in range(1000):\n"
        "            stream.write('x' * 100)\n"
        "        print('not reached')\n"
        "except OutputError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(target)], cwd=root, capture_output=True, text=True
    )
    assert done.stdout == f"{target}: file too large\n"
    assert done.stderr == ""
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out"]
