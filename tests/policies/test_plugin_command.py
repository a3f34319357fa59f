"""Finding plugins: by entry point, module or file; keeping them out; listing; listening."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import run_command
from tests.policies.plugin_files import GOOD, plugin_file

HEADLESS = ("--json", "--policy", "easy")


def test_installed_plugins_are_listed_with_what_they_provide(installed: Path) -> None:
    """P1: name, version, source, kind, hooks and what each provides, as JSON."""
    done = run_command("plugins", "--json", PYTHONPATH=str(installed))
    assert done.returncode == 0
    assert (done.json["format"], done.json["hook_interface"]) == ("xce-plugins", 1)
    rows = {row["name"]: row for row in done.json["plugins"]}
    for name in GOOD:
        assert rows[name] == {
            "name": name,
            "version": "1.0",
            "source": "entry point",
            "kind": "policy",
            "hooks": ["xce_policies"],
            "provides": [f"policy {name}"],
            "failure": None,
        }
    assert rows["swf"]["provides"] == ["format swf"]
    assert rows["trace"]["kind"] == "watcher, repl"
    assert rows["broken-import"]["failure"].startswith("ModuleNotFoundError: ")
    assert rows["broken-import"]["version"] == "1.0"


def test_the_list_for_people_has_a_line_for_each() -> None:
    """P1: a table with the same facts."""
    done = run_command("plugins", "-p", plugin_file("easy"), "-p", "no:trace")
    lines = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    assert lines["plugin"] == ["plugin", "version", "source", "kind", "hooks", "provides"]
    assert lines["xce_easy"] == ["xce_easy", "-", "file", "policy", "1", "policy", "easy"]
    assert "trace" not in lines


def test_installed_by_module_or_by_file_it_is_the_same_policy(installed: Path, root: Path) -> None:
    """P1: found by entry point, and with -p as a module or a path."""
    log, path = root / "fixtures" / "backfill.swf", str(plugin_file("easy").parent)
    by_entry = run_command("--sim", log, *HEADLESS, PYTHONPATH=str(installed))
    by_module = run_command("--sim", log, *HEADLESS, "-p", "xce_easy", PYTHONPATH=path)
    by_file = run_command("--sim", log, *HEADLESS, "-p", plugin_file("easy"))
    assert by_entry.returncode == by_module.returncode == by_file.returncode == 0
    assert by_entry.json == by_module.json == by_file.json


def test_plugins_can_be_kept_out(installed: Path, root: Path) -> None:
    """P1: -p no:NAME keeps one out, --no-autoload all that are not named."""
    log = root / "fixtures" / "backfill.swf"
    for given in (["-p", "no:easy", "-p", "no:broken-clash"], ["--no-autoload", "-p", "swf"]):
        done = run_command("--sim", log, *HEADLESS, *given, PYTHONPATH=str(installed))
        assert done.returncode == 4
        assert "plugin easy: no plugin offers a policy of this name" in done.stderr
    given = ["--no-autoload", "-p", "swf", "-p", "easy"]
    assert run_command("--sim", log, *HEADLESS, *given, PYTHONPATH=str(installed)).returncode == 0


def test_a_policy_is_suggested_for_a_name_that_is_nearly_right(
    installed: Path, root: Path
) -> None:
    """P2: a misspelt policy."""
    done = run_command(
        *("--sim", root / "fixtures" / "backfill.swf", "--policy", "conservativ"),
        PYTHONPATH=str(installed),
    )
    assert done.returncode == 4
    assert "did you mean conservative?" in done.stderr


def test_hook_traffic_can_be_seen(root: Path) -> None:
    """P3: every call of a hook, with the plugin, the arguments and the answer."""
    log = root / "fixtures" / "backfill.swf"
    given = ("--sim", log, "-p", plugin_file("easy"), "--policy", "easy", "--trace-hooks")
    headless = run_command(*given)
    assert headless.returncode == 0
    assert headless.stderr.splitlines() == [
        "xce_scheduler: hook xce_workload_readers [swf] () -> [swf]",
        "xce_scheduler: hook xce_policies [xce_easy] () -> {easy}",
    ]
    commands = ("-i", "--batch", "--ex", "trace on job 1", "--ex", "step 1")
    interactive = run_command(*given, *commands)
    assert "hook xce_session_begun [trace] (number=1, time=0)" in interactive.stderr
    assert " at 0x" not in interactive.stderr
    assert interactive.stdout == run_command(*given[:-1], *commands).stdout


def test_what_does_more_than_read_is_not_taken_for_a_reader(tmp_path: Path, root: Path) -> None:
    """P2: the interactive simulator would not hear the rest of it, so it says what is wrong."""
    (tmp_path / "greedy.py").write_text(
        "from xce_core.api import hookimpl\n"
        "@hookimpl\ndef xce_workload_readers(): return []\n"
        "@hookimpl\ndef xce_repl_shutdown(): print('bye')\n"
    )
    facts = tmp_path / "greedy-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: greedy\nVersion: 1.0\n")
    entry = "greedy = greedy\n"
    (facts / "entry_points.txt").write_text(f"[xce.plugins]\n{entry}[xce.readers]\n{entry}")
    done = run_command("plugins", "--json", PYTHONPATH=str(tmp_path))
    rows = {row["name"]: row for row in done.json["plugins"]}
    why = (
        "is declared in the group xce.readers, but implements xce_repl_shutdown as well;"
        " take it out of that group"
    )
    assert rows["greedy"]["failure"] == why
    assert f"plugin greedy is left out: {why}" in done.stderr
    (facts / "entry_points.txt").write_text(f"[xce.plugins]\n{entry}")
    log = root / "fixtures" / "small.swf"
    done = run_command("--sim", log, "-i", "--batch", PYTHONPATH=str(tmp_path))
    assert done.stdout.splitlines()[-1] == "bye"
