"""``help``: what there is, in sections, and all about one thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xce_repl.interface import Command, CommandError, Topic
from xce_repl.registry import RESERVED, parameter_usage, topic_usage
from xce_repl.words import arguments

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator


class Help:
    """Answers ``help``."""

    def __init__(self, simulator: Simulator) -> None:
        self._registry = simulator.registry

    def __call__(self, rest: str) -> Iterator[str]:
        """help [COMMAND [TOPIC or PARAMETER]]"""
        words = arguments(rest, "help [COMMAND], help info TOPIC, help set PARAMETER", 0, 2)
        if not words:
            yield from self._all()
            return
        command = self._registry.commands.find(words[0]).value
        if len(words) == 1:
            yield from self._command(command)
        elif command.name == "info":
            yield from self._topic(self._registry.topics.find(words[1]).value)
        elif command.name in ("set", "show"):
            parameter = self._registry.parameters.find(words[1]).value
            yield parameter_usage(parameter)
            yield f"  {parameter.summary}"
        else:
            raise CommandError(f"unexpected {words[1]}; usage: help {command.name}")

    def _all(self) -> Iterator[str]:
        for title, lines in self._registry.sections().items():
            yield f"{title}:"
            yield from _two_columns(lines)
        for section in self._registry.help_sections:
            yield f"{section.title}:"
            yield from (f"  {line}" for line in section.lines)
        short = ", ".join(f"{letter} {name}" for letter, name in RESERVED.items())
        yield f"A unique beginning of a name will do; {short}."
        yield "help COMMAND tells more, as do help info TOPIC and help set PARAMETER."

    def _command(self, command: Command) -> Iterator[str]:
        yield command.usage
        yield f"  {command.summary}"
        yield from (f"  {line}".rstrip() for line in command.text.splitlines())
        if command.name == "info":
            yield from self.topics()
        elif command.name in ("set", "show"):
            yield from self.parameters()

    def _topic(self, topic: Topic) -> Iterator[str]:
        yield topic_usage(topic)
        yield f"  {topic.summary}"
        yield from (f"  {line}".rstrip() for line in topic.text.splitlines())

    def topics(self) -> Iterator[str]:
        """The topics of ``info``."""
        topics = [(topic_usage(t.value), t.value.summary) for t in self._registry.topics]
        yield from _two_columns(topics)

    def parameters(self) -> Iterator[str]:
        """The parameters of ``set``."""
        yield from _two_columns(
            [(parameter_usage(p.value), p.value.summary) for p in self._registry.parameters]
        )


def _two_columns(lines: list[tuple[str, str]]) -> Iterator[str]:
    width = min(max((len(form) for form, _ in lines), default=0), 34)
    for form, summary in lines:
        yield f"  {form:<{width}}  {summary}".rstrip()
