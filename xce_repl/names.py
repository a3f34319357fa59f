"""Names that may be abbreviated: a unique prefix will do, and some letters are reserved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from xce_core.suggestions import did_you_mean
from xce_repl.interface import CommandError

T = TypeVar("T")

BRIEF = 80
"""How many characters of what a user typed a message quotes."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*", re.ASCII)


class NameRefused(Exception):
    """A name can't be added; the message says why."""


@dataclass(frozen=True, slots=True)
class Owned(Generic[T]):
    """What was added under a name, and by whom."""

    name: str
    value: T
    owner: str


class Names(Generic[T]):
    """Things by name, in the order in which they were added.

    :param what: what they are, for messages.
    :param listing: the command that lists them, for messages.
    :param reserved: letters that stand for one name, whatever others there are.
    """

    def __init__(
        self, what: str, listing: str, reserved: Mapping[str, str] | None = None
    ) -> None:
        self._what = what
        self._listing = listing
        self._reserved = dict(reserved or {})
        self._found: dict[str, Owned[T]] = {}

    def __iter__(self) -> Iterator[Owned[T]]:
        return iter(self._found.values())

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def add(self, owner: str, name: str, value: T) -> None:
        """Enter *value*.

        :raises NameRefused: if the name is taken, reserved or malformed.
        """
        if not _NAME.fullmatch(str(name)):  # a plugin may give anything
            expected = "expected a name of a-z, 0-9, - and _ that begins with a letter"
            raise NameRefused(f"{self._what} {brief(repr(name))}: {expected}")
        if name in self._reserved:
            raise NameRefused(f"{self._what} {name}: the letter stands for {self._reserved[name]}")
        if name in self._found:
            raise NameRefused(f"{self._what} {name}: {self._found[name].owner} has it already")
        self._found[name] = Owned(name, value, owner)

    def find(self, word: str) -> Owned[T]:
        """What *word* stands for: a name, a reserved letter, or a unique beginning of a name.

        :raises CommandError: if it stands for nothing or for several things.
        """
        matches = self.meant(word)
        if len(matches) == 1:
            return self._found[matches[0]]
        if matches:
            raise CommandError(f"{self._what} {word} is ambiguous: {', '.join(matches)}")
        hint = did_you_mean(word, list(self._found)) or f"; {self._listing} lists them"
        raise CommandError(f"unknown {self._what} {brief(word)}{hint}")

    def meant(self, word: str) -> list[str]:
        """The names that *word* may stand for; it is clear if there is one."""
        word = self._reserved.get(word, word)
        return [word] if word in self._found else self.starting(word)

    def starting(self, word: str) -> list[str]:
        """The names that begin so, in order of the alphabet."""
        return sorted(name for name in self._found if name.startswith(word))

def brief(text: str) -> str:
    """*text* as a message quotes it: cut if it is long."""
    return text if len(text) <= BRIEF else f"{text[:BRIEF]}..."
