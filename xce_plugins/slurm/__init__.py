"""Reads what Slurm's ``sacct --parsable2`` prints as workloads."""

from collections.abc import Sequence

from xce_core.hookspecs import hookimpl
from xce_core.sim.readers import WorkloadReader
from xce_plugins.slurm.check import check_report
from xce_plugins.slurm.detect import is_sacct
from xce_plugins.slurm.nodes_text import load_nodes, nodes_cluster
from xce_plugins.slurm.options import (
    ATTEMPT_RULES,
    QUEUE_RULES,
    REPAIRS,
    SlurmOptions,
    columns_named,
    repair_names,
    zone_named,
)
from xce_plugins.slurm.plugin import readers
from xce_plugins.slurm.reader import SlurmWorkload, open_workload
from xce_plugins.slurm.recipe import PRESETS, SHOW_COMMAND

__all__ = [
    "ATTEMPT_RULES",
    "PRESETS",
    "QUEUE_RULES",
    "REPAIRS",
    "SHOW_COMMAND",
    "SlurmOptions",
    "SlurmWorkload",
    "check_report",
    "columns_named",
    "is_sacct",
    "load_nodes",
    "nodes_cluster",
    "open_workload",
    "repair_names",
    "zone_named",
]


@hookimpl
def xce_workload_readers() -> Sequence[WorkloadReader]:
    """The reader of sacct dumps."""
    return readers()
