"""Hints in messages about names that are not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about *word*: which of *known* may have been meant; often empty."""
    from difflib import get_close_matches  # only errors need it, and it is slow to import

    near = get_close_matches(word, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
