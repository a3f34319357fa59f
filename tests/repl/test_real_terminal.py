"""The REPL on a terminal: line editing, history, completion, Ctrl-C, Ctrl-D."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pexpect = pytest.importorskip("pexpect")

PROMPT = "(xce) "
PATIENCE = 60
JOBS = 150_000
UP = "\x1b[A"
LEFT = "\x1b[D"


class Typist:
    """A person at a terminal.

    :ivar child: the process they see.
    """

    def __init__(self, child: Any) -> None:
        self.child = child

    def ready(self) -> str:
        """Wait for the prompt; what was shown before it."""
        self.child.expect_exact(PROMPT)
        return str(self.child.before).replace("\r\n", "\n")

    def enter(self, line: str) -> list[str]:
        """Type a line; what is shown for it, the line itself left out."""
        self.child.send(line + "\n")
        return self.ready().splitlines()[1:]

    def leave(self) -> tuple[str, int]:
        """What is shown up to the end, and the exit status."""
        self.child.expect(pexpect.EOF)
        self.child.close()
        return str(self.child.before), self.child.exitstatus


@pytest.fixture
def typist(root: Path, tmp_path: Path) -> Iterator[Callable[..., Typist]]:
    """Opens the simulator on a terminal; it stands at its first prompt."""
    children = []

    def open_it(sim: object = "fixtures/contention.jsonl", **environment: str) -> Typist:
        words = ["-m", "xce_core.cli", "--sim", str(sim), "-i", "-p", "no:trace"]
        child = pexpect.spawn(
            sys.executable,
            words,
            cwd=str(root),
            env={
                **os.environ,
                "TERM": "dumb",
                "INPUTRC": "/dev/null",
                "XDG_STATE_HOME": str(tmp_path),
                "XDG_CONFIG_HOME": str(tmp_path),
                **environment,
            },
            encoding="utf-8",
            timeout=PATIENCE,
            dimensions=(40, 200),
        )
        children.append(child)
        opened = Typist(child)
        assert opened.ready() == ""
        return opened

    yield open_it
    for child in children:
        child.close(force=True)


FIRST = ["session 1 (2026-10-07 10:00:00)", "  dispatch job 30 on n02 (64 tasks)"]
SECOND = ["  dispatch job 31 on n01 (32 tasks)"]
THIRD = ["  dispatch job 32 on n03 (1 task)"]
FOURTH = ["  dispatch job 33 on n03 (4 tasks)"]


def test_an_empty_line_repeats_what_moves_on(typist: Callable[..., Typist]) -> None:
    """I1: `step` is repeated, a question is not, and neither is a mistake.

    I2: nor does the mistake, which was seen, show in the exit status.
    """
    at = typist()
    assert at.enter("step") == FIRST
    assert at.enter("") == SECOND
    assert len(at.enter("info time")) == 3
    assert at.enter("") == []
    assert at.enter("step") == THIRD
    assert at.enter("stap") == ["unknown command stap; did you mean step?"]
    assert at.enter("") == []
    at.child.sendline("quit")
    assert at.leave()[1] == 0


def test_an_empty_line_repeats_what_was_typed(typist: Callable[..., Typist]) -> None:
    """I1: and not what a breakpoint's commands were."""
    at = typist()
    at.enter("break dispatch")
    for line in ("commands 1", "show units", "end"):
        at.child.sendline(line)
    at.child.expect_exact("> end")
    at.ready()
    stop = ["breakpoint 1 (dispatch)", "units auto"]
    assert at.enter("continue") == [*FIRST, *stop]
    assert at.enter("") == [*SECOND, *stop]


def test_editing_and_history(typist: Callable[..., Typist], tmp_path: Path) -> None:
    """I2: a line can be corrected, the last one comes back, and it is there the next time."""
    at = typist()
    assert at.enter("tep" + LEFT * 3 + "s") == FIRST
    assert at.enter(UP) == SECOND
    at.child.sendline("quit")
    assert at.leave()[1] == 0
    file = tmp_path / "xce_scheduler" / "history"
    assert file.read_text().split() == ["step", "quit"]
    assert file.stat().st_mode & 0o777 == 0o600
    at = typist()
    assert at.enter(UP * 2) == FIRST


def test_history_can_be_switched_off(typist: Callable[..., Typist], tmp_path: Path) -> None:
    """I2: nothing is kept then."""
    at = typist()
    at.enter("set history off")
    at.child.sendline("quit")
    at.leave()
    assert not (tmp_path / "xce_scheduler" / "history").exists()


def test_completion(typist: Callable[..., Typist], tmp_path: Path) -> None:
    """I2: Tab completes a command, a topic, a job, a host and a file."""
    at = typist()
    assert at.enter("unt\t#5")[-1] == "before session 5 (2026-10-07 10:00:30)"
    assert at.enter("info resou\tlic\t")[-1].split() == "license cluster job 10 9 1".split()
    assert at.enter("info job 35\t")[0] == "job 35: running"
    assert at.enter("br\tho\tn02\t") == ["breakpoint 1 (host n02)"]
    (tmp_path / "some commands").mkdir()
    (tmp_path / "only.cmds").write_text("info time\n")
    assert at.enter(f"source {tmp_path}/on\t")[0] == "session 5"
    (tmp_path / "some commands" / "what.cmds").write_text("show units\n")
    at.child.send(f"source {tmp_path}/so\twh\t\n")  # the line is drawn anew with its quotes
    at.child.expect_exact("units auto")
    at.ready()


