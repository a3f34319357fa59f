"""How those who look on are told: each what it asks for, whatever the others do."""

from __future__ import annotations

import re
from pathlib import Path

import pluggy
import pytest

from xce_core.hookspecs import PROJECT, SeamSpecs, hookimpl
from xce_core.sched.announcer import Announcer

SEAMS = {name.removeprefix("xce_") for name in vars(SeamSpecs) if name.startswith("xce_")}


class Few:
    """Takes two of four facts, in an order of its own."""

    def __init__(self, heard: list[object]) -> None:
        self._heard = heard

    @hookimpl
    def xce_plan_ended(self, error: str, number: int) -> None:
        self._heard.append(("few", error, number))


class All(Few):
    """Takes all of them."""

    @hookimpl
    def xce_plan_ended(  # type: ignore[override]
        self, number: int, placed: bool, failed_position: int, error: str
    ) -> None:
        self._heard.append(("all", number, placed, failed_position, error))


class Raises:
    """Fails."""

    @hookimpl
    def xce_plan_ended(self, placed: bool) -> None:
        raise RuntimeError(placed)


def announcer(failed: list[object], **plugins: object) -> Announcer:
    """One that tells these plugins."""
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(SeamSpecs)
    for name, plugin in plugins.items():
        manager.register(plugin, name)
    return Announcer(manager.hook, lambda *failure: failed.append(failure))


def test_each_plugin_gets_the_facts_that_it_names() -> None:
    """R11.2: whatever its order of arguments, and in the order of the plugins' names."""
    heard: list[object] = []
    announcer([], b=All(heard), a=Few(heard)).plan_ended(3, False, 2, "why")
    assert heard == [("few", "why", 3), ("all", 3, False, 2, "why")]
    heard.clear()
    announcer([], a=Few(heard)).plan_ended(4, True, 0, "")
    assert heard == [("few", "", 4)]


def test_one_that_raises_is_noted_and_the_others_are_told() -> None:
    """R10.6: by name, with the hook."""
    heard: list[object] = []
    failed: list[object] = []
    announcer(failed, a=Raises(), b=All(heard)).plan_ended(1, True, 0, "")
    assert heard == [("all", 1, True, 0, "")]
    ((plugin, hook, error),) = failed  # type: ignore[misc]
    assert (plugin, hook, str(error)) == ("a", "xce_plan_ended", "True")


def test_nobody_may_listen() -> None:
    """R11.2: then nothing happens."""
    announcer([]).plan_ended(1, True, 0, "")


def test_there_is_no_seam_without_a_specification() -> None:
    """R11.1: a name that is misspelt would be found only when it is announced."""
    with pytest.raises(AttributeError):
        announcer([]).plan_endet(1)
    folder = Path(__file__).resolve().parents[2] / "xce_core" / "sched"
    text = "".join((folder / f"{name}.py").read_text() for name in ("seams", "watch"))
    used = set(re.findall(r"announce\.([a-z]\w*)\(", text))
    for method in ("_work_out", "_cannot_tell"):
        named = set(re.findall(rf"{method}\(\s*\"(\w+)\"", text))
        assert named
        used |= named
    assert used == SEAMS - {"wants_watch"}
