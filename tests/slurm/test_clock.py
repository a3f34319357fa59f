"""Local times, zones, and clocks that are set."""

from __future__ import annotations

from datetime import datetime, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.slurm.samples import HEADER, a_row, in_utc, job_of, jobs_of, opened, read, report
from xce_core.sim.workload import InputError
from xce_plugins.slurm import SlurmOptions, zone_named
from xce_plugins.slurm.clock import Clock
from xce_plugins.slurm.fields import FieldError

HELSINKI = SlurmOptions(zone=zone_named("Europe/Helsinki"), zone_name="Europe/Helsinki")


def a_clock(zone: str = "Europe/Helsinki") -> Clock:
    """A clock that knows its zone."""
    return Clock(zone_named(zone), lambda: pytest.fail("the zone is known"))


def test_local_times_need_a_zone() -> None:
    """S6: UTC has to be said too; the message names the way out."""
    with pytest.raises(InputError, match=r"^t\.slurm:2: .* -o zone=UTC or"):
        read(a_row(), SlurmOptions())


@pytest.mark.parametrize(
    "text", ["2026-01-01T00:00:00Z", "2026-01-01T02:00:00+02:00", "1767225600"]
)
def test_times_that_say_where_they_are_need_none(text: str) -> None:
    """An offset, or seconds since 1970."""
    row = a_row(submit=text, eligible=text, start=text, end=text, elapsed="00:00:00")
    assert job_of(row, SlurmOptions()).submit_time == 1767225600


def test_a_zone_that_is_none_is_told() -> None:
    """Misspelt, or a path."""
    for name in ("Europe/Helsinky", "../../etc/passwd", ""):
        with pytest.raises(ValueError, match="zone: expected a time zone"):
            zone_named(name)


@given(st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)), st.booleans())
def test_times_are_those_of_the_zone(moment: datetime, later: bool) -> None:
    """Also from the short cut of an hour seen before, and around clock changes."""
    moment = moment.replace(microsecond=0)
    for zone in ("Europe/Helsinki", "Australia/Lord_Howe", "UTC"):
        clock = a_clock(zone)
        text = f"{moment:%Y-%m-%dT%H:%M:%S}"
        clock.read(f"{moment:%Y-%m-%dT%H:}{59 if later else 0:02}:00", "Submit")
        local = moment.replace(tzinfo=ZoneInfo(zone))
        both = {int(local.replace(fold=fold).timestamp()) for fold in (0, 1)}
        found = clock.read(text, "Submit")
        assert set(found) <= both
        assert found == clock.read(text, "Submit")
        assert found[0] == int(local.timestamp())


def test_an_hour_that_comes_twice_is_told_apart_by_the_other_times() -> None:
    """In Helsinki, 03:30 came twice on 25 October 2026."""
    row = a_row(
        submit="2026-10-25T03:10:00",
        eligible="2026-10-25T03:10:00",
        start="2026-10-25T03:20:00",
        end="2026-10-25T03:30:00",
        elapsed="01:10:00",
    )
    workload = read(row, HELSINKI)
    (job,) = jobs_of(workload)
    assert job.run_time == 4200
    assert workload.notes["local time that stands for two moments; the others of its row decide, "
                          "or the earlier"] == 1
    first = datetime(2026, 10, 25, 0, 10, tzinfo=timezone.utc).timestamp()
    assert job.submit_time == first


def test_an_hour_that_never_was_is_noted() -> None:
    """In Helsinki, 03:30 did not come on 29 March 2026."""
    gap = "2026-03-29T03:30:00"
    workload = read(a_row(submit=gap, eligible=gap, start=gap, end="2026-03-29T05:00:00",
                          elapsed="00:30:00"), HELSINKI)
    assert jobs_of(workload)[0].submit_time == datetime(
        2026, 3, 29, 1, 30, tzinfo=timezone.utc
    ).timestamp()
    assert any("never was" in note for note in workload.notes)


def test_a_wrong_zone_shows_where_clocks_were_set() -> None:
    """The dump is from Helsinki, the user says UTC."""
    lines = report(HEADER + a_row(submit="2026-10-24T22:00:00", eligible="2026-10-24T22:00:00",
                                  start="2026-10-25T01:00:00", end="2026-10-25T06:00:00",
                                  elapsed="06:00:00"))
    note = "  1 elapsed time is an hour off its start and end: is the zone right? (first: line 2)"
    assert note in lines


@pytest.mark.parametrize("text", ["2026-13-01T00:00:00", "yesterday", "0001-01-01T00:00:00", "12"])
def test_what_is_no_time_is_a_fault(text: str) -> None:
    """With its column."""
    with pytest.raises(FieldError, match="column Submit: expected a time"):
        a_clock().read(text, "Submit")


def test_without_a_zone_the_report_goes_on() -> None:
    """It says so once, and shows the times as if they were UTC."""
    lines = report(HEADER + a_row() + a_row(2), SlurmOptions())
    assert "zone: not given, UTC in this report" in lines
    assert any(line.startswith("  1 no time zone given: times are local") for line in lines)
    assert in_utc() != SlurmOptions()
    assert len(jobs_of(opened(HEADER + a_row()))) == 1
