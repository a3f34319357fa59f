"""One file for each kind of fault; each fault told with its place."""

from __future__ import annotations

import pytest

from tests.swf.samples import FIXTURES, jobs_of
from xce_core.sim.streams import open_input
from xce_core.sim.workload import InputError
from xce_plugins.swf import SwfOptions, open_workload

SKIP = "; the repair skip-malformed leaves such lines out"
TOLD = {
    "binary.swf": ": expected text, plain or gzip, found binary data",
    "cut-off-last-line.swf": ":3: the last line is cut off: "
    f"expected 18 fields separated by blanks, found 6{SKIP}",
    "cut-off.swf.gz": ": the compressed data is cut off",
    "damaged.swf.gz": ": the compressed data is damaged "
    "(CRC check failed 0xea1154fc != 0xeaee54fc)",
    "half-a-processor.swf": ":3:21: field 8 (requested processors): "
    f"expected a whole number, found '2.5'{SKIP}",
    "letters-in-run-time.swf": f":3:9: field 4 (run time): expected a number, found 'abc'{SKIP}",
    "negative-job-number.swf": ":2:1: field 1 (job number): "
    f"expected a number of zero or more, found -7{SKIP}",
    "no-machine.swf": ": the header has no MaxProcs and no MaxNodes: "
    "give --cluster FILE.toml or the option procs=N",
    "out-of-order.swf": ":4: field 2 (submit time): expected 50 or later, found 40; "
    "the repair sort-submit puts jobs in order",
    "semicolons.swf": ":2: expected 18 fields separated by blanks, found 1: "
    f"';' separates nothing in this format{SKIP}",
    "too-few-columns.swf": f":3: expected 18 fields separated by blanks, found 11{SKIP}",
    "too-large-a-machine.swf": ": header MaxProcs: expected at most 1000000 hosts, "
    "found 99999999999: give --cluster FILE.toml",
    "too-large-a-number.swf": ":3:3: field 2 (submit time): expected a number of at most "
    f"100000000000, found '99999999999999999999'{SKIP}",
    "underscore-in-number.swf": ":3:3: field 2 (submit time): "
    f"expected a number, found '1_0'{SKIP}",
    "unicode-minus.swf": ":3:24: field 8 (requested processors): "
    f"expected a number, found '\u22121'{SKIP}",
}


def test_every_broken_log_has_its_message() -> None:
    """None is forgotten here."""
    assert sorted(path.name for path in (FIXTURES / "broken").glob("*.swf*")) == sorted(TOLD)


@pytest.mark.parametrize("name", sorted(TOLD))
def test_a_fault_is_told_with_its_place(name: str) -> None:
    """S6: FILE:LINE:COLUMN: field: what is wrong, on one line."""
    path = str(FIXTURES / "broken" / name)
    with open_input(path) as source, pytest.raises(InputError) as told:
        jobs_of(open_workload(source, path, SwfOptions()))
    assert str(told.value) == path + TOLD[name]
