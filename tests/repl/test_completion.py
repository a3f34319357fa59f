"""What Tab offers, at any place of a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repl.harness import with_plugin
from xce_core.hookspecs import hookimpl
from xce_repl.interface import Command, Repl


class Tab:
    """Brings a command that shows what completion offers at a bar in its line."""

    @hookimpl
    def xce_repl_started(self, repl: Repl) -> None:
        from xce_repl.completion import Completer

        self.completer = Completer(repl)  # type: ignore[arg-type]

    @hookimpl
    def xce_repl_commands(self) -> list[Command]:
        return [Command("tab", self._tab, "tab LINE|", "complete")]

    def _tab(self, rest: str) -> Iterator[str]:
        line = rest.partition("|")[0]
        word = line[max(line.rfind(" "), line.rfind("\t")) + 1 :]
        yield "|".join(self.completer.candidates(line[: len(line) - len(word)], word))


OFFERED = {
    "st": "step ",
    "  unt": "until ",
    "info j": "job |jobs ",
    "i jo": "job |jobs ",
    "info job 12[": "12[1] |12[2] |12[3] |12[4] |12[5] |12[6] ",
    "info job 3 ": "",
    "info jobs us": "user ",
    "info jobs pending qu": "queue ",
    "info jobs queue ": "urgent |normal |night ",
    "info jobs if ": "",
    "info host g1 ": "",
    "info limit lim_u": "lim_user ",
    "info resource li": "license ",
    "info break ": "1 |2 ",
    "b": "break ",
    "b u": "user ",
    "b q ": "urgent |normal |night ",
    "break host g": "g1 |g2 ",
    "break host g1 ": "if ",
    "break dispatch ": "if ",
    "break dispatch if ": "",
    "break time 10:00 ": "if ",
    "watch h g1": "g1.free |g1.state ",
    "watch job 3": "3.state ",
    "watch job 3.state ": "if ",
    "delete 1 ": "2 ",
    "condition 1 ": "",
    "set u": "units ",
    "set units K": "KiB ",
    "set units KiB ": "",
    "show units ": "",
    "help info verif": "verify ",
    "help set ec": "echo ",
    "help step ": "",
    "set output fir": "first.xce ",
    "source first.xce ": "",
    "source one": '"one two.xce" ',
    "source \"one t": 'two.xce" ',
    "source 'one": "'one two.xce' ",
    "source fold": '"fold er/',
    "source \"fold er/": 'er/in.xce" ',
    "source ~/hom": "~/home.xce ",
    "snapshot nowhere/": "",
}
"""What stands before the cursor, and the candidates with a bar between them."""


def test_what_is_offered(
    inputs: Path, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """I2: what fits there and begins so, whole words with a blank, quotes where they are needed."""
    monkeypatch.setenv("HOME", str(inputs))
    (inputs / "fold er").mkdir()
    for name in ("one two.xce", "fold er/in.xce", "home.xce"):
        (inputs / name).touch()
    given["tab"] = Tab()
    commands = ("until #5", "break pend", "break dispatch", *(f"tab {line}|" for line in OFFERED))
    said = with_plugin("mixed.jsonl", "tab", *commands)
    assert dict(zip(OFFERED, said.lines[-len(OFFERED) :], strict=True)) == OFFERED


@pytest.mark.parametrize("line", ["nonsense ", "info nonsense ", "i j ", "# com", "set nonsense "])
def test_what_is_not_known_offers_nothing(
    line: str, inputs: Path, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """I2: and what there is to say about that is said when the line is entered."""
    given["tab"] = tab = Tab()
    with_plugin("mixed.jsonl", "tab")
    monkeypatch.setattr("readline.get_line_buffer", lambda: line)
    monkeypatch.setattr("readline.get_begidx", lambda: len(line))
    assert tab.completer.complete("", 0) is None
