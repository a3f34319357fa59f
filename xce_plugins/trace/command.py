"""The ``trace`` command: what the user wants traced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from xce_core.model.amounts import AmountKind, UnitsMode, format_amount
from xce_core.model.jobs import format_job_id, parse_job_id
from xce_core.model.ranges import DIGITS_LIMIT, fold_numbers
from xce_plugins.trace.control import Control, Form, Settings
from xce_plugins.trace.files import (
    PATH_BYTES,
    STANDARD,
    FileError,
    TraceFile,
    Used,
    open_trace_file,
)
from xce_plugins.trace.model import LINES_LEAST, LINES_MOST, Level
from xce_plugins.trace.store import BOUND, Store
from xce_repl.interface import CommandError
from xce_repl.paths import paths_starting

_OPTIONS = ("level", "lines", "format", "file")
_NONE = "(nothing)"
_PATHS_OFFERED = 200


class Invalid(CommandError):
    """An argument that the command does not take."""

    def __init__(self, what: str, argument: str) -> None:
        super().__init__(f"[sim] trace: invalid {what}: {_printable(argument)}")


def _printable(text: str) -> str:
    """*text* in one line, without what could move the cursor."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text) or _NONE


@dataclass(frozen=True, slots=True)
class Wanted:
    """A ``trace on`` as parsed: settings still without their file.

    :param path: of the file; None for none.
    """

    settings: Settings
    path: str | None


# Parsing.


def parse_on(text: str) -> Wanted:
    """What follows ``trace on``.

    :raises Invalid: for anything that is not allowed.
    """
    words, path = _split_path(text)
    if not words or words[0] not in ("all", "job"):
        raise Invalid("selection", words[0] if words else "")
    settings = Settings()
    at = 1
    if words[0] == "job":
        jobs = []
        while at < len(words) and words[at] not in _OPTIONS:
            jobs.append(words[at])
            at += 1
        settings = _jobs(jobs)
    return Wanted(_options(settings, words[at:]), path)


def _split_path(text: str) -> tuple[list[str], str | None]:
    """The words before ``file``, and the path, which is the rest of the line."""
    words: list[str] = []
    rest = text.strip()
    while rest:
        word, *more = rest.split(None, 1)
        rest = more[0] if more else ""
        if word == "file" and words:
            return words, _path(rest.strip())
        words.append(word)
    return words, None


def _path(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    if not text or text == STANDARD or len(os.fsencode(text)) > PATH_BYTES:
        raise Invalid("file", text)
    return text


def _jobs(words: list[str]) -> Settings:
    if not words:
        raise Invalid("job", "")
    numbers: set[int] = set()
    elements: set[tuple[int, int]] = set()
    for word in words:
        number, index = _job(word)
        if index < 0:
            numbers.add(number)
        else:
            elements.add((number, index))
    return Settings(frozenset(numbers), frozenset(elements))


def _job(word: str) -> tuple[int, int]:
    try:
        number, index = parse_job_id(word)
    except ValueError:
        raise Invalid("job", word) from None
    if max(number, index) >= 10**DIGITS_LIMIT:
        raise Invalid("job", word)
    return number, index


def _options(settings: Settings, words: list[str]) -> Settings:
    seen: set[str] = set()
    for name, value in zip(words[::2], [*words[1::2], ""], strict=False):
        if name not in _PARSERS or name in seen:
            raise Invalid("option", name)
        seen.add(name)
        settings = _PARSERS[name](settings, value)
    return settings


def _level(settings: Settings, value: str) -> Settings:
    if value not in [level.value for level in Level]:
        raise Invalid("level", value)
    return replace(settings, level=Level(value))


def _lines(settings: Settings, value: str) -> Settings:
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(LINES_MOST))
    if not is_number or not LINES_LEAST <= int(value) <= LINES_MOST:
        raise Invalid("lines", value)
    return replace(settings, lines=int(value))


def _format(settings: Settings, value: str) -> Settings:
    if value not in [form.value for form in Form]:
        raise Invalid("format", value)
    return replace(settings, form=Form(value))


_PARSERS: dict[str, Callable[[Settings, str], Settings]] = {
    "level": _level,
    "lines": _lines,
    "format": _format,
}


# Running.


class TraceCommand:
    """``trace``.

    :param used: gives the files that the run uses now.
    """

    def __init__(
        self, control: Control, store: Store, used: Callable[[], Iterable[Used]]
    ) -> None:
        self._control = control
        self._store = store
        self._used = used

    def run(self, text: str) -> list[str]:
        """Do what *text*, the rest of the line, says.

        :raises CommandError: for a mistake; nothing has changed.
        """
        word, *more = text.split(None, 1) if text.strip() else ("",)
        rest = more[0] if more else ""
        if word == "on":
            self._control.set(self._settings(parse_on(rest)))
            return []
        if word not in ("off", "status"):
            raise Invalid("command", word)
        if rest:
            raise Invalid("argument", rest.strip())
        if word == "off":
            self._control.set(None)
            return []
        return status_lines(self._control, self._store)

    def _settings(self, wanted: Wanted) -> Settings:
        if wanted.path is None:
            return wanted.settings
        try:
            file = open_trace_file(wanted.path, self._used())
        except FileError as error:
            raise CommandError(f"[sim] trace: {_printable(wanted.path)}: {error}") from None
        return replace(wanted.settings, file=file)


def status_lines(control: Control, store: Store) -> list[str]:
    """What is in effect, what replaces it, and the memory that stored traces take."""
    if control.session is None:
        lines = _settings_lines("next session", control.next)
    else:
        lines = _settings_lines("in effect", control.current)
        if control.next is not control.current:
            lines += _settings_lines("from the next session", control.next)
    used = format_amount(store.size, AmountKind.BYTES, 0, UnitsMode.AUTO)
    bound = format_amount(BOUND, AmountKind.BYTES, 0, UnitsMode.AUTO)
    return [*lines, f"stored traces: {used} / {bound}"]


def _settings_lines(when: str, settings: Settings | None) -> list[str]:
    if settings is None:
        return [f"trace {when}: off"]
    return [
        f"trace {when}: on",
        f"  selection: {_selection(settings)}",
        f"  level: {settings.level.value}",
        f"  line bound: {settings.lines}",
        f"  file: {_file(settings.file, settings.form)}",
    ]


def _selection(settings: Settings) -> str:
    if settings.numbers is None:
        return "all jobs"
    parts = [fold_numbers(settings.numbers)] if settings.numbers else []
    parts += [format_job_id(*element) for element in sorted(settings.elements)]
    return f"jobs {','.join(parts)}"


def _file(file: TraceFile | None, form: Form) -> str:
    if file is None:
        return "none"
    return f"{_printable(file.path)}{' (json)' if form is Form.JSON else ''}"


# Completion.


def completions(words: Sequence[str], jobs: Iterable[str], word: str = "") -> list[str]:
    """What may come after *words*.

    :param jobs: ids of jobs to offer where one may stand.
    :param word: what is there of the next word.
    """
    if not words:
        return ["on", "off", "status"]
    if words[0] != "on":
        return []
    if len(words) == 1:
        return ["all", "job"]
    values = {
        "level": [level.value for level in Level],
        "format": [form.value for form in Form],
        "lines": [],
    }
    if words[-1] == "file":
        return list(islice(paths_starting(word), _PATHS_OFFERED))
    if words[-1] in values:
        return values[words[-1]]
    left = [name for name in _OPTIONS if name not in words]
    return [*jobs, *left] if words[1] == "job" and len(left) == len(_OPTIONS) else left
