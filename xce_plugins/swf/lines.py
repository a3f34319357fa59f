"""The lines of a log, within stated limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from xce_core.sim.workload import InputError

LINE_LIMIT = 64 * 2**10
"""How many bytes a line may have."""

_BLOCK = LINE_LIMIT  # so only the first line of a block can be too long, joined to its head
_BOM = b"\xef\xbb\xbf"

Batch = tuple[int, list[bytes]]
"""The number of the first line, and some lines without their newlines."""


class Lines:
    """The lines of an expanded log in batches, as they are asked for; to be read once.

    :attr:`unfinished` is the number of a last line without newline, set before that line
    is given out; 0 if there is none.
    """

    def __init__(self, source: BinaryIO, path: str) -> None:
        self.unfinished = 0
        self._path = path
        self._blocks = _text_blocks(source, path)

    def batches(self) -> Iterator[Batch]:
        """All lines that have not been given out yet.

        :raises InputError: for a line over the limit, binary data, or a source that can't be read.
        """
        number, rest = 1, b""
        for block in self._blocks:
            lines = (rest + block).split(b"\n")
            rest = lines.pop()
            self._check_length(number, lines[0] if lines else rest)
            if lines:
                yield number, lines
                number += len(lines)
        if rest:
            self._check_length(number, rest)
            self.unfinished = number
            yield number, [rest]

    def _check_length(self, number: int, line: bytes) -> None:
        if len(line) > LINE_LIMIT:
            raise InputError(self._path, number, f"expected a line of at most {LINE_LIMIT} bytes")


def _text_blocks(source: BinaryIO, path: str) -> Iterator[bytes]:
    block = source.read(_BLOCK)
    if b"\0" in block:
        raise InputError(path, 0, "expected text, plain or gzip, found binary data")
    yield block.removeprefix(_BOM)
    while block := source.read(_BLOCK):
        yield block
