"""Conditions: what can be told to be wrong before anything happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repl.harness import program, repl
from xce_repl import conditions
from xce_repl.conditions import DECISION_FACTS, JOB_FACTS, KINDS, SESSION_FACTS, Condition
from xce_repl.interface import CommandError

TEXT, NUMBER, TRUTH = "a text", "a number", "true or false"


@pytest.mark.parametrize(
    ("text", "column", "expected", "beside", "found"),
    [
        ("user == 5", 9, TEXT, "user", "5; texts stand in quotes"),
        ("user != 5", 9, TEXT, "user", "5; texts stand in quotes"),
        ("tasks > 1 && !(user >= 5K)", 24, TEXT, "user", "5K; texts stand in quotes"),
        ('job == "42"', 8, NUMBER, "job", '"42"'),
        ('pending > 0 || wait < "1:00"', 23, NUMBER, "wait", '"1:00"'),
        ('"42" == job', 9, TEXT, '"42"', "job, which is a number"),
        ("user == job", 9, TEXT, "user", "job, which is a number"),
        ("job == user", 8, NUMBER, "job", "user, which is a text"),
        ("reconstructed == 1", 18, TRUTH, "reconstructed", "1"),
        ("reconstructed == kind", 18, TRUTH, "reconstructed", "kind, which is a text"),
        ("state == true", 10, TEXT, "state", "true"),
        ('1 == "1"', 6, NUMBER, "1", '"1"'),
    ],
)
def test_what_can_never_be_equal_is_no_condition(
    text: str, column: int, expected: str, beside: str, found: str
) -> None:
    """I1: text, number, and true or false are told apart when it is set."""
    with pytest.raises(CommandError) as caught:
        Condition(text, DECISION_FACTS)
    assert str(caught.value) == (
        f"condition: column {column}: expected {expected} to compare {beside} with, found {found}"
    )


@pytest.mark.parametrize(
    "text",
    [
        'user == "5"', "job == 5", "5 == job", "user != queue", "wait > time_limit", "1 < 2",
        "reconstructed == false", "reconstructed", "!defined(index) || index", "tasks",
        'date >= "2026"', 'host == "g1"', "reconstructed != true && state",
    ],
)  # fmt: skip
def test_what_can_be_compared_is_one(text: str) -> None:
    """I1: names alone included."""
    assert Condition(text, DECISION_FACTS).text == text


def test_breakpoints_and_filters_refuse_it(inputs: Path) -> None:
    """I1: and nothing is set."""
    why = "condition: column 9: expected a text to compare user with, found 5"
    said = repl("mixed.jsonl", "break pend if user == 5", "info break", "info jobs if user == 5")
    assert said.lines == [f"{why}; texts stand in quotes", "no breakpoints",
                          f"{why}; texts stand in quotes"]  # fmt: skip
    assert said.status == 1


def test_the_facts_are_of_the_kinds_that_are_told(
    inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I1: every name has a kind, and over whole replays no fact is of another."""
    assert set(KINDS) == set(DECISION_FACTS) == set(JOB_FACTS) | set(conditions.OF_DECISION)
    assert set(SESSION_FACTS) <= set(KINDS)
    seen: dict[str, set[type]] = {}

    def noting(name: str, fact: Any) -> Any:
        def get(moment: Any) -> Any:
            value = fact(moment)
            if value is not None:
                seen.setdefault(name, set()).add(_kind(value))
            return value

        return get

    for table in (conditions.OF_SESSION, conditions.OF_JOB, conditions.OF_DECISION):
        for name, fact in table.items():
            monkeypatch.setitem(table, name, noting(name, fact))
            monkeypatch.setitem(DECISION_FACTS, name, table[name])
    names = " && ".join(f"!({name} && false)" for name in KINDS)
    for sim in ("mixed.jsonl", "running.jsonl", "small.swf"):
        commands = "".join(f"break {what} if {names}\n" for what in ("pend", "dispatch"))
        program("--sim", sim, "-i", "-p", "no:trace", typed=commands + "continue\n" * 60)
    assert seen == {name: {kind} for name, kind in KINDS.items()}


def _kind(value: object) -> type:
    if isinstance(value, bool):
        return bool
    return str if isinstance(value, str) else float
