"""Errors in what a user or a plugin gives: where, what was expected and what was found."""

from __future__ import annotations


class TextError(ValueError):
    """A text is not well formed.

    ``column`` counts from 1; ``expected`` and ``found`` are phrases for the user, ``found``
    empty if the text ends there.
    """

    def __init__(self, column: int, expected: str, found: str) -> None:
        super().__init__(column, expected, found)
        self.column = column
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        found = self.found or "the end"
        return f"column {self.column}: expected {self.expected}, found {found}"


def of_type(value: object) -> str:
    """A phrase for *value* where it is not of the kind that was expected."""
    return "a list" if isinstance(value, list) else f"something of type {type(value).__name__}"
