"""What plugins can bring to the REPL, and what they can't break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repl.harness import program, repl, with_plugin
from tests.repl.sample_plugin import (
    Careless,
    Clashing,
    Late,
    Raising,
    Sample,
    Second,
    Watcher,
    Yielding,
    raising,
)
from xce_core import plugins as core_plugins
from xce_repl.hookspecs import ReplSpecs

HOOKS = [name for name in vars(ReplSpecs) if name.startswith("xce_")]

QUIET = """\
{"type":"header","format":"xce-recording","version":1,"timeline":"recorded",\
"policy":"builtin_fcfs","time":0,"pends":"none","cluster":{"hosts":[{"name":"n1",\
"capacity":{"slots":1}}],"queues":[{"name":"normal"}]}}
{"type":"submit","time":1,"job":"1","user":"ann","queue":"normal","tasks":1,"run_time":9}
{"type":"session","time":1,"number":1}
{"type":"dispatch","job":"1","hosts":[{"hosts":"n1","tasks":1}]}
""" + "".join(f'{{"type":"session","time":{n},"number":{n}}}\n' for n in range(2, 8))
"""One job, and six sessions in which nothing happens."""


def test_the_sample_uses_each_hook() -> None:
    """I3: the whole interface is tried out here."""
    assert [name for name in HOOKS if not hasattr(Sample, name)] == []


def test_a_plugin_brings_commands_topics_parameters_and_help(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I3: through the same interface as the built-in ones; R1.11: with sections of help."""
    given["sample"] = Sample()
    said = with_plugin(
        "small.swf", "sample", "tally 3", "tal x", "info tally", "set remark 5", "show rem",
        "set remark all", "help tally", "help info state", "help set remark", "info tal", "help",
    )  # fmt: skip
    assert said.lines[:14] == [
        "3 decisions",
        "sample: invalid number: x",
        "tally of none",
        "remark 5",
        "set remark: one job only",
        "tally [N]",
        "  tell the count",
        "  Adds N to it.",
        "info state",
        "  what the REPL tells",
        "  All of it.",
        "set remark JOB|none",
        "  the job remarked on",
        "tally of 5",
    ]
    assert "Sample:\n  tally [N]  tell the count" in said.output
    assert "Remarks:\n  set remark JOB remarks on decisions on JOB" in said.output
    assert "  info tally              whose tally" in said.output
    assert said.status == 1


def test_what_the_repl_tells_a_plugin(inputs: Path, given: dict[str, Any]) -> None:
    """I3: the run, the replay, and amounts and times as the user has them shown."""
    given["sample"] = Sample()
    said = with_plugin("contention.jsonl", "sample", "info state", "step 2", "set units raw",
                       "set timezone Europe/Paris", "info state")  # fmt: skip
    assert said.lines[:3] == [
        "0 running of contention.jsonl",
        "3 GiB in units auto",
        "2026-10-07 10:00:00, in a session: False",
    ]
    assert said.lines[-3:] == [
        "2 running of contention.jsonl",
        "3221225472 in units raw",
        "2026-10-07 12:00:00, in a session: True",
    ]


def test_a_plugin_sees_all_decisions_that_it_wants(inputs: Path, given: dict[str, Any]) -> None:
    """I3: as many as stepping shows; of a replay that was begun anew, none is left."""
    given["sample"] = Sample()
    said = with_plugin("contention.jsonl", "sample", "set remark 99", "c", "tally", "restart",
                       "tally")  # fmt: skip
    stepped = repl("contention.jsonl", "step 1000")
    decisions = [line for line in stepped.lines if line.startswith("  ")]
    assert [line for line in said.lines if line.endswith("decisions")] == [
        f"{len(decisions)} decisions", "0 decisions"
    ]  # fmt: skip


