"""The header of a log: comment lines with a key and a value, as people really write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from xce_plugins.swf.lines import Batch

_ENTRY = re.compile(rb"\s*;[\s;]*([A-Za-z]{1,40})\s*:\s*(.{0,500})")
_NUMBER = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?![\d,])|[+-]?\d{1,18}(?!\d)")
_KNOWN = {
    name.lower(): name
    for name in ("Computer", "Acknowledge", "UnixStartTime", "MaxNodes", "MaxProcs", "Preemption")
}


class Header:
    """What the lines before the first job say, by key; the first value of each key counts."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def read(self, line: bytes) -> None:
        """Take in a comment line; one without a key that matters changes nothing."""
        match = _ENTRY.match(line)
        name = _KNOWN.get(match[1].decode("ascii").lower()) if match else None
        if match is None or name is None:
            return
        value = match[2].decode("utf-8", "replace").strip()
        # A later value may say what an earlier -1 does not.
        if name not in self._values or (
            self.number(name) is None and _number_in(value) is not None
        ):
            self._values[name] = value

    @property
    def values(self) -> Mapping[str, str]:
        """The values as written, of the keys that matter."""
        return self._values

    def number(self, name: str) -> int | None:
        """The number a value begins with; None if there is none or it is negative (unknown)."""
        return _number_in(self._values.get(name, ""))

    def positive(self, name: str) -> int | None:
        """As :meth:`number`, but 0 means unknown too."""
        return self.number(name) or None


def _number_in(value: str) -> int | None:
    """338 for ``338 (batch partition; 512 total)``, 1152 for ``1,152``."""
    match = _NUMBER.match(value)
    number = int(match[0].replace(",", "")) if match else -1
    return number if number >= 0 else None


def split_header(batches: Iterator[Batch]) -> tuple[Header, Iterator[Batch]]:
    """The header, and the lines from the first job on."""
    header = Header()
    for first, lines in batches:
        for at, line in enumerate(lines):
            if not is_remark(line):
                return header, chain([(first + at, lines[at:])], batches)
            header.read(line)
    return header, iter(())


def is_remark(line: bytes) -> bool:
    """Whether *line* is blank or a comment."""
    text = line.lstrip()
    return not text or text.startswith(b";")
