"""What is needed once something has been traced: records as lines, as bytes and as JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from xce_plugins.trace.codec import encode
from xce_plugins.trace.json_form import json_line
from xce_plugins.trace.model import Record
from xce_plugins.trace.render import Units, record_parts
from xce_repl.interface import Repl


class Showing:
    """Shows records in the units and the time zone that are set."""

    def __init__(self, repl: Repl) -> None:
        self._repl = repl
        self._units = Units(repl.units, repl.time)

    def units(self) -> Units:
        """How amounts are shown now."""
        mode = self._repl.units
        if self._units.mode is not mode:
            self._units = Units(mode, self._repl.time)
        return self._units

    def parts(self, record: Record) -> list[str]:
        """The lines of *record*, and blocks of lines among them."""
        return record_parts(record, self.units())

    def json(self, record: Record) -> str:
        """The machine form of *record*, in a line."""
        return json_line(record)

    def packing(self, record: Record) -> Callable[[], bytes]:
        """What makes bytes of *record*, for the store."""
        return partial(encode, record)
