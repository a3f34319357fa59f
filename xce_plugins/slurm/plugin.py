"""The reader as a plugin: options as text, and what it offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.sim.readers import WorkloadReader
from xce_core.sim.workload import OptionError, Workload, option_flag
from xce_plugins.slurm.check import check_report
from xce_plugins.slurm.detect import is_sacct
from xce_plugins.slurm.options import (
    ATTEMPT_RULES,
    QUEUE_RULES,
    REPAIRS,
    SlurmOptions,
    columns_named,
    repair_names,
    zone_named,
)
from xce_plugins.slurm.reader import open_workload
from xce_plugins.slurm.recipe import SHOW_COMMAND


def _told(rules: Mapping[str, str]) -> str:
    return " or ".join(f"{name} ({what})" for name, what in rules.items())


class SlurmReader:
    """Reads what ``sacct --parsable2`` prints."""

    name = "slurm"
    options: Mapping[str, str] = {
        "zone": "the time zone of the dump's local times, such as UTC or Europe/Helsinki",
        "columns": "names with commas between them, or xdmod: of a dump without a header",
        "cluster-name": "read only the jobs of this cluster",
        "scontrol": "a file with the text of scontrol show node, or a slurm.conf: the cluster",
        "queues": _told(QUEUE_RULES),
        "attempts": f"how long a requeued job runs: {_told(ATTEMPT_RULES)}",
        "show-command": "on, with --check: only show how to collect a dump",
        "repair": f"all, or names with commas between them: {', '.join(REPAIRS)}",
    }

    def recognises(self, path: str, beginning: bytes) -> bool:
        """By the name or a header line."""
        return is_sacct(path, beginning)

    def open(
        self, source: BinaryIO, path: str, cluster: Cluster | None, options: Mapping[str, str]
    ) -> Workload:
        """The dump as a workload, read to its end."""
        if _switch(options):
            raise OptionError(option_flag("show-command"), "goes with --check")
        return open_workload(source, path, _options(options), cluster)

    def check(
        self, source: BinaryIO, path: str, cluster: Cluster | None, options: Mapping[str, str]
    ) -> list[str]:
        """What is in the dump, and how to collect one."""
        if _switch(options):
            return list(SHOW_COMMAND)
        return check_report(source, path, _options(options), cluster)


READER: WorkloadReader = SlurmReader()


def _switch(options: Mapping[str, str]) -> bool:
    text = options.get("show-command", "off")
    if text not in ("on", "off"):
        what = f"expected on or off, found {text!r}"
        raise OptionError(option_flag("show-command"), what)
    return text == "on"


def _options(options: Mapping[str, str]) -> SlurmOptions:
    """*options* as values.

    :raises OptionError: for a value that is not offered.
    """
    zone = options.get("zone", "")
    try:
        return SlurmOptions(
            zone=zone_named(zone) if zone else None,
            zone_name=zone,
            columns=columns_named(options["columns"]) if "columns" in options else None,
            cluster_name=options.get("cluster-name", ""),
            scontrol=options.get("scontrol"),
            queues=options.get("queues", "partitions"),
            attempts=options.get("attempts", "sum"),
            repairs=repair_names([options["repair"]] if "repair" in options else []),
        )
    except ValueError as error:
        name, _, what = str(error).partition(": ")
        raise OptionError(option_flag(name), what) from None


def readers() -> Sequence[WorkloadReader]:
    """What this plugin offers."""
    return (READER,)
