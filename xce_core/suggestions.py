"""Hints in messages about names that are not known."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 60
"""Words of more characters are compared with nothing: it would take too long."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about *word*: which of *known* may have been meant; often empty."""
    from difflib import get_close_matches  # only errors need it, and it is slow to import

    if len(word) > LONGEST:
        return ""
    folded = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), folded, 1)
    return f"; did you mean {folded[near[0]]}?" if near else ""
