"""Which files a run reads and writes, and that no output destroys another of them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TextIO

import click

_OUTPUTS = {"sim_output": "--sim-output", "jobs_csv": "--jobs-csv", "log": "--log"}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads.

    :param key: device and inode; of what is not there yet, its real path.
    :param regular: whether it is a file that can be read again.
    """

    key: tuple[int, int] | str
    regular: bool


def refuse_clashes(given: Mapping[str, Any]) -> None:
    """Hold the outputs among the options *given* against the inputs and each other.

    Files are compared, not names. Nothing is opened.

    :raises click.UsageError: if an output would destroy an input or another output.
    """
    read: dict[tuple[int, int] | str, str] = {}
    for flag, path in _inputs(given):
        place = _place(path, sys.stdin)
        if place is not None and place.regular:
            read.setdefault(place.key, flag)
    written: dict[tuple[int, int] | str, str] = {}
    for flag, path, place in _outputs(given):
        where = "standard output" if path == "-" else path
        if place.key in read:
            what = f"{flag} would overwrite what {read[place.key]} reads: {where}"
            raise click.UsageError(what)
        if place.key in written:
            both = f"{written[place.key]} and {flag} would both write to {where}"
            raise click.UsageError(both)
        written[place.key] = flag


def _inputs(given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Flags that name files to read, with these."""
    for name in ("sim", "cluster"):
        if given[name] is not None:
            yield f"--{name}", given[name]
    yield from (("-x", path) for path in given["scripts"])
    yield from (("-p", name) for name in given["plugins"] if name.endswith(".py") or "/" in name)
    for pair in given["options"]:
        value = pair.partition("=")[2]
        # A word such as ``log`` is a value, even if a file has that name.
        if os.path.dirname(value) or os.path.splitext(value)[1]:
            yield "-o", value


def _outputs(given: Mapping[str, Any]) -> Iterable[tuple[str, str, Place]]:
    """Flags that name files to write, with these and where they lead; most general first."""
    named = [("--json", "-")] if given["as_json"] else []
    named += [(flag, given[name]) for name, flag in _OUTPUTS.items() if given[name] is not None]
    found = [(flag, path, _place(path, sys.stdout)) for flag, path in named]
    result = _place("-", sys.stdout)
    if result is not None and result.regular and all(path != "-" for _, path in named):
        found.insert(0, ("the result", "-", result))
    return [(flag, path, place) for flag, path, place in found if place is not None]


def _place(path: str, standard: TextIO) -> Place | None:
    """Where *path* leads, ``-`` being *standard*; None for what can be shared."""
    try:
        found = os.fstat(standard.fileno()) if path == "-" else os.stat(path)
    except OSError:
        return Place("-" if path == "-" else os.path.realpath(path), False)
    except ValueError:  # a null byte in the path, or a stream that is closed
        return Place(path, False)
    if path != "-" and stat.S_ISCHR(found.st_mode) and os.path.samefile(path, os.devnull):
        return None
    return Place((found.st_dev, found.st_ino), stat.S_ISREG(found.st_mode))
