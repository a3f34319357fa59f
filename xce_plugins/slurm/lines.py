"""The lines of a dump, within stated limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from xce_core.sim.workload import InputError

LINE_LIMIT = 2**20
"""How many bytes a line may have."""

_BOM = b"\xef\xbb\xbf"


class Lines:
    """The lines of *source* with their numbers, from 1; to be read once.

    :ivar unfinished: the number of a last line without newline, once it was given out.
    """

    def __init__(self, source: BinaryIO, path: str) -> None:
        self.unfinished = 0
        self._source = source
        self._path = path

    def __iter__(self) -> Iterator[tuple[int, str]]:
        number = 0
        readline = self._source.readline
        while line := readline(LINE_LIMIT + 2):
            number += 1
            if number == 1:
                line = line.removeprefix(_BOM)
            if b"\0" in line:
                raise InputError(self._path, number, "expected text, found binary data")
            text = line.rstrip(b"\r\n")
            if len(text) > LINE_LIMIT:
                what = f"expected a line of at most {LINE_LIMIT} bytes"
                raise InputError(self._path, number, what)
            if not line.endswith(b"\n"):
                self.unfinished = number
            yield number, text.decode("utf-8", "replace")
