"""How to collect a dump that this reader likes best."""

from __future__ import annotations

from collections.abc import Mapping

PRESETS: Mapping[str, tuple[str, ...]] = {
    "xdmod": (
        *("jobid", "jobidraw", "cluster", "partition", "qos", "account", "group", "gid"),
        *("user", "uid", "submit", "eligible", "start", "end", "elapsed", "exitcode", "state"),
        *("nnodes", "ncpus", "reqcpus", "reqmem", "reqtres", "alloctres", "timelimit"),
        *("nodelist", "jobname"),
    ),
}
"""Lists of columns by name, for dumps without a header: ``xdmod`` is that of XDMoD's recipe."""

SHOW_COMMAND = (
    "TZ=UTC SLURM_BITSTR_LEN=0 sacct --allusers --allocations --duplicates --parsable2"
    " --starttime START --endtime END --format " + ",".join(PRESETS["xdmod"]) + " > LOG.slurm",
    "scontrol show node > NODES; scontrol show partition >> NODES",
    "xce_scheduler --sim LOG.slurm -o zone=UTC -o scontrol=NODES --check",
)
"""The commands, one a line: START and END are dates such as 2026-01-01."""