def test_a_plugin_sees_each_decision_and_shows_lines_after_it(
    inputs: Path, given: dict[str, Any]
) -> None:
    """R7.1, R7.3, R7.4, R7.5: lines follow their decision; the round is shown alone."""
    given["sample"] = Sample()
    said = with_plugin("small.swf", "sample", "set remark 3", "step 3", "break dispatch if job==3",
                       "c", "set remark none", "tally", "c", "tally")  # fmt: skip
    assert said.lines[4:7] == [
        "session 3 (1970-01-01 00:00:20)",
        "  pend job 3: NO_RESOURCE: single hosts would do, but not enough of them at once;"
        " a resource falls short (slots) on n[1-3]",
        "[sample] 3 inside 1970-01-01 00:00:20 shown",
    ]
    stop = said.lines.index("breakpoint 1 (dispatch if job == 3)", 8)
    assert said.lines[stop - 3 : stop] == [
        "session 7 (1970-01-01 00:01:00)",
        "  dispatch job 3 on n[3-4] (2 tasks each)",
        "[sample] 7 inside 1970-01-01 00:01:00 not shown",
    ]
    # Once nobody wants to look on, only the first session after the one in progress is told.
    assert said.lines[stop + 1] == "7 decisions"
    assert said.lines[-1] == "10 decisions"


def test_of_a_replay_that_nobody_looks_on_at_the_first_session_is_told(
    inputs: Path, given: dict[str, Any]
) -> None:
    """R11.2, I3: after a restart too, and no session after it."""
    given["sample"] = sample = Sample()
    with_plugin("small.swf", "sample", "c", "restart", "step 3")
    assert sample.sessions == [1, 1]


