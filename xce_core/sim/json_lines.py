"""The objects of a JSON Lines file with their line numbers, within stated limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from xce_core.sim.fields import shown
from xce_core.sim.streams import CutOffError
from xce_core.sim.workload import InputError

LINE_LIMIT = 2**20
"""How many bytes a line may have, if the reader does not allow more."""

_BOM = b"\xef\xbb\xbf"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


class JsonLines:
    """Reads one object a line; blank lines are skipped.

    :ivar line: the number of the last line read.
    :ivar line_limit: how many bytes a line may have.
    :ivar cut: the line in which the file is cut off; 0 as long as it is not known to be.
    """

    def __init__(self, source: BinaryIO, path: str, up_to_cut: bool, line_limit: int) -> None:
        self.line = 0
        self.line_limit = line_limit
        self.cut = 0
        self._source = source
        self._path = path
        self._up_to_cut = up_to_cut

    def objects(self) -> Iterator[dict[str, Any]]:
        """Each object from here on; it stands in :attr:`line`.

        With *up_to_cut* a last line that is cut off ends them.

        :raises InputError: for a line that is no object; CutOffError for one that is cut off.
        """
        try:
            while data := self._next():
                if not data.isspace():
                    yield self._object(data)
        except CutOffError as error:
            if not self._up_to_cut:
                raise
            self.cut = error.line

    def _next(self) -> bytes:
        """The next line, empty at the end."""
        self.line += 1
        try:
            data = self._source.readline(self.line_limit + 1)
        except CutOffError as error:
            raise CutOffError(self._path, self.line, error.what) from None
        except InputError as error:
            raise InputError(self._path, self.line, error.what) from None
        if len(data) > self.line_limit:
            what = f"expected a line of at most {self.line_limit} bytes"
            raise InputError(self._path, self.line, what)
        return data.removeprefix(_BOM) if self.line == 1 else data

    def _object(self, data: bytes) -> dict[str, Any]:
        try:
            value = _DECODER.decode(data.decode())
        except (ValueError, RecursionError) as error:
            raise self._fault(data, error) from None
        if value.__class__ is not dict:
            what = f"expected an object, found {shown(value)}"
            raise InputError(self._path, self.line, what)
        return value

    def _fault(self, data: bytes, error: Exception) -> InputError:
        what, column = _message(error)
        if data.endswith(b"\n"):
            return InputError(self._path, self.line, what, column)
        return CutOffError(self._path, self.line, f"cut off in the last line ({what})", column)


def _message(error: Exception) -> tuple[str, int]:
    """What is wrong with a line, and in which column; 0 if that is not known."""
    if isinstance(error, json.JSONDecodeError):
        return f"JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.pos + 1
    if isinstance(error, UnicodeDecodeError):
        return "expected text in UTF-8, found another byte", error.start + 1
    if isinstance(error, RecursionError):
        return "JSON: nested too deeply", 0
    if "digits" in str(error):  # of Python's own, which speaks of its settings
        return "JSON: a number of thousands of digits", 0
    return f"JSON: {error}", 0
