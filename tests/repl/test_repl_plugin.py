"""A plugin takes part in the REPL through its hooks, in the way the built-in commands do."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests.repl.test_command_transcripts import xce
from xce_repl.hookspecs import ReplSpecs

HOOKS = [name for name in vars(ReplSpecs) if name.startswith("xce_")]
OF_SESSIONS = ("xce_repl_decided", "xce_repl_may_collapse")
OF_REPLAYS = ("xce_repl_wants_each",)

SAMPLE = '''
"""Counts dispatches, and uses each hook of the REPL."""

from pathlib import Path

from xce_core.api import hookimpl
from xce_repl.interface import Command, CommandError, HelpSection, Parameter, Topic


class Sample:
    """Remarks upon decisions, if it was told to."""

    def __init__(self):
        self.repl = None
        self.loud = False
        self.seen = []

    def tally(self, rest):
        if rest == "badly":
            raise RuntimeError("lost count")
        if rest:
            raise CommandError("usage: tally")
        yield f"{len(self.seen)} dispatches, {len(self.repl.replay.scheduler.running)} running"
        yield f"{self.repl.amount('mem', 3 << 30)} in units {self.repl.units.value}"
        yield f"{self.repl.time(1791367200)}, in a session: {self.repl.in_session}"

    def set_loud(self, value):
        if value not in ("yes", "no"):
            raise CommandError(f"set loud: expected yes or no, found {value}")
        self.loud = value == "yes"

    @hookimpl
    def xce_repl_started(self, repl):
        self.repl = repl

    @hookimpl
    def xce_repl_commands(self):
        return [Command("tally", self.tally, "tally", "count", "All of them.", "Sample")]

    @hookimpl
    def xce_repl_topics(self):
        return [Topic("latest", lambda rest: self.seen[-1:], "latest", "the latest dispatch")]

    @hookimpl
    def xce_repl_parameters(self):
        get = lambda: "yes" if self.loud else "no"
        return [Parameter("loud", get, self.set_loud, "whether to remark", ("yes", "no"))]

    @hookimpl
    def xce_repl_help_sections(self):
        return [HelpSection("About the sample", ["tally counts"])]

    @hookimpl
    def xce_repl_wants_each(self):
        return True

    @hookimpl
    def xce_repl_decided(self, decided):
        if hasattr(decided.outcome, "allocation"):
            self.seen.append(decided.outcome.job.id)
        if self.loud:
            shown = "shown" if decided.echoed else "not shown"
            return [f"    {decided.outcome.job.id} in {decided.session} at {decided.time}: {shown}"]

    @hookimpl
    def xce_repl_may_collapse(self, ended):
        return ended.number != 4

    @hookimpl
    def xce_repl_refuse_output(self, path):
        return "is the sample's" if path.endswith(".sample") else None

    @hookimpl
    def xce_repl_restarted(self, repl):
        assert repl is self.repl
        self.seen.clear()

    @hookimpl
    def xce_repl_shutdown(self):
        with Path(__file__).with_suffix(".log").open("a") as log:
            log.write("shut down\\n")


plugin = Sample()
'''

QUIET = """\
{"type":"header","format":"xce-recording","version":1,"timeline":"recorded",\
"policy":"builtin_fcfs","time":0,"pends":"none","cluster":{"hosts":[{"name":"n1",\
"capacity":{"slots":1}}],"queues":[{"name":"normal"}]}}
{"type":"submit","time":1,"job":"1","user":"ann","queue":"normal","tasks":1,"run_time":9}
{"type":"session","time":1,"number":1}
{"type":"dispatch","job":"1","hosts":[{"hosts":"n1","tasks":1}]}
""" + "".join(f'{{"type":"session","time":{n},"number":{n}}}\n' for n in range(2, 8))
"""One job, and six sessions in which nothing happens."""


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The plugin, as a file."""
    path = tmp_path / "sample.py"
    # Modules register as they are: the hooks of the instance become the module's.
    text = SAMPLE + "".join(f"{name} = plugin.{name}\n" for name in HOOKS)
    path.write_text(text)
    return path


def run(root: Path, plugin: Path | None, commands: str, *options: object) -> tuple[int, list[str]]:
    """Status and lines of a replay with *plugin*."""
    words: list[object] = ["--sim", root / "fixtures/contention.jsonl", "-i", "-p", "no:trace"]
    if plugin is not None:
        words += ["-p", plugin]
    status, output, errors = xce([*words, *options], commands)
    assert "Traceback" not in errors
    return status, output.splitlines()


def test_the_sample_uses_each_hook() -> None:
    """I3: the whole interface is tried out here."""
    assert all(f"def {name}(" in SAMPLE for name in HOOKS)


