"""The reader as users meet it: names, options, the hook."""

from __future__ import annotations

import io

import pytest

from tests.slurm.samples import HEADER, ROOT, a_row
from tests.slurm.test_small import the_plugins
from xce_core.sim.inputs import offered_readers
from xce_core.sim.workload import InputError
from xce_plugins.slurm import PRESETS, SHOW_COMMAND, columns_named, is_sacct
from xce_plugins.slurm.plugin import READER


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        ("log.slurm", b"", True),
        ("LOG.SACCT.GZ", b"", True),
        ("log.sacct.zst", b"", True),
        ("-", HEADER.encode(), True),
        ("-", b"\xef\xbb\xbf\n" + HEADER.lower().encode(), True),
        ("-", b"User|JobIDRaw|State\r\n", True),
        ("-", a_row().encode(), False),
        ("-", b'{"format": "recording"}\n', False),
        ("-", b"JobID State\n", False),
        ("-", b"", False),
    ],
)
def test_a_dump_is_known_by_its_name_or_its_header(path: str, data: bytes, expected: bool) -> None:
    """A recording is not taken for one."""
    assert is_sacct(path, data) is expected


def test_the_plugin_offers_one_reader() -> None:
    """By the hook, under the name that options of the command line use."""
    readers = {reader.name: reader for reader in offered_readers(the_plugins())}
    assert readers["slurm"] is READER
    assert readers["slurm"].recognises("-", HEADER.encode())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"zone": "Mars"}, "-o zone: expected a time zone such as UTC"),
        ({"queues": "two"}, "-o queues: expected partitions or one, found 'two'"),
        ({"attempts": "all"}, "-o attempts: expected sum or last"),
        ({"repair": "skip"}, "--repair: expected all or skip-malformed, found 'skip'"),
        ({"columns": "jobid"}, "-o columns: expected names with commas, or xdmod"),
        ({"columns": "jobid,state,jobid"}, "-o columns: 'jobid' stands twice"),
        ({"show-command": "yes"}, "-o show-command: expected on or off"),
        ({"show-command": "on"}, "-o show-command: goes with --check"),
    ],
)
def test_a_wrong_option_is_refused_at_once(options: dict[str, str], said: str) -> None:
    """S6: naming what there is."""
    with pytest.raises(InputError, match=said):
        READER.open(io.BytesIO(b""), "t.slurm", None, options)


def test_options_reach_the_reading() -> None:
    """All of them as text."""
    options = {"zone": "UTC", "repair": "all", "queues": "one", "attempts": "last"}
    data = io.BytesIO((HEADER + a_row() + "1|2\n").encode())
    workload = READER.open(data, "t.slurm", None, options)
    assert len(list(workload.events())) == 1
    assert list(workload.cluster.queues) == ["default"]


def test_the_command_to_collect_a_dump_is_shown() -> None:
    """Alone, or at the end of each report."""
    shown = READER.check(io.BytesIO(b""), "-", None, {"show-command": "on"})
    assert shown == list(SHOW_COMMAND)
    data = io.BytesIO((HEADER + a_row()).encode())
    report = READER.check(data, "t.slurm", None, {"zone": "UTC"})
    assert [line.strip() for line in report[-len(shown) :]] == shown
    assert "--duplicates" in shown[0]
    assert shown[0].index("jobname") > shown[0].index("nodelist")


def test_columns_are_named_one_by_one_or_by_a_preset() -> None:
    """As for sacct's own --format, widths and all."""
    assert columns_named("xdmod") == PRESETS["xdmod"]
    assert len(PRESETS["xdmod"]) == 26
    assert columns_named("JobID, State%20") == ("jobid", "state")


def test_the_page_about_it_names_every_option_and_the_command() -> None:
    """So that it stays true."""
    page = (ROOT / "docs/slurm.md").read_text(encoding="utf-8")
    assert all(line in page for line in SHOW_COMMAND)
    table = page.partition("## Options")[2].partition("##")[0]
    assert all(f"| `{name}=" in table for name in READER.options)
