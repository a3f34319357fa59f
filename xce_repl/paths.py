"""Names of files and folders, for completion."""

from __future__ import annotations

from collections.abc import Iterator
from glob import escape, iglob
from os.path import expanduser, isdir


def paths_starting(word: str) -> Iterator[str]:
    """Files and folders whose paths begin as *word* does, folders with a slash behind them."""
    home = expanduser(word)
    for path in iglob(escape(home) + "*"):
        yield word + path[len(home) :] + ("/" if isdir(path) else "")