def test_completion_lists_what_there_is(typist: Callable[..., Typist]) -> None:
    """I2: Tab twice shows the candidates; jobs are completed as far as they agree."""
    at = typist()
    at.enter("until #5")
    at.child.send("info job 4\t\t")
    at.child.expect(r"40\s+41\s+42\s+43")
    at.child.send("3\n")
    at.child.expect_exact("job 43: pending")
    at.ready()


def test_ctrl_c_at_the_prompt_clears_the_line(typist: Callable[..., Typist]) -> None:
    """I2: what was begun is not run."""
    at = typist()
    at.child.send("step 99")
    at.child.expect_exact("step 99")
    at.child.sendintr()
    at.ready()
    assert at.enter("step") == FIRST


def test_ctrl_d_leaves(typist: Callable[..., Typist]) -> None:
    """I2: with a newline, so that the shell's prompt stands at the margin."""
    at = typist()
    at.child.sendeof()
    shown, status = at.leave()
    assert shown.endswith("\r\n")
    assert shown.strip() == ""
    assert status == 0


LISTED = [
    "number  enabled  hits  ignore  what",
    "1       yes      0     0       dispatch",
    "          info time",
]


def test_ctrl_c_in_a_list_of_commands_leaves_the_one_there_was(
    typist: Callable[..., Typist],
) -> None:
    """I2: it takes us back to the prompt, and nothing of what was begun is kept or run."""
    at = typist()
    at.enter("break dispatch")
    at.child.sendline("commands 1")
    at.child.sendline("info time")
    assert at.enter("end")[-1] == "> end"
    at.child.sendline("commands 1")
    at.child.sendline("info verify")
    at.child.expect_exact("> info verify")
    at.child.expect_exact("> ")
    at.child.send("nonsen")
    at.child.expect_exact("nonsen")
    at.child.sendintr()
    at.ready()
    assert at.enter("info break") == LISTED
    at.child.sendline("quit")
    assert at.leave()[1] == 0


def test_ctrl_d_in_a_list_of_commands_is_its_end(typist: Callable[..., Typist]) -> None:
    """I2: of the list, and not of the simulator."""
    at = typist()
    at.enter("break dispatch")
    at.child.sendline("commands 1")
    at.child.expect_exact("> ")
    at.child.sendline("info time")
    at.child.expect_exact("> ")
    at.child.sendeof()
    at.ready()
    assert at.enter("info break") == LISTED
    assert at.enter("step")[-3] == "session 1"


@pytest.fixture
def long_log(tmp_path: Path) -> Path:
    """A log whose replay takes many seconds."""
    path = tmp_path / "long.swf"
    head = "; Version: 2.2\n; MaxNodes: 4\n; MaxProcs: 8\n; Queue: 1 normal\n"
    jobs = (
        f"{n} {n * 10} -1 {20 + n % 20} {1 + n % 4} -1 -1 {1 + n % 4} 99 -1 1 {n % 5} 1"
        " -1 1 -1 -1 -1\n"
        for n in range(1, JOBS + 1)
    )
    path.write_text(head + "".join(jobs))
    return path


def test_ctrl_c_in_continue_comes_back_to_the_prompt(
    typist: Callable[..., Typist], long_log: Path
) -> None:
    """I2: it says before which event; the state is whole, and the replay goes on from there."""
    at = typist(long_log)
    at.child.sendline("continue")
    at.child.expect(r"rounds? \d+\d\d[ -]")
    at.child.sendintr()
    at.child.expect(r"interrupted before event (\d+) \(session (\d+), ")
    event, session = map(int, at.child.match.groups())
    at.ready()
    told = at.enter("info time")
    assert told[0] == f"session {session}"
    done, left = map(int, re.findall(r"\d+", told[2]))
    assert done == event - 1
    assert done + left == JOBS
    slots = at.enter("info resource slots")[-1].split()
    hosts = at.enter("info host")[1:]
    free = sum(int(line.split()[3].partition("/")[0]) for line in hosts)
    assert (int(slots[3]), int(slots[5])) == (8, free)
    assert at.enter(f"until #{session + 3}")[-1].startswith(f"before session {session + 3} ")
    at.child.sendline("continue")
    at.child.expect(r"rounds? \d+\d\d[ -]")
    at.child.sendintr()
    at.child.expect_exact("interrupted before event ")
    at.ready()
    at.child.sendeof()
    assert at.leave()[1] == 0


def test_no_colour_where_it_is_not_wanted(typist: Callable[..., Typist]) -> None:
    """I2: NO_COLOR holds on a terminal that could show colours."""
    at = typist(TERM="xterm-256color", NO_COLOR="1")
    for command in ("help", "step", "stap", "info jobs"):
        assert not re.search(r"\x1b\[[0-9;]*m", "\n".join(at.enter(command)))
