"""The short cut of the reader against the rules alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.swf.samples import MACHINE, a_line, jobs_of, opened
from xce_core.model.jobs import Job
from xce_core.sim.workload import InputError
from xce_plugins.swf import ALL_REPAIRS, SwfOptions, reader
from xce_plugins.swf.ids import ACCEPTED, SeenIds

TIMES = st.sampled_from(["-1", "0", "5", "7", "7.5", "60.0", "1e2", "+3", "1_0", "x", "9" * 17])
SIZES = st.sampled_from(["-1", "0", "1", "2", "8", "9", "02", "2.0", "y", "-3"])
NAMES = st.sampled_from(["-1", "0", "1", "12", "012", "z"])
PLAIN = ("1", "0", "-1", "100", "4", "-1", "-1", "4", "200", *["1"] * 7, "-1", "-1")
KINDS = [NAMES] * 18
for field in (1, 3, 8, 17):
    KINDS[field] = TIMES
for field in (4, 7):
    KINDS[field] = SIZES
KINDS[10] = st.sampled_from(["-1", "0", "1", "2", "3", "4", "5", "5.0"])


@st.composite
def a_line_like_others(draw: st.DrawFn) -> tuple[str, ...]:
    """A plain line with a few fields changed, and an id that may be used before."""
    line = list(PLAIN)
    line[0] = draw(st.sampled_from(["1", "2", "3", "4", "5", "6", "7", "8", "-1", "2.0"]))
    for at in draw(st.sets(st.integers(1, 17), max_size=3)):
        line[at] = draw(KINDS[at])
    return tuple(line)


FIELDS = a_line_like_others()
OPTIONS = st.builds(
    SwfOptions,
    queues=st.sampled_from(["one", "log"]),
    repairs=st.sets(st.sampled_from(sorted(ALL_REPAIRS))).map(frozenset),
    dependencies=st.booleans(),
)


def outcome(text: str, options: SwfOptions) -> list[object]:
    """All that comes out of a reading, also of one that fails."""
    workload = opened(text, options)
    found: list[object] = []
    try:
        for job in workload.events():
            assert isinstance(job, Job)
            found.append([getattr(job, name) for name in Job.__dataclass_fields__])
    except InputError as error:
        found.append(str(error))
    tally = workload.tally
    return [*found, tally.read, tally.refused, tally.repaired, workload.notes]


@given(lines=st.lists(FIELDS, max_size=12), options=OPTIONS)
def test_the_short_cut_reads_what_the_rules_read(
    lines: list[tuple[str, ...]], options: SwfOptions
) -> None:
    """Same jobs, same counts, same faults."""
    text = MACHINE + "".join(" ".join(fields) + "\n" for fields in lines)
    quick = outcome(text, options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "plain_reader", lambda *_: lambda line, at: None)
        assert outcome(text, options) == quick


def test_an_odd_think_time_is_seen_where_dependencies_count() -> None:
    """S6: the short cut leaves no field unread that the rules would read."""
    first = "1 0 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"
    odd = "2 0 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 x\n"
    assert "field 18" in str(outcome(MACHINE + first + odd, SwfOptions(dependencies=True))[1])
    assert outcome(MACHINE + first + odd, SwfOptions())[2] == 2


@given(lines=st.lists(FIELDS, max_size=12), options=OPTIONS)
def test_totals_add_up(lines: list[tuple[str, ...]], options: SwfOptions) -> None:
    """Every job line is accepted, refused or a part joined to another."""
    text = MACHINE + "".join(" ".join(fields) + "\n" for fields in lines)
    options = SwfOptions(None, options.queues, ALL_REPAIRS, options.dependencies)
    workload = opened(text, options)
    accepted = len(jobs_of(workload))
    tally = workload.tally
    assert tally.read == len(lines)
    assert tally.read == accepted + tally.refused.total() + tally.repaired["merge-partial"]


@pytest.mark.parametrize(
    "line",
    [
        a_line(2, run=0, allocated=-1, status=5),
        a_line(-2),
        a_line(2, limit="9" * 17),
        a_line(2, limit=-1),
        a_line(2, limit="2_00"),
        a_line(2, submit="9" * 17),
        a_line(2, preceding=1),
        a_line(1),
    ],
)
def test_the_short_cut_leaves_to_the_rules_what_is_theirs(line: str) -> None:
    """When it knows every other field of the line from before."""
    known = a_line(7) + a_line(8, status=5)
    quick = outcome(MACHINE + a_line(1) + known + line, SwfOptions())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "plain_reader", lambda *_: lambda line, at: None)
        assert outcome(MACHINE + a_line(1) + known + line, SwfOptions()) == quick


NUMBERS = st.one_of(st.integers(0, 20), st.integers(10**6, 10**6 + 20), st.integers(0, 10**15))


@given(st.lists(st.tuples(NUMBERS, st.booleans())))
def test_ids_are_remembered_wherever_they_are_kept(steps: list[tuple[int, bool]]) -> None:
    """As two plain sets would."""
    seen, accepted, refused = SeenIds(), set[int](), set[int]()
    for number, accept in steps:
        if accept:
            assert seen.accept(number) == (number not in accepted)
            accepted.add(number)
        else:
            seen.refuse(number)
            refused.add(number)
    for number, _ in steps:
        assert seen.get(number) == (2 if number in accepted else 1)


def test_an_id_that_was_refused_can_be_accepted_once() -> None:
    """And is not refused again."""
    seen = SeenIds()
    seen.refuse(7)
    assert seen.accept(7)
    seen.refuse(7)
    assert not seen.accept(7)
    assert seen.get(7) == ACCEPTED
