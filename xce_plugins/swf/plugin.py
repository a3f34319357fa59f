"""The SWF reader as a plugin: options as text, and the hook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.sim.readers import WorkloadReader
from xce_core.sim.workload import OptionError, Workload, option_flag
from xce_plugins.swf.check import check_report
from xce_plugins.swf.detect import is_swf
from xce_plugins.swf.options import QUEUE_RULES, REPAIRS, SwfOptions, repair_names
from xce_plugins.swf.reader import open_workload


class SwfReader:
    """Reads the Standard Workload Format, version 2.2."""

    name = "swf"
    options: Mapping[str, str] = {
        "procs": "the machine has so many hosts of one slot, whatever the header says",
        "queues": " or ".join(f"{name} ({what})" for name, what in QUEUE_RULES.items()),
        "dependencies": "on: a job waits for its preceding job and the think time",
        "repair": f"all, or names with commas between them: {', '.join(REPAIRS)}",
    }

    def recognises(self, path: str, beginning: bytes) -> bool:
        """By the name or the look of the first lines."""
        return is_swf(path, beginning)

    def open(
        self, source: BinaryIO, path: str, cluster: Cluster | None, options: Mapping[str, str]
    ) -> Workload:
        """The log as a workload."""
        return open_workload(source, path, _options(options), cluster)

    def check(
        self, source: BinaryIO, path: str, cluster: Cluster | None, options: Mapping[str, str]
    ) -> list[str]:
        """What is in the log."""
        return check_report(source, path, _options(options), cluster)


READER: WorkloadReader = SwfReader()


def _options(options: Mapping[str, str]) -> SwfOptions:
    """*options* as values.

    :raises OptionError: for a value that is not offered.
    """
    try:
        return SwfOptions(
            procs=_whole(options["procs"]) if "procs" in options else None,
            queues=options.get("queues", "one"),
            repairs=repair_names([options["repair"]] if "repair" in options else []),
            dependencies=_switch(options.get("dependencies", "off")),
        )
    except ValueError as error:
        name, _, what = str(error).partition(": ")
        raise OptionError(option_flag(name), what) from None


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(f"procs: expected a number of 1 or more, found {text!r}")
    return int(text)


def _switch(text: str) -> bool:
    if text not in ("on", "off"):
        raise ValueError(f"dependencies: expected on or off, found {text!r}")
    return text == "on"


def readers() -> Sequence[WorkloadReader]:
    """What this plugin offers."""
    return (READER,)