def test_commands_topics_and_parameters(root: Path, sample: Path) -> None:
    """I3, I1: abbreviated, asked for and set as the built-in ones; mistakes in one line."""
    commands = (
        "tally\nstep 2\nta\ninfo la\nset units raw\ntally\ntally x\nset loud maybe\nshow loud\n"
        "set loud yes\nshow lo\ntally badly\ninfo time\n"
    )
    assert run(root, sample, commands) == (1, [
        "0 dispatches, 0 running", "3 GiB in units auto",
        "2026-10-07 10:00:00, in a session: False",
        "session 1 (2026-10-07 10:00:00)",
        "  dispatch job 30 on n02 (64 tasks)",
        "  dispatch job 31 on n01 (32 tasks)",
        "2 dispatches, 2 running", "3 GiB in units auto",
        "2026-10-07 10:00:00, in a session: True",
        "31",
        "2 dispatches, 2 running", "3221225472 in units raw",
        "2026-10-07 10:00:00, in a session: True",
        "usage: tally",
        "set loud: expected yes or no, found maybe",
        "loud no",
        "loud yes",
        "sample: tally: RuntimeError: lost count",
        "session 1", "time 2026-10-07 10:00:00 (1791367200)", "events 5 done, 25 left",
    ])  # fmt: skip


def test_help(root: Path, sample: Path) -> None:
    """I3: a section for its command, its own section at the end, help on each."""
    _, lines = run(root, sample, "help\n")
    at = lines.index("Sample:")
    assert lines[at + 1] == "  tally  count"
    assert lines[lines.index("About the sample:") + 1] == "  tally counts"
    assert any(line.split() == "info latest the latest dispatch".split() for line in lines)
    _, lines = run(root, sample, "help tally\nhelp info latest\nhelp set loud\n")
    assert lines == [
        "tally", "  count", "  All of them.", "info latest", "  the latest dispatch",
        "set loud yes|no", "  whether to remark",
    ]  # fmt: skip


def test_it_sees_each_decision_before_the_breakpoint_check(root: Path, sample: Path) -> None:
    """I3: its lines follow the decision's, and the breakpoint's come after."""
    commands = "set loud yes\nbreak job 32\nstep\ncontinue\n"
    assert run(root, sample, commands) == (0, [
        "breakpoint 1 (job 32)",
        "session 1 (2026-10-07 10:00:00)",
        "  dispatch job 30 on n02 (64 tasks)",
        "    30 in 1 at 1791367200: shown",
        "  dispatch job 31 on n01 (32 tasks)",
        "    31 in 1 at 1791367200: not shown",
        "  dispatch job 32 on n03 (1 task)",
        "    32 in 1 at 1791367200: not shown",
        "breakpoint 1 (job 32)",
    ])  # fmt: skip


def test_it_sees_all_decisions(root: Path, sample: Path) -> None:
    """I3: every dispatch of the recording; none is left of it after a restart."""
    status, lines = run(root, sample, "continue\ntally\ninfo latest\nrestart\ntally\n")
    assert status == 0
    assert [line for line in lines if "dispatches" in line] == [
        "8 dispatches, 0 running", "0 dispatches, 0 running"
    ]  # fmt: skip
    assert "43" in lines


def test_it_has_a_say_in_what_is_collapsed(sample: Path, tmp_path: Path) -> None:
    """I4, I3: rounds without a change share a line, unless a plugin wants one alone."""
    path = tmp_path / "quiet.jsonl"
    path.write_text(QUIET)
    words = ["--sim", path, "-i", "-p", "no:trace"]
    end = "end of trace (session 7, 1970-01-01 00:00:07): 1 running, 0 pending"
    first = "round 1 (1970-01-01 00:00:01): dispatched 1"
    assert xce(words, "continue\n")[1].splitlines() == [
        first, "rounds 2-7 (1970-01-01 00:00:02 .. 00:00:07): idle", end
    ]  # fmt: skip
    assert xce([*words, "-p", sample], "continue\n")[1].splitlines() == [
        first,
        "rounds 2-3 (1970-01-01 00:00:02 .. 00:00:03): idle",
        "round 4 (1970-01-01 00:00:04): idle",
        "rounds 5-7 (1970-01-01 00:00:05 .. 00:00:07): idle",
        end,
    ]


def test_it_may_refuse_an_output(root: Path, sample: Path, tmp_path: Path) -> None:
    """I3: only what it refuses."""
    mine, other = tmp_path / "out.sample", tmp_path / "out.jsonl"
    commands = f"set output {mine}\nshow output\nset output {other}\nshow output\n"
    assert run(root, sample, commands) == (1, [
        f"set output: {mine} is the sample's", "output off", f"output {other}"
    ])  # fmt: skip
    assert not mine.exists()


@pytest.mark.parametrize("end", ["quit\n", "", "step 3\nquit\n", "continue\n", "nonsense\n"])
def test_it_is_told_to_shut_down_once(root: Path, sample: Path, end: str) -> None:
    """I3: whatever ends the REPL."""
    run(root, sample, f"step\nrestart\n{end}")
    assert sample.with_suffix(".log").read_text() == "shut down\n"


