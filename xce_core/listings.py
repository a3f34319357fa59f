"""What the sub-commands list: plugins, and formats of inputs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from xce_core.hookspecs import API_VERSION

if TYPE_CHECKING:
    from xce_core.plugin_list import Found
    from xce_core.plugins import Plugins


def plugin_lines(rows: list[Found]) -> Iterator[str]:
    """A table with a row for each plugin."""
    table: list[tuple[str, ...]] = [("plugin", "version", "source", "kind", "hooks", "provides")]
    for row in rows:
        provides = [*row.provides, *([f"broken: {row.failure}"] if row.failure else [])]
        kind = row.kind.replace(", ", "+")
        hooks = str(len(row.hooks) or "")
        cells = (row.name, row.version, row.source, kind, hooks, ", ".join(provides))
        table.append(tuple(cell or "-" for cell in cells))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row_cells in table:
        line = "  ".join(f"{cell:{width}}" for cell, width in zip(row_cells, widths, strict=True))
        yield line.rstrip()


def plugins_json(rows: list[Found]) -> str:
    """The same as JSON."""
    found = {"hook_interface": API_VERSION, "plugins": [_plugin_object(row) for row in rows]}
    return json.dumps({"format": "xce-plugins", "version": 1, **found}, indent=2)


def _plugin_object(row: Found) -> dict[str, object]:
    return {
        "name": row.name,
        "version": row.version or None,
        "source": row.source,
        "kind": row.kind or None,
        "hooks": list(row.hooks),
        "provides": list(row.provides),
        "failure": row.failure or None,
    }


def format_lines(plugins: Plugins) -> Iterator[str]:
    """Each format that ``--sim`` reads, with the options it takes, a line each.

    :raises PluginError: if two plugins read formats of one name.
    """
    from xce_core.sim.inputs import RECORDING, offered_readers

    yield f"{RECORDING}  what --sim-output writes; it takes no options"
    for reader in offered_readers(plugins):
        yield reader.name
        for name, what in reader.options.items():
            flag = "--repair NAME" if name == "repair" else f"-o {name}=VALUE"
            yield f"  {flag}  {what}"
