"""Which column of a dump is where, and what a cell of it may look like."""

from __future__ import annotations

import re
from collections.abc import Sequence

JOB_IDS = ("jobid", "jobidraw")
CPU_COLUMNS = ("alloctres", "reqtres", "alloccpus", "ncpus", "reqcpus")

FREE_TEXT = frozenset(
    "admincomment comment constraints container extra failednode jobname reason stdin stdout"
    " stderr submitline systemcomment wckey workdir".split()
)
"""Columns in which a user may have written a bar or a line break."""

JOB_ID = re.compile(
    r"\d{1,18}(?:_(?:\d{1,10}|\[[^\[\]|]*\]?))?(?:\+\d{1,4})?(?:\.[^|]*)?", re.ASCII
)
"""A job's id as ``sacct`` writes it, with an array index, a part, and a step."""

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.{0,6}|\d+|[A-Za-z/ ]*", re.ASCII)
_SPAN = re.compile(r"(?:\d+-)?\d+(?::\d\d)*(?:\.\d+)?|[A-Za-z_]*", re.ASCII)
_COUNT = re.compile(r"[\d.]*[KMG]?", re.ASCII)
_TRES = re.compile(r"(?:[^=,|]+=[^=,|]*(?:,[^=,|]+=[^=,|]*)*)?")
_LOOKS = {
    "jobid": JOB_ID,
    "jobidraw": JOB_ID,
    **dict.fromkeys(("submit", "eligible", "start", "end"), _TIME),
    **dict.fromkeys(("elapsed", "elapsedraw", "timelimit", "timelimitraw", "cputime"), _SPAN),
    **dict.fromkeys(("nnodes", "ncpus", "reqcpus", "alloccpus", "uid", "gid", "restarts"), _COUNT),
    **dict.fromkeys(("reqtres", "alloctres"), _TRES),
    "exitcode": re.compile(r"(?:\d+:\d+)?", re.ASCII),
    "state": re.compile(r"[A-Z_]+(?:\+| by .*)?"),
}


class Layout:
    """The columns of a dump, from its header or from the user.

    :ivar names: lower case, in order.
    :ivar at: place of each column.
    :ivar free: places of the columns with free text.
    :ivar trailing: whether every row ends with a bar (``sacct -p``).
    """

    def __init__(self, names: Sequence[str], trailing: bool = False) -> None:
        self.names = tuple(names)
        self.at = {name: place for place, name in enumerate(self.names)}
        self.free = tuple(n for n, name in enumerate(self.names) if name in FREE_TEXT)
        self.trailing = trailing
        self.id_at = next((self.at[name] for name in JOB_IDS if name in self.at), 0)
        self._looks = [
            (place, _LOOKS[name]) for place, name in enumerate(self.names) if name in _LOOKS
        ]

    @property
    def missing(self) -> list[str]:
        """What is needed and not there, in the words of ``sacct --format``."""
        need = {"JobID": JOB_IDS, "CPUs (AllocTRES, NCPUS)": CPU_COLUMNS}
        need |= {name: (name.lower(),) for name in ("State", "Submit", "Start", "End")}
        return [told for told, names in need.items() if not any(name in self.at for name in names)]

    def fits(self, cells: Sequence[str]) -> bool:
        """Whether every cell looks as its column should."""
        for place, cell in enumerate(cells):
            if "\n" in cell and place not in self.free:
                return False
        return all(look.fullmatch(cells[place].strip()) for place, look in self._looks)

    def begins_row(self, line: str) -> bool:
        """Whether *line* has a job id where the id belongs."""
        parts = line.split("|", self.id_at + 1)
        return len(parts) > self.id_at + 1 and bool(JOB_ID.fullmatch(parts[self.id_at].strip()))


def header_of(line: str) -> Layout | None:
    """The columns that *line* names; None if it is no header."""
    names = [name.strip().lower() for name in line.split("|")]
    trailing = len(names) > 1 and not names[-1]
    names = names[:-1] if trailing else names
    if len(names) < 2 or not any(name in names for name in JOB_IDS):
        return None
    if any(JOB_ID.fullmatch(name) for name in names) or len(set(names)) < len(names):
        return None  # a row whose text is "jobid"
    return Layout(names, trailing)
