"""What is installed: the entry points of plugins, readers and front ends, read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points

PLUGINS = "xce.plugins"
"""The entry point group of plugins; an entry's name is the plugin's."""

READERS = "xce.readers"
"""The group that names those of them, by the same names, that read formats and do nothing else."""

FRONTENDS = "xce.frontends"
"""The entry point group of front ends."""


class Installed:
    """The entry points that there are, by group and name, in order of their names.

    Finding them takes a look at every distribution on the path, so it is done once a run.

    :param blocked: names of plugins that count as not installed.
    """

    def __init__(self, blocked: frozenset[str] = frozenset()) -> None:
        found = entry_points()
        self.plugins = _by_name(found.select(group=PLUGINS), blocked)
        self.frontends = _by_name(found.select(group=FRONTENDS))
        self.readers = frozenset(found.select(group=READERS).names) & self.plugins.keys()

    def bringing(self, name: str) -> list[str]:
        """The distributions that bring a plugin of that name, if there are several."""
        entries = self.plugins[name]
        if len(entries) == 1:
            return []
        brought = sorted({_distribution(entry) for entry in entries})
        return brought if len(brought) > 1 else []

    def version(self, name: str) -> str:
        """That of the distribution of an installed plugin; empty if it is in none."""
        for entry in self.plugins.get(name, ()):
            return entry.dist.version if entry.dist is not None else ""
        return ""


def _by_name(
    entries: Iterable[EntryPoint], blocked: frozenset[str] = frozenset()
) -> Mapping[str, list[EntryPoint]]:
    found: dict[str, list[EntryPoint]] = {}
    for entry in sorted(entries, key=lambda entry: entry.name):
        if entry.name not in blocked:
            found.setdefault(entry.name, []).append(entry)
    return found


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value
