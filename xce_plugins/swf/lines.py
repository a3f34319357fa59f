"""The lines of a log, plain or gzip, within stated limits."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from xce_core.sim.workload import InputError

LINE_LIMIT = 64 * 2**10
"""How many bytes a line may have."""

GZIP_MAGIC = b"\x1f\x8b"
GZIP = 16 + zlib.MAX_WBITS
_BLOCK = LINE_LIMIT  # so only the first line of a block can be too long, joined to its head
_BOM = b"\xef\xbb\xbf"

Batch = tuple[int, list[bytes]]
"""The number of the first line, and some lines without their newlines."""


class Lines:
    """The lines of a log in batches, as they are asked for; to be read once.

    :attr:`unfinished` is the number of a last line without newline, set before that line
    is given out; 0 if there is none.
    """

    def __init__(self, source: BinaryIO, path: str, expanded_limit: int) -> None:
        self.unfinished = 0
        self._path = path
        self._blocks = _text_blocks(source, path, expanded_limit)

    def batches(self) -> Iterator[Batch]:
        """All lines that have not been given out yet.

        :raises InputError: for a line over the limit, or a source that can't be expanded.
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


def _text_blocks(source: BinaryIO, path: str, expanded_limit: int) -> Iterator[bytes]:
    first = source.read(_BLOCK)
    blocks = _raw_blocks(first, source)
    if first.startswith(GZIP_MAGIC):
        blocks = _expanded(blocks, path, expanded_limit)
    for at, block in enumerate(blocks):
        if at == 0 and b"\0" in block:
            raise InputError(path, 0, "expected text, plain or gzip, found binary data")
        yield block.removeprefix(_BOM) if at == 0 else block


def _raw_blocks(first: bytes, source: BinaryIO) -> Iterator[bytes]:
    block = first
    while block:
        yield block
        block = source.read(_BLOCK)


def _expanded(blocks: Iterable[bytes], path: str, limit: int) -> Iterator[bytes]:
    """What the gzip members in *blocks* hold, never more than a block at a time."""
    total = 0
    try:
        for block in _members(blocks):
            total += len(block)
            if total > limit:
                raise InputError(path, 0, f"expands to more than the limit of {limit} bytes")
            yield block
    except zlib.error as error:
        raise InputError(path, 0, f"the compressed data is damaged ({error})") from None
    except EOFError:
        raise InputError(path, 0, "the compressed data is cut off") from None


def _members(blocks: Iterable[bytes]) -> Iterator[bytes]:
    member = zlib.decompressobj(GZIP)
    begun = False
    for block in blocks:
        while block:
            if not begun:  # zeros may pad a file after its last member
                block = block.lstrip(b"\0")
                begun = bool(block)
            if text := member.decompress(block, _BLOCK):
                yield text
            block = member.unconsumed_tail
            if member.eof:
                block, member, begun = member.unused_data, zlib.decompressobj(GZIP), False
    if begun:
        raise EOFError
