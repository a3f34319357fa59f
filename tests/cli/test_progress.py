"""The line of progress."""

from __future__ import annotations

import pytest

from xce_core.progress import moment_text


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "1970-01-01 00:00:00"),
        (-1.5, "1969-12-31 23:59:58"),
        (10**11, "5138-11-16 09:46:40"),
        (10**12, "1000000000000 s"),
        (-(10**11), "-100000000000 s"),
        (10**15, "1000000000000000 s"),
    ],
)
def test_a_time_without_a_date_is_told_in_seconds(time: float, text: str) -> None:
    """S8: any time that an input may hold."""
    assert moment_text(time) == text
