"""Outputs that appear whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from contextlib import suppress
from types import TracebackType
from typing import TextIO

from xce_core.sim.write_errors import ReportingFile, cause

STANDARD_OUTPUT = "-"

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL


class OutputError(Exception):
    """An output can't be written; the message names it and the cause."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path}: {what}")
        self.path = path
        self.what = what


class AtomicFile:
    """A text file, written beside its place and put there when the ``with`` block is over.

    If the block ends by any exception, an interrupt among them, nothing has changed. A file
    that is replaced keeps its permissions; a link keeps its place, and what it points to is
    replaced. ``-`` is the standard output; it and what is no regular file, such as a pipe,
    are written directly.

    :raises OutputError: on entering, if it can't be written, or is a directory; on leaving,
        if the rest can't be. Writing to it raises this too, but for the standard output.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._target = ""
        self._beside = ""
        self._stream: TextIO | None = None

    def __enter__(self) -> TextIO:
        if self._path == STANDARD_OUTPUT:
            self._stream = sys.stdout
            return self._stream
        try:
            path = self._path
            raw = ReportingFile(self._open(), lambda error: OutputError(path, cause(error)))
            self._stream = io.TextIOWrapper(
                io.BufferedWriter(raw),
                encoding="utf-8",
                newline="",
                line_buffering=raw.isatty(),
            )
        except OSError as error:
            self._remove()
            raise self._failed(error) from None
        except ValueError:  # a null byte in the path
            raise OutputError(self._path, "no such file or directory") from None
        except BaseException:
            self._remove()
            raise
        return self._stream

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        stream = self._stream
        assert stream is not None
        try:
            if kind is not None:
                with suppress(OSError, OutputError):
                    self._leave(stream)
            elif self._path == STANDARD_OUTPUT:
                stream.flush()
            else:
                self._finish(stream)
        except BrokenPipeError:
            raise
        except OSError as failure:
            raise self._failed(failure) from None
        finally:
            self._remove()  # also if closing was interrupted

    def _open(self) -> int:
        """A descriptor for a new file beside the target, or for a target that is special."""
        # A link such as /dev/stdout may lead to what has no path.
        try:
            mode = os.stat(self._path).st_mode
        except FileNotFoundError:
            mode = None
        if mode is not None and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return os.open(self._path, os.O_WRONLY)
        self._target = os.path.realpath(self._path)
        if mode is None:
            if not os.path.basename(self._path):
                raise FileNotFoundError(errno.ENOENT, "No such file or directory")
            return self._new_file()
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "Is a directory")
        if not os.access(self._target, os.W_OK):
            raise PermissionError(errno.EACCES, "Permission denied")
        descriptor = self._new_file()
        with suppress(OSError):
            os.fchmod(descriptor, stat.S_IMODE(mode))
        return descriptor

    def _new_file(self) -> int:
        folder, name = os.path.split(self._target)
        for number in range(1000):
            beside = os.path.join(folder, f".{name[:200]}.{os.getpid()}-{number}.tmp")
            self._beside = beside  # first: an interrupt may come as soon as it is there
            try:
                return os.open(beside, _NEW, 0o666)
            except FileExistsError:
                self._beside = ""
        raise FileExistsError(errno.EEXIST, "too many unfinished outputs beside it")

    def _leave(self, stream: TextIO) -> None:
        """The end of what failed for a reason that is under way already."""
        if self._path == STANDARD_OUTPUT:
            stream.flush()
        else:
            stream.close()

    def _finish(self, stream: TextIO) -> None:
        stream.flush()
        if self._beside:
            os.fsync(stream.fileno())
        stream.close()
        if self._beside:
            os.replace(self._beside, self._target)
            self._beside = ""

    def _remove(self) -> None:
        """Remove what was not put in place."""
        if self._beside:
            with suppress(OSError):
                os.unlink(self._beside)

    def _failed(self, error: OSError) -> OutputError:
        name = "standard output" if self._path == STANDARD_OUTPUT else self._path
        return OutputError(name, cause(error))
