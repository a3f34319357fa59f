"""Slurm's descriptions of nodes and partitions, cut into keys and values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xce_core.sim.findings import Findings

INCLUDE = "Include line of a slurm.conf, not followed"

_ENTRY = re.compile(r"\s*(NodeName|PartitionName)\s*=", re.IGNORECASE)
_PAIR = re.compile(r'([A-Za-z][A-Za-z0-9_]*)\s*=\s*("[^"]*"|\S*)')

Entry = dict[str, str]


def entries(text: str, findings: Findings) -> Iterator[tuple[int, str, Entry]]:
    """Each node, partition, or other line, with the keys in lower case.

    In what ``scontrol`` shows, an entry goes on in the indented lines after its first; in a
    slurm.conf it is one line, which a backslash may continue.
    """
    begun = 0
    parts: list[str] = []
    for number, line in _joined(text, findings):
        if parts and line[:1].isspace() and not _ENTRY.match(line):
            parts.append(line)
            continue
        if parts:
            yield begun, *_read(parts)
        begun, parts = number, [line] if line.strip() else []
    if parts:
        yield begun, *_read(parts)


def _joined(text: str, findings: Findings) -> Iterator[tuple[int, str]]:
    """The lines without remarks, those that go on after a backslash as one."""
    held, begun = "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = held + re.sub(r"(?:^|(?<=\s))#.*", "", raw)
        begun = begun if held else number
        held = ""
        if line.endswith("\\"):
            held = line[:-1] + " "
        elif line.split(None, 1)[:1] and line.split(None, 1)[0].lower() == "include":
            findings.note(INCLUDE, 0)
        else:
            yield begun, line


def _read(parts: list[str]) -> tuple[str, Entry]:
    text = " ".join(parts)
    found: Entry = {}
    for key, value in _PAIR.findall(text):
        found.setdefault(key.lower(), value.strip('"'))
    match = _ENTRY.match(text)
    return match[1].lower() if match else "", found
