"""Whether an input is taken for a log in this format."""

from __future__ import annotations

import pytest

from tests.swf.samples import MACHINE, a_line
from xce_plugins.swf import is_swf


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("log.swf", b"", True),
        ("LOG.SWF.GZ", b"", True),
        ("log.swf.zst", b"", True),
        ("-", (MACHINE + a_line()).encode(), True),
        ("-", ("\n  " + a_line()).encode(), True),
        ("-", a_line().replace("\n", " {1,2} q_2w\n").encode(), True),
        ("log", b"; a remark\n", False),
        ("t.json", b'{"format": "recording"}\n', False),
        ("log", b"1 2 3\n", False),
        ("log", b"", False),
    ],
)
def test_a_log_is_known_by_its_name_or_its_beginning(
    path: str, data: bytes, expected: bool
) -> None:
    """A recording is not taken for one."""
    assert is_swf(path, data) is expected
