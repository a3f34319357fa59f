"""The fields of a job line, read with care: every fault is told with its field."""

from __future__ import annotations

import re
from typing import NamedTuple

from xce_core.model.jobs import Seconds, canonical_seconds
from xce_core.sim.fields import SECONDS_LIMIT

COLUMNS = 18
LARGEST = 10**15
"""No number that is read may be larger; times and durations even less, see SECONDS_LIMIT."""

NUMBER, SUBMIT, WAIT, RUN, ALLOCATED = 1, 2, 3, 4, 5
REQUESTED, LIMIT, STATUS, USER, GROUP = 8, 9, 11, 12, 13
QUEUE, PRECEDING, THINK = 15, 17, 18

UNKNOWN = b"-1"

_NAMES = {
    NUMBER: "job number",
    SUBMIT: "submit time",
    WAIT: "wait time",
    RUN: "run time",
    ALLOCATED: "allocated processors",
    REQUESTED: "requested processors",
    LIMIT: "requested time",
    STATUS: "status",
    USER: "user",
    GROUP: "group",
    QUEUE: "queue",
    PRECEDING: "preceding job",
    THINK: "think time",
}
_NUMBER = re.compile(rb"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d{1,2})?")
_WORD = re.compile(rb"\S+")
_SHOWN = 30


class FieldError(ValueError):
    """A job line can't be read; *field* is the one at fault, 0 for the line as a whole."""

    def __init__(self, what: str, field: int = 0) -> None:
        super().__init__(what)
        self.field = field


class Row(NamedTuple):
    """A job line's fields in use; negative where unknown."""

    number: int
    submit: Seconds
    run: Seconds
    allocated: int
    requested: int
    limit: Seconds
    status: int
    user: int
    group: int
    queue: int
    preceding: int
    think: Seconds

    @property
    def procs(self) -> int:
        """The processors that count: the requested ones, or else the allocated ones."""
        return self.requested if self.requested > 0 else self.allocated


def row_of(tokens: list[bytes], queues: bool, dependencies: bool) -> Row:
    """The fields of a line that was split at blanks.

    Only what is needed is looked at: the allocated processors where the requested ones do
    not say all, the queue and the preceding job where asked for.

    :raises FieldError: for too few fields, or a field that is no number.
    """
    if len(tokens) < COLUMNS:
        raise FieldError(_too_few(tokens))
    run, requested, status = seconds(tokens, RUN), whole(tokens, REQUESTED), whole(tokens, STATUS)
    number = whole(tokens, NUMBER)
    if number < 0:
        raise FieldError(f"expected a number of zero or more, found {number}", NUMBER)
    wanted = requested <= 0 or run <= 0
    return Row(
        number,
        seconds(tokens, SUBMIT),
        run,
        whole(tokens, ALLOCATED) if wanted else requested,
        requested,
        seconds(tokens, LIMIT),
        status,
        whole(tokens, USER),
        whole(tokens, GROUP),
        whole(tokens, QUEUE) if queues else -1,
        -1 if tokens[PRECEDING - 1] == UNKNOWN else whole(tokens, PRECEDING),
        seconds(tokens, THINK) if dependencies else -1,
    )


def seconds(tokens: list[bytes], field: int) -> Seconds:
    """The time or duration in *field*.

    :raises FieldError: if it is no number, or too large a one.
    """
    return _number(tokens[field - 1], field, SECONDS_LIMIT)


def _number(token: bytes, field: int, largest: int) -> Seconds:
    if len(token) > _SHOWN or _NUMBER.fullmatch(token) is None:
        raise FieldError(f"expected a number, found {shown(token)}", field)
    value = int(token) if token.isdigit() else canonical_seconds(float(token))
    if abs(value) > largest:
        raise FieldError(f"expected a number of at most {largest}, found {shown(token)}", field)
    return value


def whole(tokens: list[bytes], field: int) -> int:
    """The whole number in *field*.

    :raises FieldError: if it is none.
    """
    value = _number(tokens[field - 1], field, LARGEST)
    if not isinstance(value, int):
        raise FieldError(f"expected a whole number, found {shown(tokens[field - 1])}", field)
    return value


def column_of(line: bytes, field: int) -> int:
    """The column, from 1, at which *field* starts; 0 for the line as a whole."""
    for at, match in enumerate(_WORD.finditer(line), 1):
        if at == field:
            return match.start() + 1
    return 0


def told(fault: FieldError) -> str:
    """The fault with the field's number and name."""
    return f"field {fault.field} ({_NAMES[fault.field]}): {fault}" if fault.field else str(fault)


def shown(token: bytes) -> str:
    """*token* for a message, cut if long."""
    cut = token[:_SHOWN] + b"..." if len(token) > _SHOWN else token
    return repr(cut.decode("utf-8", "replace"))


def _too_few(tokens: list[bytes]) -> str:
    what = f"expected {COLUMNS} fields separated by blanks, found {len(tokens)}"
    if b";" in tokens[0]:
        return f"{what}: ';' separates nothing in this format"
    return what
