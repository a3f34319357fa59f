"""The arithmetic of the benchmark driver."""

import sys

import pytest

from bench.pairs import CommandFailed, Run, Spread, compare, lines, measure, run_pairs


def test_the_ratio_is_the_median_of_the_pairs_and_not_a_ratio_of_medians() -> None:
    """Pairs at different speeds of the machine count alike."""
    taken = [(Run(2.0, 10), Run(1.0, 5)), (Run(9.0, 30), Run(3.0, 7)), (Run(4.0, 20), Run(4.0, 6))]
    result = compare(taken, jobs_a=8, jobs_b=6)
    assert result.ratio == Spread(median=2.0, low=1.0, quartile1=1.5, quartile3=2.5, high=3.0)
    assert result.difference.median == 1.0
    assert (result.a.seconds, result.a.peak_kib, result.a.jobs_per_second) == (4.0, 30, 2.0)
    assert (result.b.seconds, result.b.peak_kib, result.b.jobs_per_second) == (3.0, 7, 2.0)


def test_the_table_names_both_sides_and_the_spread() -> None:
    """What is read first is the ratio with its spread."""
    taken = [(Run(2.0, 2048), Run(1.0, 1024))] * 5
    assert lines(compare(taken), ("new", "old")) == [
        "      seconds      jobs/s   peak MiB",
        "new     2.000           -        2.0",
        "old     1.000           -        1.0",
        "new / old: median 2.000 of 5 pairs, 2.000..2.000, middle half 2.000..2.000",
    ]


def test_the_warm_up_pair_is_left_out() -> None:
    """Both commands run once more than is counted, in turn."""
    told: list[str] = []
    command = [sys.executable, "-I", "-S", "-c", "pass"]
    taken = run_pairs(command, command, 2, told.append)
    assert len(taken) == 2
    assert [line.partition(":")[0] for line in told] == ["warm-up", "pair 1 of 2", "pair 2 of 2"]
    assert all(run.seconds > 0 and run.peak_kib > 1024 for pair in taken for run in pair)


def test_a_command_that_fails_is_no_measurement() -> None:
    """Its status and what it said are told."""
    with pytest.raises(CommandFailed, match=r"exit status 3\nwhy"):
        measure([sys.executable, "-c", "import sys; sys.stderr.write('why'); sys.exit(3)"])
    with pytest.raises(CommandFailed, match="No such file"):
        measure(["/nowhere/at/all"])
