"""Exit statuses: what each way out of the command is, and how the user is told."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TextIO

import click

from xce_core.sim.atomic import OutputError
from xce_core.standard_streams import UnwritableStream, put

MISMATCH, USAGE, BAD_FILE, BAD_PLUGIN = 1, 2, 3, 4
INTERNAL, INTERRUPTED, CLOSED_PIPE = 70, 130, 141
"""Exit statuses other than 0; that of a signal is 128 and its number."""

_SIGNALS = {signal.SIGTERM: "terminated"}
if hasattr(signal, "SIGHUP"):
    _SIGNALS[signal.SIGHUP] = "hung up"


class Stopped(BaseException):
    """A signal asks the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Passing(Exception):
    """Carries an exception past click, which would make an ordinary failure of it."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


@contextmanager
def past_click() -> Iterator[None]:
    """Whatever click would treat in its own way goes past it."""
    try:
        yield
    except (OSError, EOFError, KeyboardInterrupt) as error:
        raise Passing(error) from error


def say(text: str) -> None:
    """A message for the user, on standard error."""
    click.echo(f"xce_scheduler: {text}", err=True)


def catch_signals() -> None:
    """From now on the signals that end a program raise :class:`Stopped`; ignored ones do not."""
    for number in _SIGNALS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    for each in _SIGNALS:  # another one must not break off the way out
        signal.signal(each, signal.SIG_IGN)
    raise Stopped(number)


def guarded(action: Callable[[], int], debug: bool) -> int:
    """The status of *action*, whatever it raises; the reason is told on standard error.

    :param debug: whether to show where an unexpected error came from.
    """
    try:
        status = action()
        sys.stdout.flush()
    except BaseException as error:
        status = _told(error.error if isinstance(error, Passing) else error, debug)
    return _flushed(status)


def _told(error: BaseException, debug: bool) -> int:
    """The status for *error*, which is told if that can be."""
    status, message = _reason(error)
    try:
        if status == INTERNAL and debug:
            import traceback  # for this alone

            traceback.print_exception(error)
        if isinstance(error, click.ClickException):
            error.show()
        elif message:
            click.echo(message, err=True)
    except OSError as fault:
        return CLOSED_PIPE if _is_closed_pipe(fault) else status
    return status


def _reason(error: BaseException) -> tuple[int, str]:
    """The status for *error*, and the message."""
    match error:
        case click.exceptions.Exit():
            return error.exit_code, ""
        case SystemExit():
            return (error.code if isinstance(error.code, int) else int(bool(error.code))), ""
        case click.ClickException():
            return (USAGE if error.exit_code in (1, USAGE) else error.exit_code), error.message
        case KeyboardInterrupt() | click.Abort():
            return INTERRUPTED, _left("interrupted")
        case Stopped():
            return 128 + error.number, _left(_SIGNALS[signal.Signals(error.number)])
    return _reason_of_run(error)


def _reason_of_run(error: BaseException) -> tuple[int, str]:
    """The same of what came up after the command line was found good."""
    from xce_core.plugins import PluginError
    from xce_core.sched.allocator import PluginFailure
    from xce_core.sim.workload import InputError, OptionError

    match error:
        case OptionError():
            return USAGE, f"xce_scheduler: {error}"
        case InputError() | OutputError() | UnwritableStream():
            return BAD_FILE, str(error)
        case PluginError():
            return BAD_PLUGIN, f"xce_scheduler: {error}"
        case PluginFailure():
            return BAD_PLUGIN, f"xce_scheduler: plugin {error}"
        case OSError() if _is_closed_pipe(error):
            return CLOSED_PIPE, ""
    text = " ".join(str(error).split())
    what = f"internal error: {type(error).__name__}: {text}; --debug shows where"
    return INTERNAL, f"xce_scheduler: {what}"


def _left(how: str) -> str:
    """What to say of an end from outside; it gets a line of its own after a terminal's ``^C``."""
    newline = "\n" if how == "interrupted" and sys.stderr.isatty() else ""
    return f"{newline}xce_scheduler: {how}; outputs were left as they were"


def _is_closed_pipe(error: OSError) -> bool:
    return isinstance(error, BrokenPipeError)


def _flushed(status: int) -> int:
    """*status*, or another if what was written so far can't be got rid of."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            _drop(stream)
            if _is_closed_pipe(error):
                status = CLOSED_PIPE
            elif status in (0, MISMATCH):
                status = BAD_FILE
                with suppress(OSError):
                    click.echo(str(error), err=True)
    return status


def _drop(stream: TextIO) -> None:
    """Send what is left in *stream* nowhere, lest it fail again when the program ends."""
    with suppress(OSError, ValueError):
        number = stream.fileno()
        put(os.open(os.devnull, os.O_WRONLY), number)
        stream.flush()
