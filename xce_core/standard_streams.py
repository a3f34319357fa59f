"""Standard streams that are always there, and whose write errors tell which one it is."""

from __future__ import annotations

import io
import os
import sys
from functools import partial
from typing import TextIO

from xce_core.sim.write_errors import ReportingFile, cause

_INPUT, _OUTPUT, _ERROR = range(3)
_NAMES = {_OUTPUT: "standard output", _ERROR: "standard error"}


class UnwritableStream(OSError):
    """A standard stream can't be written, for a reason other than a reader that is gone."""

    def __init__(self, name: str, error: OSError) -> None:
        super().__init__(error.errno, f"{name}: {cause(error)}")

    def __str__(self) -> str:
        return str(self.strerror)


def open_streams() -> None:
    """Make sure of the standard streams; something stands in for those that are closed.

    Otherwise the next files opened would take their places, and what is meant for a stream
    would go there. Nothing is to be read; writing results fails; messages are dropped.
    """
    for number, flags in ((_INPUT, os.O_RDONLY), (_OUTPUT, os.O_RDONLY), (_ERROR, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            put(os.open(os.devnull, flags), number)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(_INPUT, closefd=False)))
    sys.stdout = _standard(_OUTPUT, sys.stdout)
    sys.stderr = _standard(_ERROR, sys.stderr)


def _standard(number: int, before: TextIO | None) -> TextIO:
    """The stream with that number, which writes as *before* does."""
    like = before if isinstance(before, io.TextIOWrapper) else None
    raw = ReportingFile(number, partial(UnwritableStream, _NAMES[number]), closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=like.encoding if like else "utf-8",
        errors=like.errors if like else "backslashreplace",
        line_buffering=like is None or like.line_buffering or like.write_through,
    )


def put(descriptor: int, number: int) -> None:
    """Have *number* stand for what *descriptor* does."""
    if descriptor != number:
        os.dup2(descriptor, number)
        os.close(descriptor)
