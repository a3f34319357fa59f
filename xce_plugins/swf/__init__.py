"""Reads logs in the Standard Workload Format, version 2.2, as workloads."""

from collections.abc import Sequence

from xce_core.hookspecs import hookimpl
from xce_core.sim.readers import WorkloadReader
from xce_plugins.swf.check import check_report
from xce_plugins.swf.detect import is_swf
from xce_plugins.swf.options import (
    ALL_REPAIRS,
    QUEUE_RULES,
    REPAIRS,
    SwfOptions,
    repair_names,
)
from xce_plugins.swf.plugin import readers
from xce_plugins.swf.reader import SwfWorkload, open_workload

__all__ = [
    "ALL_REPAIRS",
    "QUEUE_RULES",
    "REPAIRS",
    "SwfOptions",
    "SwfWorkload",
    "check_report",
    "is_swf",
    "open_workload",
    "repair_names",
]


@hookimpl
def xce_workload_readers() -> Sequence[WorkloadReader]:
    """The SWF reader."""
    return readers()
