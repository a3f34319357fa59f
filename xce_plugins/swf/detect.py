"""Whether an input is an SWF log, by its name or its first bytes."""

from __future__ import annotations

import re

_SUFFIXES = (".swf", ".swf.gz", ".swf.zst")
_HEADER = re.compile(rb"\s*;[\s;]*[A-Za-z]+\s*:")
_NUMBER = re.compile(rb"[+-]?\d+(?:\.\d*)?")


def is_swf(path: str, first_bytes: bytes) -> bool:
    """Whether the name ends like an SWF log's, or else the content looks like one.

    :param first_bytes: the beginning of the input, expanded; a few kilobytes are enough.
    """
    return path.lower().endswith(_SUFFIXES) or _looks_like_swf(first_bytes)


def _looks_like_swf(text: bytes) -> bool:
    """By the first line that is not blank: a header entry, or 18 numbers."""
    line = text.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    fields = line.split()[:18]
    if line.startswith(b";"):
        return _HEADER.match(line) is not None
    return len(fields) == 18 and all(_NUMBER.fullmatch(field) for field in fields)
