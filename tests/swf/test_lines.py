"""The forms in which lines come, and the limits to them."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.swf.samples import MACHINE, a_line, jobs_of, opened
from xce_core.sim.streams import open_input
from xce_core.sim.workload import InputError
from xce_plugins.swf import SwfOptions, open_workload, reader
from xce_plugins.swf.lines import LINE_LIMIT, Lines

PLAIN = MACHINE + a_line(1) + a_line(2, 10) + a_line(3, 20)


class Pipe(io.RawIOBase):
    """Something that can be read once, and counts what was read."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        count = self._data.readinto(buffer)  # type: ignore[arg-type]
        self.given += count
        return count


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace(" ", "\t"),
        PLAIN.replace("\n", "\n\n   \n"),
        PLAIN.replace("\n", "\n  "),
        PLAIN.replace("\n", "\n ; MaxProcs: 2 in a remark\n"),
        "\ufeff" + PLAIN,
        "; caf\u00e9\n" + PLAIN,
    ],
)
def test_lines_are_told_apart_however_they_are_written(text: str) -> None:
    """Newlines, tabs, blanks, blank lines, remarks between jobs."""
    workload = opened(text)
    assert [(job.number, job.submit_time) for job in jobs_of(workload)] == [
        (1, 0),
        (2, 10),
        (3, 20),
    ]
    assert workload.tally.read == 3
    assert len(workload.cluster.hosts) == 8


def test_line_numbers_count_every_line() -> None:
    """Also over many blocks."""
    remarks = "; what is here does not matter\n" * 20_000
    jobs = jobs_of(opened(MACHINE + a_line(1) + remarks + a_line(2) + remarks + a_line(3)))
    assert [job.line for job in jobs] == [2, 20_003, 40_004]


def test_compressed_members_follow_each_other() -> None:
    """By the first bytes, not by the name; zeros may pad the end."""
    members = [gzip.compress(part.encode()) for part in PLAIN.splitlines(keepends=True)]
    assert len(jobs_of(opened(b"".join(members) + b"\0" * 512))) == 3


def test_a_compressed_block_may_expand_to_many() -> None:
    """S8: no more than a block at a time is held."""
    text = MACHINE + "".join(a_line(number) for number in range(20_000))
    assert len(jobs_of(opened(gzip.compress(text.encode())))) == 20_000


@pytest.mark.parametrize("cut", [1, 8, 9, 30])
def test_a_cut_off_compressed_log_is_told(cut: int) -> None:
    """S6: not taken for the end."""
    with pytest.raises(InputError, match="cut off"):
        jobs_of(opened(gzip.compress(PLAIN.encode())[:-cut]))


def test_a_line_without_end_is_stopped() -> None:
    """S8: an endless line never fills the memory."""
    packer = zlib.compressobj(wbits=31)
    bomb = packer.compress(MACHINE.encode() + b"1" * 50_000_000) + packer.flush()
    with pytest.raises(InputError, match=r"^t\.swf:2: expected a line of at most 65536 bytes"):
        jobs_of(opened(bomb))


def test_an_endless_line_is_stopped_where_it_gets_too_long() -> None:
    """S8: not when the input has been read."""
    pipe = Pipe(MACHINE.encode() + b"1" * 10_000_000)
    with pytest.raises(InputError, match="at most 65536 bytes"):
        open_workload(pipe, "-", SwfOptions())  # type: ignore[arg-type]
    assert pipe.given <= 3 * LINE_LIMIT


def test_a_line_a_byte_too_long_is_stopped() -> None:
    """Also if blocks cut it."""
    long = a_line(1)[:-1].ljust(LINE_LIMIT + 1) + "\n"
    with pytest.raises(InputError, match=r"^t\.swf:3: expected a line of at most 65536 bytes"):
        jobs_of(opened(MACHINE + a_line(2) + long + a_line(3)))


def test_the_longest_line_is_read() -> None:
    """Wherever blocks may cut it."""
    long = a_line(1)[:-1].ljust(LINE_LIMIT) + "\n"
    text = MACHINE + long + long.replace("1", "2", 1) + a_line(3)
    assert [job.number for job in jobs_of(opened(text))] == [1, 2, 3]


def test_jobs_are_read_as_they_are_asked_for() -> None:
    """S8: the first job comes before the rest of a long log was read."""
    pipe = Pipe((MACHINE + "".join(a_line(n) for n in range(100_000))).encode())
    events = open_workload(pipe, "-", SwfOptions()).events()  # type: ignore[arg-type]
    assert isinstance(events, Iterator)
    next(events)
    assert pipe.given <= 3 * LINE_LIMIT
    assert sum(1 for _ in events) == 99_999
    assert pipe.given > 4_000_000


def test_queues_of_a_pipe_are_found_too() -> None:
    """It can't be read twice, so it is held."""
    pipe = Pipe((MACHINE + a_line(1, queue=0) + a_line(2, queue=-1)).encode())
    workload = open_workload(pipe, "-", SwfOptions(queues="log"))  # type: ignore[arg-type]
    assert list(workload.cluster.queues) == ["q0", "unknown"]
    assert [job.queue for job in jobs_of(workload)] == ["q0", "unknown"]


def test_an_unfinished_line_is_known_as_such() -> None:
    """Only the last one can be."""
    lines = Lines(io.BytesIO(b"a\nb\nc"), "t")
    assert list(lines.batches()) == [(1, [b"a", b"b"]), (3, [b"c"])]
    assert lines.unfinished == 3


def test_the_queues_of_a_plain_file_are_found_without_holding_it(tmp_path: Path) -> None:
    """S8: it is read twice, opened as the command opens it."""
    file = tmp_path / "t.swf"
    file.write_text(MACHINE + a_line(1, queue=0) + a_line(2, queue=-1))
    with pytest.MonkeyPatch.context() as patch, open_input(str(file)) as source:
        patch.setattr(reader, "HELD_LIMIT", 1)
        workload = open_workload(source, "t.swf", SwfOptions(queues="log"))
        assert [job.queue for job in jobs_of(workload)] == ["q0", "unknown"]
