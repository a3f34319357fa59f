"""All that can be typed, set and asked for: built in or brought by plugins, in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xce_core.hook_rules import REPL_PREFIX
from xce_core.model.syntax import of_type
from xce_core.sched.faults import FAULTS, describe
from xce_repl.interface import Command, HelpSection, Parameter, Topic
from xce_repl.names import NameRefused, Names

RESERVED = {
    "s": "step", "c": "continue", "b": "break", "i": "info", "t": "tbreak", "h": "help",
    "q": "quit",
}  # fmt: skip
"""Letters that no plugin can take, nor make ambiguous."""

SECTIONS = ("Running", "Breakpoints", "State inspection", "Other")
"""The sections of ``help`` that stand first, in this order."""

COLLECTING = ("commands", "topics", "parameters", "help_sections")
"""What is collected, by the ends of the names of its hooks."""


class Registry:
    """What there is, each with its owner.

    :param complain: told, in a line, of what could not be added.
    """

    def __init__(self, complain: Callable[[str], None]) -> None:
        self.commands: Names[Command] = Names("command", "help", RESERVED)
        self.topics: Names[Topic] = Names("info topic", "info")
        self.parameters: Names[Parameter] = Names("parameter", "set")
        self.help_sections: list[HelpSection] = []
        self._complain = complain

    def add(self, owner: str, kind: str, found: object) -> None:
        """Enter what *owner* gives of one kind; what can't be entered is told and left out."""
        for value in self._each(owner, kind, found):
            try:
                self._add_one(owner, kind, value)
            except NameRefused as error:
                self._complain(f"plugin {owner}: {error}; it is left out")

    def _each(self, owner: str, kind: str, found: object) -> Iterable[object]:
        if isinstance(found, str) or not isinstance(found, Iterable):
            return (found,)
        try:
            return list(found)
        except FAULTS as error:  # a generator may fail only now
            self._complain(f"plugin {owner}: {REPL_PREFIX}{kind} failed: {describe(error)}")
            return ()

    def _add_one(self, owner: str, kind: str, value: object) -> None:
        if isinstance(value, _KINDS) and (fault := fault_in(value)):
            raise NameRefused(f"{REPL_PREFIX}{kind}: {fault}")
        if kind == "commands" and isinstance(value, Command):
            self.commands.add(owner, value.name, value)
        elif kind == "topics" and isinstance(value, Topic):
            self.topics.add(owner, value.name, value)
        elif kind == "parameters" and isinstance(value, Parameter):
            self.parameters.add(owner, value.name, value)
        elif kind == "help_sections" and isinstance(value, HelpSection):
            self.help_sections.append(value)
        else:
            expected = {"commands": Command, "topics": Topic, "parameters": Parameter}
            wanted = expected.get(kind, HelpSection).__name__
            found = f"found {of_type(value)}"
            raise NameRefused(f"{REPL_PREFIX}{kind}: expected values of type {wanted}, {found}")

    def sections(self) -> dict[str, list[tuple[str, str]]]:
        """The titles of ``help``, each with its lines: a form and a summary."""
        found: dict[str, list[tuple[str, str]]] = {title: [] for title in SECTIONS}
        for command in self.commands:
            lines = found.setdefault(command.value.section, [])
            lines.append((command.value.usage, command.value.summary))
        for topic in self.topics:
            lines = found.setdefault(topic.value.section, [])
            lines.append((topic_usage(topic.value), topic.value.summary))
        return {title: lines for title, lines in found.items() if lines}


def topic_usage(topic: Topic) -> str:
    """How to ask for *topic*, with the word ``info``."""
    return topic.usage if topic.usage.startswith("info ") else f"info {topic.usage}"


def parameter_usage(parameter: Parameter) -> str:
    """How to set *parameter*."""
    return f"set {parameter.name} {parameter.form or '|'.join(parameter.values) or 'VALUE'}"


_KINDS = (Command, Topic, Parameter, HelpSection)
_TEXTS = ("name", "usage", "summary", "text", "section", "form", "title")
_LISTS = ("values", "lines")
_CALLED = ("run", "get", "put")


def fault_in(value: Command | Topic | Parameter | HelpSection) -> str:
    """The first field of what a plugin gave that is of the wrong type; empty if there is none.

    What is found wrong only when it is used would break a command of somebody else's.
    """
    for name in _TEXTS:
        found = getattr(value, name, "")
        if not isinstance(found, str):
            return f"{name}: expected a text, found {of_type(found)}"
    for name in _LISTS:
        found = getattr(value, name, ())
        if isinstance(found, str) or not isinstance(found, Sequence):
            return f"{name}: expected a list of texts, found {of_type(found)}"
        if not all(isinstance(each, str) for each in found):
            return f"{name}: expected texts alone, found something else among them"
    for name in _CALLED:
        if not callable(getattr(value, name, len)):
            return f"{name}: expected a function, found {of_type(getattr(value, name))}"
    return ""
