"""Inputs opened for reading: plain or compressed, a file or the standard input."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from xce_core.sim.workload import InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

EXPANDED_LIMIT = 64 * 2**30
"""How many bytes a compressed input may expand to, if not said otherwise."""

STANDARD_INPUT = "-"

_BLOCK = 2**17
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


class CutOffError(InputError):
    """An input ends in the middle of something."""


def open_input(path: str, limit: int = EXPANDED_LIMIT) -> BinaryIO:
    """The content of the file at *path*, expanded; ``-`` is the standard input.

    :raises InputError: if it can't be opened; reading may raise it too, see :func:`expand`.
    """
    source = open_raw(path)
    try:
        return expand(source, path, limit)
    except BaseException:
        source.close()
        raise


def open_raw(path: str) -> io.BufferedReader:
    """The file at *path* as it is; ``-`` is the standard input.

    Its ``peek()`` shows the beginning, or all there is if that is less than 4 bytes.

    :raises InputError: if it can't be opened; reading may raise it too.
    """
    return io.BufferedReader(_Source(_opened(path), path), _BLOCK)


def expand(source: io.BufferedReader, path: str, limit: int = EXPANDED_LIMIT) -> BinaryIO:
    """What *source* holds, expanded if its first bytes say that it is compressed.

    Closing it closes *source*. Reading raises InputError for damaged data and for more than
    *limit* expanded bytes, CutOffError for data that ends too early.

    :param path: how messages name it.
    :raises InputError: if it can't be expanded.
    """
    head = source.peek(len(_ZSTD))
    if head.startswith(_GZIP):
        inner = cast("IO[bytes]", gzip.GzipFile(fileobj=source, mode="rb"))
    elif head.startswith(_ZSTD):
        inner = _zstd(source, path)
    else:
        return source
    return io.BufferedReader(_Expanded(inner, source, path, limit), _BLOCK)


def _opened(path: str) -> io.RawIOBase:
    if path == STANDARD_INPUT:
        return _standard_input()
    if os.path.isdir(path):
        raise InputError(path, 0, "is a directory")
    try:
        return io.FileIO(path)
    except OSError as error:
        raise InputError(path, 0, _cause(error)) from None
    except ValueError:  # a null byte in the path
        raise InputError(path, 0, "no such file or directory") from None


def _standard_input() -> io.RawIOBase:
    if sys.stdin is None:
        raise InputError(STANDARD_INPUT, 0, "the standard input is closed")
    try:
        # Closing what is made of it must not close the standard input itself.
        return io.FileIO(sys.stdin.fileno(), closefd=False)
    except (OSError, ValueError):  # something in memory stands for it
        return cast(io.RawIOBase, sys.stdin.buffer)


def _zstd(source: BinaryIO, path: str) -> IO[bytes]:
    opener = zstd_opener()
    if opener is None:
        what = "is compressed with zstd: install the extra, pip install 'xce_scheduler[zstd]'"
        raise InputError(path, 0, what)
    return opener(source)


def zstd_opener() -> Callable[[BinaryIO], IO[bytes]] | None:
    """What opens zstd data: the standard library's or the extra's; None without either."""
    try:
        from compression.zstd import ZstdFile
    except ImportError:
        try:
            from backports.zstd import ZstdFile
        except ImportError:
            return None
    return cast("Callable[[BinaryIO], IO[bytes]]", ZstdFile)


class _Source(io.RawIOBase):
    """A source whose first read gives enough bytes to tell what it is, even from a pipe."""

    def __init__(self, source: io.RawIOBase, path: str) -> None:
        self._source = source
        self._path = path
        self._begun = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._source.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._source.seek(offset, whence)

    def tell(self) -> int:
        return self._source.tell()

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        least = 1 if self._begun else len(_ZSTD)
        self._begun = True
        size = 0
        while size < least:
            got = self._read(view[size:])
            if not got:
                break
            size += got
        return size

    def _read(self, view: memoryview) -> int:
        try:
            return self._source.readinto(view) or 0
        except OSError as error:
            raise InputError(self._path, 0, _cause(error)) from None

    def close(self) -> None:
        if not self.closed:
            self._source.close()
        super().close()


class _Expanded(io.RawIOBase):
    """What a compressed stream holds, up to a limit; faults become InputErrors."""

    def __init__(self, inner: IO[bytes], source: Any, path: str, limit: int) -> None:
        self._inner = inner
        self._source = source
        self._path = path
        self._left = limit
        self._limit = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        block = self._block(len(view))
        self._left -= len(block)
        if self._left < 0:
            what = f"expands to more than the limit of {self._limit} bytes"
            raise InputError(self._path, 0, what)
        view[: len(block)] = block
        return len(block)

    def _block(self, size: int) -> bytes:
        try:
            return self._inner.read(size)
        except EOFError:
            raise CutOffError(self._path, 0, "the compressed data is cut off") from None
        except (OSError, zlib.error) as error:
            raise InputError(self._path, 0, f"the compressed data is damaged ({error})") from None
        except Exception as error:
            if type(error).__name__ != "ZstdError":  # its module may not be there
                raise
            raise InputError(self._path, 0, f"the compressed data is damaged ({error})") from None

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._source.close()
        super().close()


def _cause(error: OSError) -> str:
    """What the system says, without the path and the number."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
