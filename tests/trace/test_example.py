"""The trace that shows the shape of all others."""

from __future__ import annotations

from pathlib import Path

from tests.trace.harness import Harness, trace_of, traced
from xce_core.plugins import Plugins
from xce_core.sim.inputs import open_workload
from xce_plugins.builtin_fcfs import Fcfs

EXAMPLE = """\
[trace] job 42 session 7 position 3 level full
  selection: policy builtin_fcfs queue normal (priority 50) job priority 0 queued 2026-10-07 10:00:01
  cluster-wide limits: lim_user (u=alice); host-scoped limits are reported with each host's verdict
  requirement alternative 1/2 (compound, 1 member)
    requirement alternative 1/2 > member 1/1 tasks 4..4 requests mem=8 GiB slots=1 license=2
      cluster-wide: license total 10 in-use 9 reserved 0 requested 2 failed
      cluster-wide check failed; no placement plans tried
    member 1/1 not satisfied
    failure reasons: NO_RESOURCE x1 (resources: license)
  alternative 1/2 not satisfied
  requirement alternative 2/2 (compound, 1 member)
    requirement alternative 2/2 > member 1/1 tasks 4..4 requests mem=8 GiB slots=1 license=1
      cluster-wide: license total 10 in-use 9 reserved 0 requested 1 passed
      cluster-wide limit lim_user (u=alice) on slots: value 100 usage 96 reserved 0 requested 4 passed
      cluster-wide check passed
      plan 1 hosts 1 tasks per position [4]
        position 1 (4 tasks)
          host n01 rejected (per-host check): resource shortfall
            mem total 64 GiB in-use 60 GiB reserved 0 requested 8 GiB
          host n02 rejected (pre-filter): selection mismatch; per-host check not performed
          host n03 accepted
        position 1 filled by n03
      plan 1 succeeded
      plan 1 committed; no further plans tried
      plans: 1 generated, 1 tried, 0 discarded, 0 not tried
    member 1/1 satisfied
  alternative 2/2 satisfied
  alternative 2/2 chosen; no alternatives after it
  outcome: DISPATCH
    host n03: mem=8 GiB slots=4 limit charges: lim_host (h=n03) slots 4
    shared: license=1 limit charges: lim_user (u=alice) slots 4
"""  # noqa: E501


def contention(root: Path, command: str = "on all level full") -> Harness:
    """The recording that holds the example, traced."""
    workload = open_workload(str(root / "fixtures/contention.jsonl"), Plugins(), None, None, {})
    return traced(workload, command, policy=Fcfs())


def test_the_example_comes_out_to_the_letter(root: Path) -> None:
    """R7.6: session 7 of the recording; also R2.1, R2.2, R2.3, R3.1, R3.4, R4.1, R6.1."""
    harness = contention(root)
    assert "\n".join(trace_of(harness.shown, "42", 7)) + "\n" == EXAMPLE
    assert harness.failures == []


def test_the_example_is_recalled_as_it_was_shown(root: Path) -> None:
    """R7.8: at any time later, from the bytes that were kept."""
    harness = contention(root)
    assert "\n".join(harness.info("42")) + "\n" == EXAMPLE