def test_a_round_that_a_plugin_wants_alone_is_not_collapsed(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I4, R7.4: rounds without a change share a line, unless a plugin wants one alone."""
    Path("quiet.jsonl").write_text(QUIET)
    end = "end of trace (session 7, 1970-01-01 00:00:07): 1 running, 0 pending"
    first = "round 1 (1970-01-01 00:00:01): dispatched 1"
    assert repl("quiet.jsonl", "c").lines == [
        first, "rounds 2-7 (1970-01-01 00:00:02 .. 00:00:07): idle", end
    ]  # fmt: skip
    given["sample"] = Sample(alone=4)
    assert with_plugin("quiet.jsonl", "sample", "c").lines == [
        first,
        "rounds 2-3 (1970-01-01 00:00:02 .. 00:00:03): idle",
        "round 4 (1970-01-01 00:00:04): idle",
        "rounds 5-7 (1970-01-01 00:00:05 .. 00:00:07): idle",
        end,
    ]


def test_a_plugin_may_refuse_an_output_and_is_told_of_restart_and_end(
    inputs: Path, given: dict[str, Any]
) -> None:
    """R8.4: a path in use by a plugin is no output; the plugin hears of restart and shutdown."""
    given["sample"] = sample = Sample()
    said = with_plugin("small.swf", "sample", "set output x.sample", "show output",
                       "snapshot y.sample", "restart", "set output x", "show output")  # fmt: skip
    assert said.lines == [
        "set output: x.sample is the sample's own",
        "output off",
        "snapshot: y.sample is the sample's own",
        "at the start of small.swf",
        "output x",
    ]
    assert not Path("x.sample").exists()
    assert sample.told == ["started", "restarted", "restarted", "shutdown"]


@pytest.mark.parametrize("end", [("quit",), (), ("step 3", "quit"), ("c",), ("nonsense",)])
def test_a_plugin_is_told_to_shut_down_once(
    end: tuple[str, ...], inputs: Path, given: dict[str, Any]
) -> None:
    """I3: whatever ends the REPL."""
    given["sample"] = sample = Sample()
    with_plugin("small.swf", "sample", "step", *end)
    assert sample.told == ["started", "shutdown"]


def test_a_command_that_raises_is_named_with_its_plugin(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I3: a plugin's mistake is a failed command, and the REPL goes on."""
    given["sample"] = Sample()
    said = with_plugin("small.swf", "sample", "fail", "info time")
    assert said.lines[:3] == [
        "this far",
        "sample: fail: ZeroDivisionError: and no further",
        "session 0",
    ]
    assert said.status == 1


def test_names_that_clash_are_reported_and_left_out(inputs: Path, given: dict[str, Any]) -> None:
    """I3: the name, the plugin, and who has it; reserved letters can't be taken."""
    given["clashing"] = Clashing()
    said = with_plugin("small.swf", "clashing", "step", "t dispatch", "tr", "info job 1", "s",
                       "show units", "st")  # fmt: skip
    assert said.lines[:6] == [
        "plugin clashing: command step: the REPL has it already; it is left out",
        "plugin clashing: command t: the letter stands for tbreak; it is left out",
        "plugin clashing: command 'No Name': expected a name of a-z, 0-9, - and _ that begins with"
        " a letter; it is left out",
        "plugin clashing: xce_repl_commands: expected values of type Command,"
        " found something of type str; it is left out",
        "plugin clashing: info topic job: the REPL has it already; it is left out",
        "plugin clashing: parameter units: the REPL has it already; it is left out",
    ]
    assert said.lines[6] == "session 1 (1970-01-01 00:00:00)"
    assert "temporary breakpoint 1 (dispatch)" in said.lines
    assert "mine" in said.lines  # tr is a unique beginning of trace
    assert "job 1: running" in said.lines
    assert said.lines[-2:] == ["units auto", "command st is ambiguous: step, stepper"]


def test_of_two_plugins_with_one_name_the_second_is_left_out(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I3: both sides are named; what does not clash is there."""
    given["clashing"], given["other"] = Clashing(), Clashing()
    said = with_plugin("small.swf", "clashing", "trace", more=("-p", "other"))
    assert said.lines[-1] == "mine"
    assert "plugin other: command trace: clashing has it already; it is left out" in said.lines
    assert "plugin other: command step: the REPL has it already; it is left out" in said.lines
    assert said.status == 0


OF_SESSIONS = ("xce_repl_decided", "xce_repl_may_collapse")
TOLD = {"xce_repl_wants_each": 2, **dict.fromkeys(OF_SESSIONS, 1 + 11)}
"""How often a hook that raises is told in a replay of eleven sessions that was begun anew.

Once a session or a replay; the first of them is for what was before it was begun anew.
"""


@pytest.mark.parametrize("hook", HOOKS)
def test_a_plugin_that_raises_is_named_and_scheduling_goes_on(
    hook: str, inputs: Path, given: dict[str, Any]
) -> None:
    """R10.6: however many decisions a session has; the decisions and the output are the same."""
    given["awkward"] = raising(hook)
    commands = ("finish", "restart", "set output out.jsonl", "c", "info jobs")
    said = with_plugin("contention.jsonl", "awkward", "step 2", *commands)
    output = Path("out.jsonl").read_bytes()
    plain = repl("contention.jsonl", "step 2", *commands)
    assert said.status == plain.status == 0
    notice = f"plugin awkward: {hook} failed: RuntimeError: oh no"
    assert said.lines.count(notice) == TOLD.get(hook, 1)
    assert [line for line in said.lines if line != notice] == plain.lines
    assert output == Path("out.jsonl").read_bytes()


def test_a_plugin_that_raises_is_reported_once_a_session(
    inputs: Path, given: dict[str, Any]
) -> None:
    """R10.6: with its name, and nothing else is different."""
    given["raising"] = Raising()
    said = with_plugin("small.swf", "raising", "step 20", more=("--sim-output", "a"))
    plain = repl("small.swf", "step 20", options=("--sim-output", "b"))
    assert said.lines[:2] == [
        "plugin raising: xce_repl_started failed: ValueError: started",
        "plugin raising: xce_repl_commands failed: ValueError: commands",
    ]
    assert [line for line in said.lines if not line.startswith("plugin")] == plain.lines
    third = said.lines[said.lines.index("session 3 (1970-01-01 00:00:20)") + 1 :][:3]
    assert third[1:] == [
        "plugin raising: xce_selection_begun failed: ValueError: selection",
        "plugin raising: xce_repl_decided failed: ValueError: decided",
    ]
    assert (inputs / "a").read_bytes() == (inputs / "b").read_bytes()
    sixth = said.lines[said.lines.index("session 6 (1970-01-01 00:00:50)") :]
    assert sum("xce_selection_begun" in line for line in sixth[:4]) == 1


def test_seams_are_announced_in_the_interactive_simulator_only(
    inputs: Path, given: dict[str, Any]
) -> None:
    """R11.2: a headless run tells nobody; a session that is left midway is ended."""
    given["watcher"] = watcher = Watcher()
    program("--sim", "small.swf", "-p", "watcher")
    assert watcher.told == []
    given["watcher"] = watcher = Watcher()
    with_plugin("small.swf", "watcher", "step 3", "restart", "step")
    assert watcher.told == [
        "session 1", "Dispatch", "end 1", "session 2", "Dispatch", "end 2",
        "session 3", "Pend", "end 3", "session 1", "Dispatch", "end 1",
    ]  # fmt: skip


def test_an_unknown_hook_is_refused(inputs: Path, given: dict[str, Any]) -> None:
    """P4: a plugin asked for by name that misspells a hook of the REPL ends the program."""

    class Misspelt:
        xce_repl_decide = core_plugins.pluggy.HookimplMarker("xce")(lambda self: None)

    given["misspelt"] = Misspelt()
    said = with_plugin("small.swf", "misspelt", "step")
    assert said.status == 4
    assert "unknown hook xce_repl_decide; did you mean xce_repl_decided?" in said.errors


hook = core_plugins.pluggy.HookimplMarker("xce")


@hook(wrapper=True)
def wraps(self: object, number: int) -> Any:
    return (yield)


@hook(hookwrapper=True)
def old_wraps(self: object) -> Any:
    yield


@hook
async def waits(self: object, number: int) -> None:
    pass


@hook
def presets(self: object, number: int = 5) -> None:
    pass


@hook
def keyword(self: object, *, number: int) -> None:
    pass


NO_WRAPPERS = "wrappers are not supported; a hook is called, and nothing is called inside it"


@pytest.mark.parametrize(
    ("function", "fault"),
    [
        (wraps, NO_WRAPPERS),
        (old_wraps, NO_WRAPPERS),
        (waits, "expected a plain function, found an async one"),
        (presets, "number has a default, which would always be used; leave it out"),
        (keyword, "number can be given by keyword only; hooks are called by position"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--trace-hooks",)])
def test_what_would_not_be_called_as_it_expects_is_refused(
    inputs: Path, given: dict[str, Any], function: Any, fault: str, more: tuple[str, ...]
) -> None:
    """P4: when it is loaded, not when it is called."""
    given["odd"] = type("Odd", (), {"xce_session_begun": function})()
    said = with_plugin("small.swf", "odd", "step", more=more)
    assert said.status == 4
    assert f"xce_session_begun: {fault}" in said.errors


def test_what_takes_some_facts_and_has_its_own_defaults_is_called(
    inputs: Path, given: dict[str, Any]
) -> None:
    """P4: names that are no facts may have defaults, in any order of arguments."""
    heard: list[object] = []

    class Takes:
        @hook
        def xce_session_begun(self, time: float, number: int, own: str = "x") -> None:
            heard.append((number, time, own))

        @hook
        def xce_session_ended(self, *, own: str = "y") -> None:
            heard.append(own)

    given["takes"] = Takes()
    with_plugin("small.swf", "takes", "step")
    assert heard == [(1, 0, "x"), "y"]


def test_what_is_no_contribution_is_reported_and_left_out(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I3: with the hook that gave it, and what was expected there; the REPL goes on."""
    given["careless"] = Careless()
    said = with_plugin("small.swf", "careless", "show echo")
    assert said.lines == [
        "plugin careless: xce_repl_commands failed: ZeroDivisionError: half way",
        "plugin careless: xce_repl_topics: name: expected a text, found something of type int;"
        " it is left out",
        "plugin careless: xce_repl_help_sections: expected values of type HelpSection,"
        " found something of type int; it is left out",
        "echo off",
    ]
    assert said.status == 0


def test_what_fails_when_it_is_used_is_named_with_its_plugin(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I3: topics and parameters as commands: a failed command, and not the REPL's."""
    given["careless"] = Careless()
    asked = ("missing", "text", "nothing", "number")
    said = with_plugin("small.swf", "careless", *(f"info {topic}" for topic in asked),
                       "show shaky", "set shaky on", "show echo")  # fmt: skip
    assert said.lines[3:] == [
        "begun",
        "careless: info missing: FileNotFoundError: [Errno 2] no such file",
        "one line",
        "careless: info nothing: TypeError: 'NoneType' object is not iterable",
        "1",
        "2",
        "careless: show shaky: KeyError: ''",
        "careless: set shaky: KeyError: 'on'",
        "echo off",
    ]
    assert said.status == 1


def test_a_plugin_that_cannot_say_whether_it_looks_on_is_told_once(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I4, R10.6: once a replay; rounds share their lines as they do without it."""
    given["careless"] = Careless()
    said = with_plugin("small.swf", "careless", "until #4", "c", "restart", "c")
    notices = [line for line in said.lines if "xce_repl_wants_each" in line]
    assert [line.partition(" failed: ")[0] for line in notices] == [
        "plugin careless: xce_repl_wants_each"
    ] * 2
    plain = repl("small.swf", "until #4", "c", "restart", "c")
    assert [line for line in said.lines if "careless" not in line] == plain.lines


def test_what_a_plugin_does_wrong_breaks_up_no_range(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I4: it is told before the range that was going on, which goes on."""
    given["late"] = Late()
    said = with_plugin("mixed.jsonl", "late", "c")
    plain = repl("mixed.jsonl", "c")
    notice = "plugin late: xce_repl_may_collapse failed: ValueError: collapse"
    at = said.lines.index(notice)
    assert said.lines[at + 1].startswith("rounds 12-14 ")
    assert [line for line in said.lines if line != notice] == plain.lines


def test_what_a_policy_remarks_is_shown_and_not_obeyed(inputs: Path) -> None:
    """S8: control characters and line ends of a remark, in a decision and in its trace."""
    policy = inputs / "rude.py"
    policy.write_text(
        "from xce_core.api import HoldBack, Policy, hookimpl\n"
        "class Rude(Policy):\n"
        "    name = 'rude'\n"
        "    def elect(self, session):\n"
        "        for job in session.pending():\n"
        "            yield HoldBack(job, 'a\\x1b[2Jb\\nc')\n"
        "@hookimpl\n"
        "def xce_policies(): return {'rude': Rude}\n"
    )
    said = program(
        *("--sim", "small.swf", "-p", "./rude.py", "--policy", "rude", "-i"),
        typed="trace on all\nstep 2\n",
    )
    assert "\x1b" not in said.output
    assert "    POLICY a\\x1b[2Jb\\nc" in said.lines


def test_lines_may_be_yielded(inputs: Path, given: dict[str, Any]) -> None:
    """I3: a hook written as a generator; what it raises on the way is told like any failure."""
    given["yielding"] = Yielding()
    said = with_plugin("contention.jsonl", "yielding", "until #2", "step 2")
    pend = next(n for n, line in enumerate(said.lines) if line.startswith("  pend"))
    assert said.lines[pend + 1 : pend + 3] == ["one", "2"]
    failures = [line for line in said.lines if "yielding" in line]
    assert failures[0] == "plugin yielding: xce_repl_decided failed: RuntimeError: three"
    assert "generator object" not in said.output


def test_a_plugin_whose_policy_clashes_is_not_called_left_out(
    inputs: Path, given: dict[str, Any]
) -> None:
    """I3, P2: it is there, and what can't be used of it is named."""
    given["second"] = Second()
    said = with_plugin("small.swf", "second", "info second", "info plugins")
    assert said.lines[0] == "here"
    assert said.lines[3].split(None, 3) == [
        "second", "-", "module", "xce_policies, xce_repl_topics; but it offers policy builtin_fcfs,"
        " and so does plugin builtin_fcfs",
    ]  # fmt: skip
