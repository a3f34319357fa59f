"""The trace file: opened for appending, compared with the files of the run, written through."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

PATH_BYTES = 4095
"""How long a path may be."""

STANDARD = "-"


class FileError(Exception):
    """A trace file can't be used; the message says why, without its name."""


@dataclass(frozen=True, slots=True)
class Used:
    """A file that the run uses.

    :param role: what it is to the run, such as ``the replay's input``.
    :param path: as the user named it; ``-`` for *standard*.
    :param standard: the descriptor that ``-`` means.
    """

    role: str
    path: str
    standard: int


class TraceFile:
    """A file that trace lines are appended to, straight through.

    :ivar failed: what the last write ended with; empty if it went well.
    """

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._identity = identity(descriptor)

    def is_at(self, path: str) -> bool:
        """Whether *path* leads to this file, by whatever name."""
        return same_file(path, self.path, self._identity)

    def write(self, lines: Iterable[str]) -> None:
        """Append *lines*.

        :raises OSError: if not all of it could be written.
        """
        text = "".join(f"{line}\n" for line in lines)
        rest = memoryview(text.encode("utf-8", "backslashreplace"))
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]

    def close(self) -> None:
        """Close it; what can't be closed is gone anyway."""
        with suppress(OSError):
            os.close(self._descriptor)


def open_trace_file(path: str, used: Iterable[Used]) -> TraceFile:
    """The file at *path*, opened for appending and made if it is not there.

    :param used: the files of the run; none of them may be meant.
    :raises FileError: if it is one of these, or can't be opened.
    """
    files = list(used)
    try:
        _refuse(path, _existing(path), files)  # before opening, which would make it
        # Without NONBLOCK a named pipe that nobody reads would be waited for.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        raise FileError(cause(error)) from None
    except ValueError:  # a null byte in the path
        raise FileError("no such file or directory") from None
    try:
        _refuse(path, identity(descriptor), files)  # what is at the path may have changed
        os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return TraceFile(path, descriptor)


def _refuse(path: str, found: tuple[int, int] | None, used: list[Used]) -> None:
    for file in used:
        if file.path == STANDARD:
            taken = found is not None and found == identity(file.standard)
        else:
            taken = same_file(file.path, path, found)
        if taken:
            raise FileError(f"is {file.role}")


def same_file(path: str, other: str, found: tuple[int, int] | None) -> bool:
    """Whether *path* and *other* lead to one file.

    :param found: device and inode of what is at *other*; None if nothing is there. Two paths
        at which there is nothing yet are the same if they are one name in one folder.
    """
    here = _existing(path)
    if here is not None and found is not None:
        return here == found
    return _place(path) == _place(other)


def _place(path: str) -> tuple[object, str]:
    """The folder, by identity if it is there, and the name in it, with links followed."""
    try:
        folder, name = os.path.split(os.path.realpath(path))
    except (OSError, ValueError):
        return path, ""
    return _existing(folder) or folder, name


def _existing(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def identity(descriptor: int) -> tuple[int, int] | None:
    """Device and inode of an open file; None if it is closed."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def cause(error: OSError) -> str:
    """What the system says, without the path and the number."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