CLASHES = """
from xce_core.api import hookimpl
from xce_repl.interface import Command, Parameter, Topic


def command(name):
    return Command(name, lambda rest: [f"{name} it is"], name, name)


@hookimpl
def xce_repl_commands():
    return [command("step"), command("s"), command("stepper"), command("No name"), command("fine")]


@hookimpl
def xce_repl_topics():
    return [Topic("job", lambda rest: ["not this"], "job", "job")]


@hookimpl
def xce_repl_parameters():
    return [Parameter("units", lambda: "odd", print, "units")]
"""


def test_a_clash_of_names_is_reported(root: Path, tmp_path: Path) -> None:
    """I3: at the start, both sides named; what was there stays, the rest is added."""
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text(CLASHES)
    two.write_text(CLASHES)
    commands = "fine\ns\nshow units\ninfo job 30\nste\n"
    status, lines = run(root, one, commands, "-p", two)
    assert (status, lines) == (1, [
        "plugin one: command step: the REPL has it already; it is left out",
        "plugin one: command s: the letter stands for step; it is left out",
        "plugin one: command 'No name': expected a name of a-z, 0-9, - and _ that begins with"
        " a letter; it is left out",
        "plugin two: command step: the REPL has it already; it is left out",
        "plugin two: command s: the letter stands for step; it is left out",
        "plugin two: command stepper: one has it already; it is left out",
        "plugin two: command 'No name': expected a name of a-z, 0-9, - and _ that begins with"
        " a letter; it is left out",
        "plugin two: command fine: one has it already; it is left out",
        "plugin one: info topic job: the REPL has it already; it is left out",
        "plugin two: info topic job: the REPL has it already; it is left out",
        "plugin one: parameter units: the REPL has it already; it is left out",
        "plugin two: parameter units: the REPL has it already; it is left out",
        "fine it is",
        "session 1 (2026-10-07 10:00:00)",
        "  dispatch job 30 on n02 (64 tasks)",
        "units auto",
        "job 30: running",
        "  user alice  queue normal  project fusion  priority 0",
        "  submitted 2026-10-07 10:00:00  started 2026-10-07 10:00:00  waited 0:00:00",
        '  requests 64 tasks  mem=100 GiB slots=1  on one host  select type == "gpu"',
        "  on n02 (64 tasks)",
        "command ste is ambiguous: step, stepper",
    ])  # fmt: skip


def raising(path: Path, hook: str) -> Path:
    """A plugin that raises in one hook."""
    arguments = ", ".join(list(inspect.signature(getattr(ReplSpecs, hook)).parameters)[1:])
    path.write_text(
        "from xce_core.api import hookimpl\n\n\n"
        f"@hookimpl\ndef {hook}({arguments}):\n    raise RuntimeError('oh no')\n"
    )
    return path


@pytest.mark.parametrize("hook", HOOKS)
def test_a_plugin_that_raises_is_named_and_scheduling_goes_on(
    hook: str, root: Path, tmp_path: Path
) -> None:
    """R10.6: once a session at most; the decisions and the output are the same."""
    outputs = [tmp_path / "with.jsonl", tmp_path / "without.jsonl"]
    plugins = [raising(tmp_path / "awkward.py", hook), None]
    shown = []
    for plugin, output in zip(plugins, outputs, strict=True):
        commands = f"step 2\nrestart\nset output {output}\ncontinue\ninfo jobs\n"
        status, lines = run(root, plugin, commands)
        assert status == 0
        shown.append(lines)
    notice = f"plugin awkward: {hook} failed: RuntimeError: oh no"
    told = [n for n, line in enumerate(shown[0]) if line == notice]
    if hook in OF_SESSIONS:
        assert 11 <= len(told) <= 11 + 2  # a session each, and before the first and the end
    else:
        assert len(told) == (2 if hook in OF_REPLAYS else 1)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    rounds = [[line for line in lines if line.startswith("round ")] for lines in shown]
    assert rounds[0] == rounds[1]
    assert [line for line in shown[0] if "awkward" in line and line != notice] == []


@pytest.mark.parametrize("hook", ["xce_repl_decided", "xce_repl_may_collapse"])
def test_a_plugin_that_raises_is_named_once_a_session(
    hook: str, root: Path, tmp_path: Path
) -> None:
    """R10.6: however many decisions the session has."""
    plugin = raising(tmp_path / "awkward.py", hook)
    _, lines = run(root, plugin, "continue\n")
    told = [line for line in lines if line.startswith("plugin awkward: ")]
    assert len(told) == 11


def test_an_unknown_hook_is_found_at_the_start(root: Path, tmp_path: Path) -> None:
    """I3: a misspelt hook is named, with what was meant."""
    path = tmp_path / "typo.py"
    path.write_text(
        "from xce_core.api import hookimpl\n\n\n@hookimpl\ndef xce_repl_decide(decided):\n    ...\n"
    )
    words = ["--sim", root / "fixtures/contention.jsonl", "-i", "-p", path]
    status, output, errors = xce(words, "step\n")
    assert (status, output) == (4, "")
    assert "typo" in errors
    assert "xce_repl_decide; did you mean xce_repl_decided?" in errors
