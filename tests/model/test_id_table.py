"""Bits for each of many numbers."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from xce_core.model.id_table import IdTable

NUMBERS = st.one_of(st.integers(0, 100), st.integers(4000, 4200), st.integers(0, 10**18))


@given(st.lists(st.tuples(NUMBERS, st.integers(0, 255))))
def test_bits_add_up_wherever_they_are_kept(steps: list[tuple[int, int]]) -> None:
    """As in a plain dictionary."""
    table, known = IdTable(), dict[int, int]()
    for number, bits in steps:
        assert table.add(number, bits) == known.get(number, 0)
        known[number] = known.get(number, 0) | bits
    assert all(table.get(number) == bits for number, bits in known.items())
    assert list(table.items()) == [pair for pair in sorted(known.items()) if pair[1]]
    assert table.get(10**18 + 1) == 0


def memory_of(numbers: range) -> float:
    """Bytes a number."""
    tracemalloc.start()
    try:
        table = IdTable()
        for number in numbers:
            table.add(number, 1)
        return tracemalloc.get_traced_memory()[0] / len(numbers)
    finally:
        tracemalloc.stop()


def test_numbers_take_little_memory_however_they_lie() -> None:
    """S8: a byte if close together, and never more than an entry of a table or two."""
    assert memory_of(range(10**9, 10**9 + 200_000)) < 1.5
    assert memory_of(range(0, 2_000_000, 100)) < 150
    assert memory_of(range(0, 10**14, 10**10)) < 500
    assert memory_of(range(60_000_000, 60_000_001)) < 1000
