"""Completion of the word at the cursor. Loaded only on a terminal."""

from __future__ import annotations

import readline
from itertools import islice
from typing import TYPE_CHECKING

from xce_repl.completion_words import CANDIDATES

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
                self._found = self.candidates(before.split(), word)
            except Exception:  # a plugin's completion: a word that is not completed does no harm
                self._found = []
        return self._found[number] if number < len(self._found) else None

    def candidates(self, before: list[str], word: str) -> list[str]:
        """What *word* may become after the words *before* it, a blank after a whole word."""
        registry = self._simulator.registry
        if not before:
            return [f"{name} " for name in registry.commands.starting(word)]
        command = registry.commands.find(before[0]).value
        if command.complete is None:
            return []
        found = command.complete(before[1:], word)
        kept = (c if c.endswith(("/", " ")) else f"{c} " for c in found if c.startswith(word))
        return list(islice(kept, CANDIDATES))
