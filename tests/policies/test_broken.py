"""Plugins that are broken on purpose, one for each way to break."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Done, no_traceback, run_command

STOPS = {
    "import": "plugin broken-import: ModuleNotFoundError: No module named 'xce_core.no_such",
    "hook": "plugin broken-hook: implements an unknown hook xce_polices; did you mean xce_pol",
    "arguments": "plugin broken-arguments: xce_policies: Argument(s) {'cluster'} are declared",
    "contribution": "plugin broken-contribution: xce_policies: LookupError: the licence server",
    "version": "plugin broken-version: needs hook interface 99; this one is 1",
    "constructor": "plugin broken-constructor: policy broken-constructor: RuntimeError: no conf",
    "key": "plugin broken-key: key: ZeroDivisionError",
    "mixed-keys": "plugin broken-mixed-keys: elect: TypeError: '<' not supported between",
    "elect": "plugin broken-elect: elect: KeyError: 'weight'",
    "endless": "plugin broken-endless: elect: proposes jobs without end",
}
"""Breakages with which there is no policy, and what the user is told."""

GOES_ON = {
    "junk": ("plugin broken-junk: elect: proposed what is no job (36 times)", 11),
    "generator": ("plugin broken-generator: plan generator: ZeroDivisionError: no hosts left", 11),
    "plans": ("plugin broken-plans: plan generator: malformed plan 'all of it' (31 times)", 11),
    "order": ("plugin broken-order: host order: IndexError: rack 7", 0),
}
"""Breakages that a run survives: what the user is told, and how many jobs are dispatched."""

LOADS = ("import", "hook", "arguments", "version")
"""Those that are found when the plugin is loaded."""


def broken(installed: Path, root: Path, name: str, *more: str) -> Done:
    """A run with a broken plugin for its policy."""
    recording = root / "fixtures" / "small.swf"
    return run_command(
        "--sim", recording, "--policy", f"broken-{name}", *more, PYTHONPATH=str(installed)
    )


@pytest.mark.parametrize("name", STOPS)
def test_a_policy_that_was_asked_for_and_fails_stops_the_run(
    name: str, installed: Path, root: Path
) -> None:
    """P2, P4, S6: named, with the reason, in a line; status 4 and no traceback."""
    done = broken(installed, root, name)
    assert done.returncode == 4
    assert done.stderr.startswith(f"xce_scheduler: {STOPS[name]}")
    assert len(done.stderr.splitlines()) == 1
    assert no_traceback(done)
    assert done.stdout == ""


@pytest.mark.parametrize("name", GOES_ON)
def test_what_a_policy_does_wrong_is_told_and_the_run_goes_on(
    name: str, installed: Path, root: Path
) -> None:
    """P2, P5: junk, failed generators, malformed plans and host orders decide nothing."""
    warning, dispatches = GOES_ON[name]
    done = broken(installed, root, name, "--json")
    assert done.returncode == 0
    assert f"xce_scheduler: warning: {warning}" in done.stderr
    assert done.json["dispatches"] == dispatches
    assert no_traceback(done)


def test_what_nobody_asked_for_stops_nothing(installed: Path, root: Path) -> None:
    """P2: all the broken ones are there, and each that can't be loaded is named once."""
    recording = root / "fixtures" / "small.swf"
    done = run_command(
        "--sim", recording, "-i", "--batch", "--ex", "continue", PYTHONPATH=str(installed)
    )
    assert done.returncode == 0
    for name in LOADS:
        assert done.stderr.count(f"warning: plugin broken-{name} is left out: ") == 1
    assert done.stdout.count("dispatched") > 0


def test_a_headless_run_meets_only_the_plugins_that_it_uses(installed: Path, root: Path) -> None:
    """R11.3, P2: what is broken and not needed is not even imported."""
    recording = root / "fixtures" / "small.swf"
    for policy in ("builtin_fcfs", "easy"):
        done = run_command("--sim", recording, "--policy", policy, PYTHONPATH=str(installed))
        assert (done.returncode, done.stderr) == (0, "")


def test_of_two_that_offer_one_policy_the_one_that_is_meant_is_taken(
    installed: Path, root: Path
) -> None:
    """P1, P2: the one that was named, else the one of the policy's name; the list tells."""
    recording = root / "fixtures" / "backfill.swf"

    def end(*given: str) -> str:
        done = run_command(
            *("--sim", recording, "--policy", "easy", *given), PYTHONPATH=str(installed)
        )
        assert done.returncode == 0
        (makespan,) = [line.split() for line in done.stdout.splitlines() if "makespan" in line]
        return makespan[1]

    assert end() == "242.00"
    assert end("-p", "broken-clash") == "300.00"
    assert end("-p", "broken-clash", "-p", "easy") == "242.00"
    listed = run_command("plugins", "--json", PYTHONPATH=str(installed)).json["plugins"]
    failures = {row["name"]: row["failure"] for row in listed}
    assert failures["easy"] is None
    assert failures["broken-clash"] == "offers policy easy, and so does plugin easy"


def test_two_plugins_that_can_both_be_meant_are_both_named(tmp_path: Path, root: Path) -> None:
    """P2: neither has the policy's name, so that the user has to say which."""
    text = (root / "fixtures/plugins/easy/xce_easy.py").read_text()
    paths = [tmp_path / "one.py", tmp_path / "two.py"]
    for path in paths:
        path.write_text(text)
    recording = root / "fixtures" / "backfill.swf"
    given = [word for path in paths for word in ("-p", path)]
    done = run_command("--sim", recording, *given, "--policy", "easy", "--no-autoload", "-p", "swf")
    assert done.returncode == 4
    assert "plugin two: offers policy easy, and so does plugin one" in done.stderr
