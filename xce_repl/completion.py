"""Completion of the word at the cursor. Loaded only on a terminal."""

from __future__ import annotations

import readline
from itertools import islice
from typing import TYPE_CHECKING

from xce_core.sched.faults import FAULTS
from xce_repl.completion_words import CANDIDATES
from xce_repl.words import quoted, words_before

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator


class Completer:
    """Completes the word at the cursor."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._found: list[str] = []

    def complete(self, word: str, number: int) -> str | None:
        """The candidate of that number, as readline asks for them; it never raises."""
        if number == 0:
            before = readline.get_line_buffer()[: readline.get_begidx()]
            try:
                self._found = self.candidates(before, word)
            except FAULTS:  # a plugin's completion: a word that is not completed does no harm
                self._found = []
        return self._found[number] if number < len(self._found) else None

    def candidates(self, before: str, word: str) -> list[str]:
        """What *word* may become after the text *before* it, a blank after a whole word.

        To readline a word ends at a blank; to us not so in quotes.
        """
        words, begun = words_before(before)
        registry = self._simulator.registry
        if not words:
            return [f"{name} " for name in registry.commands.starting(word)]
        command = registry.commands.find(words[0]).value
        if command.complete is None:
            return []
        text = begun + word
        quote = text[0] if text.startswith(('"', "'")) else ""
        meant = text[len(quote) :]
        found = command.complete(words[1:], meant)
        kept = (typed(c, quote)[len(begun) :] for c in found if c.startswith(meant))
        return list(islice(kept, CANDIDATES))


def typed(candidate: str, quote: str) -> str:
    """*candidate* as it is typed: in quotes where it needs them, a blank after a whole word."""
    if not quote and quoted(candidate.rstrip(" ")) == candidate.rstrip(" "):
        return candidate if candidate.endswith(("/", " ")) else f"{candidate} "
    quote = quote or quoted(candidate)[0]
    return f"{quote}{candidate}" if candidate.endswith("/") else f"{quote}{candidate}{quote} "
