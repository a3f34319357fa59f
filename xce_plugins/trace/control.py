"""What the user asked to have traced: in the session in progress, and from the next one on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from xce_core.model.jobs import parse_job_id
from xce_plugins.trace.model import LINES_DEFAULT, Level

if TYPE_CHECKING:
    from xce_plugins.trace.files import TraceFile


class Form(Enum):
    """What is written to the trace file: the lines shown, or the record as JSON."""

    TEXT = "text"
    JSON = "json"


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """One ``trace on``. Two of them are never equal, since each has its own file.

    :param numbers: jobs, and arrays with all their elements; None for all jobs.
    :param elements: array elements, as number and index.
    """

    numbers: frozenset[int] | None = None
    elements: frozenset[tuple[int, int]] = frozenset()
    level: Level = Level.SUMMARY
    lines: int = LINES_DEFAULT
    form: Form = Form.TEXT
    file: TraceFile | None = None

    def wants(self, job: str) -> bool:
        """Whether the job of this id is to be traced; what is no job only if all are."""
        if self.numbers is None:
            return True
        try:
            number, index = parse_job_id(job)
        except ValueError:
            return False
        return number in self.numbers or (number, index) in self.elements


class Control:
    """Which settings apply: a change waits for the next session.

    :ivar next: of the next session; None if tracing is off.
    :ivar current: of the session in progress; None if it is not traced, or there is none.
    :ivar session: number of the session in progress; None if there is none.
    """

    def __init__(self) -> None:
        self.next: Settings | None = None
        self.current: Settings | None = None
        self.session: int | None = None

    def set(self, settings: Settings | None) -> None:
        """Replace what the next session uses."""
        replaced, self.next = self.next, settings
        self._let_go(replaced)

    def begin(self, session: int) -> None:
        """A session begins."""
        self._leave()
        self.session = session
        self.current = self.next

    def end(self, session: int) -> None:
        """A session is over; one that is not in progress is not heeded."""
        if session == self.session:
            self._leave()

    def _leave(self) -> None:
        replaced, self.current, self.session = self.current, None, None
        self._let_go(replaced)

    def _let_go(self, settings: Settings | None) -> None:
        """Close the file of settings that no longer apply anywhere."""
        if settings is None or settings in (self.next, self.current):
            return
        if settings.file is not None:
            settings.file.close()

    def files(self) -> list[TraceFile]:
        """The trace files that are open."""
        using = {id(s): s for s in (self.current, self.next) if s is not None}
        return [settings.file for settings in using.values() if settings.file is not None]

    def close(self) -> None:
        """Nothing is traced any more."""
        self.set(None)
        self._leave()
