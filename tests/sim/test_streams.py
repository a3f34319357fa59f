"""Inputs: compression told by content, limits, and causes that people understand."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from xce_core.sim.streams import CutOffError, open_input, open_raw, zstd_opener
from xce_core.sim.workload import InputError

TEXT = b"one\ntwo\n" * 100_000


def content(path: Path, limit: int | None = None) -> bytes:
    opened = open_input(str(path)) if limit is None else open_input(str(path), limit)
    with opened as source:
        return source.read()


def fault_of(path: Path | str, limit: int | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        content(Path(path), limit)
    assert (caught.value.path, caught.value.line) == (str(path), 0)
    return caught.value


@pytest.mark.parametrize("data", [b"", b"a", TEXT, b"\x1f", b"\x28\xb5"])
def test_plain_data_comes_as_it_is(tmp_path: Path, data: bytes) -> None:
    """S8: also if it is shorter than the marks of compression."""
    file = tmp_path / "f.gz"
    file.write_bytes(data)
    assert content(file) == data


def test_gzip_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    """S8: whatever the name; several members are one input."""
    file = tmp_path / "f.txt"
    file.write_bytes(gzip.compress(TEXT) + gzip.compress(b"end"))
    assert content(file) == TEXT + b"end"


def test_what_expands_without_end_is_stopped(tmp_path: Path) -> None:
    """S8: at the limit, which is stated, before it fills the memory."""
    file = tmp_path / "bomb"
    file.write_bytes(gzip.compress(bytes(2**20)))
    assert content(file, 2**20) == bytes(2**20)
    what = "expands to more than the limit of 1048575 bytes"
    assert fault_of(file, 2**20 - 1).what == what


def test_damaged_and_cut_off_data(tmp_path: Path) -> None:
    """S6: each told for what it is."""
    file = tmp_path / "f"
    data = gzip.compress(TEXT)
    file.write_bytes(data[:-4])
    error = fault_of(file)
    assert isinstance(error, CutOffError)
    assert error.what == "the compressed data is cut off"
    file.write_bytes(data[:50] + b"\xff\xff\xff" + data[53:])
    assert fault_of(file).what.startswith("the compressed data is damaged (")
    file.write_bytes(data + b"garbage")
    assert fault_of(file).what.startswith("the compressed data is damaged (")


def test_what_can_not_be_opened(tmp_path: Path) -> None:
    """S6: the cause in the system's words."""
    assert str(fault_of(tmp_path)) == f"{tmp_path}: is a directory"
    assert fault_of(tmp_path / "none").what == "no such file or directory"
    with pytest.raises(InputError, match="no such file or directory"):
        open_input("a\0b")


def test_zstd_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S6: the message says what to install."""
    file = tmp_path / "f"
    file.write_bytes(b"\x28\xb5\x2f\xfd rest")
    monkeypatch.setattr("xce_core.sim.streams.zstd_opener", lambda: None)
    what = "is compressed with zstd: install the extra, pip install 'xce_scheduler[zstd]'"
    assert fault_of(file).what == what


@pytest.mark.skipif(zstd_opener() is None, reason="no zstd here: install the extra")
def test_zstd(tmp_path: Path) -> None:
    """S8: expanded, bounded, and its faults told, like gzip."""
    opener = zstd_opener()
    assert opener is not None
    packed = io.BytesIO()
    with opener(packed, "wb") as stream:  # type: ignore[call-arg]
        stream.write(TEXT)
    file = tmp_path / "f"
    file.write_bytes(packed.getvalue())
    assert content(file) == TEXT
    assert "limit of 10 bytes" in fault_of(file, 10).what
    file.write_bytes(packed.getvalue()[:-10])
    assert isinstance(fault_of(file), CutOffError)
    file.write_bytes(packed.getvalue()[:20] + bytes(range(200)))
    assert fault_of(file).what.startswith("the compressed data is ")


def test_the_beginning_can_be_looked_at(tmp_path: Path) -> None:
    """S8: without taking it away."""
    file = tmp_path / "f"
    file.write_bytes(b"{...")
    with open_raw(str(file)) as source:
        assert source.peek().startswith(b"{")
        assert source.read() == b"{..."


def test_standard_input_even_if_it_drips(root: Path) -> None:
    """S9: compression is told although the first bytes come one by one."""
    code = (
        "from xce_core.sim.streams import open_input\n"
        "print(open_input('-').read().decode())\n"
        "import sys; sys.stdin.close()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    for byte in gzip.compress(b"drip"):
        os.write(process.stdin.fileno(), bytes([byte]))
    out, _ = process.communicate()
    assert (process.returncode, out) == (0, b"drip\n")


def test_standard_input_that_is_not_the_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """S9: one in memory, as embedding programs have, or none."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"x"))))
    assert open_input("-").read() == b"x"
    monkeypatch.setattr("sys.stdin", None)
    assert fault_of("-").what == "the standard input is closed"
