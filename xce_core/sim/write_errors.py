"""Errors of writing, in the words of the user who named the output."""

from __future__ import annotations

import errno
import io
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def cause(error: OSError) -> str:
    """What the system says, without the path and the number."""
    if error.errno == errno.EBADF:
        return "is closed"
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


class ReportingFile(io.FileIO):
    """A file whose write errors are told in the words of its user.

    A reader that is gone is no such error.

    :param failure: gives what is raised in place of the system's error.
    """

    def __init__(
        self, descriptor: int, failure: Callable[[OSError], Exception], closefd: bool = True
    ) -> None:
        super().__init__(descriptor, "w", closefd=closefd)
        self._failure = failure

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._failure(error) from None
