"""The built-in commands and topics, given in the way plugins give theirs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from xce_repl.completion_words import Words
from xce_repl.control import Control
from xce_repl.interface import Command, Topic
from xce_repl.parameters import parameters
from xce_repl.registry import SECTIONS
from xce_repl.shell import BUILT_IN

if TYPE_CHECKING:
    from xce_repl.break_commands import BreakCommands
    from xce_repl.info_cluster import InfoCluster
    from xce_repl.info_run import InfoRun
    from xce_repl.simulator import Simulator

MOVING, STOPPING, _, OTHER = SECTIONS


def contribute(simulator: Simulator) -> None:
    """Enter them all."""
    registry, words = simulator.registry, Words(simulator)
    breaks = Breaks(simulator)
    commands = [
        *moving(simulator),
        *stopping(breaks, words),
        *asking(simulator, words),
        *others(simulator, words),
    ]
    registry.add(BUILT_IN, "commands", commands)
    registry.add(BUILT_IN, "topics", topics(simulator, breaks, words))
    registry.add(BUILT_IN, "parameters", parameters(simulator))


class Breaks:
    """The commands about breakpoints, of which most are loaded when one is first used."""

    def __init__(self, simulator: Simulator) -> None:
        @cache
        def made() -> BreakCommands:
            from xce_repl.break_commands import BreakCommands

            return BreakCommands(simulator)

        self.set_break = lambda rest: made().set_break(rest)
        self.set_temporary = lambda rest: made().set_temporary(rest)
        self.watch = lambda rest: made().watch(rest)
        self.delete = lambda rest: made().delete(rest)
        self.disable = lambda rest: made().disable(rest)
        self.enable = lambda rest: made().enable(rest)
        self.ignore = lambda rest: made().ignore(rest)
        self.condition = lambda rest: made().condition(rest)
        self.commands = lambda rest: made().commands(rest)
        self.listed = lambda rest: made().listed(rest)


def moving(simulator: Simulator) -> list[Command]:
    """What moves the replay on."""
    mover, control = simulator.mover, Control(simulator)
    return [
        Command(
            "step", mover.step, "step [N]", "go to the next decision, or the next N",
            "Each decision is shown on a line, below the heading of its session.",
            MOVING, repeats=True,
        ),
        Command(
            "continue", mover.go_on, "continue [N]", "go on to a breakpoint or the end",
            "Each round is shown on a line; rounds in which nothing changed share one.\n"
            "With N, the breakpoint that the replay stands at is passed N-1 times.",
            MOVING, repeats=True,
        ),
        Command(
            "until", mover.until, "until TIME|#SESSION", "go on to a time or a session",
            "Stops right before the first session at or after it. TIME is in seconds, or\n"
            "2026-10-07 10:00:01, 10:00:01 (the next such), +90 or +1:30:00 (from now).",
            MOVING, repeats=True,
        ),
        Command(
            "finish", mover.finish, "finish", "go to the end of the session in progress",
            "", MOVING,
        ),
        Command(
            "restart", control.restart, "restart", "begin anew; breakpoints are kept",
            "The input is opened again; outputs begin anew. Parameters stay, and breakpoints with\n"
            "conditions, commands and hits still to be passed; hits are counted anew.",
            MOVING,
        ),
    ]  # fmt: skip


CONDITION_HELP = """\
A condition compares what is known with numbers and quoted texts:
  break pend if user == "alice" && (tasks >= 8 || wait > 3600)
Of decisions: kind (dispatch, pend, none), reason, reconstructed. Of their jobs: job,
index, id, user, queue, project, state, priority, tasks, host, wait, time_limit, run_time.
Of sessions: session, time, date, pending, running."""


def stopping(breaks: Breaks, words: Words) -> list[Command]:
    """What stops it."""
    forms = (
        "job ID (an array's id means all its elements), user NAME, queue NAME: each decision\n"
        "host NAME: each dispatch to it. dispatch, pend: each of them\n"
        "session N, time TIME: right before the first session at or after it\n"
    )
    return [
        Command(
            "break", breaks.set_break, "break WHAT [if CONDITION]", "stop there; alone: list",
            f"WHAT is one of:\n{forms}{CONDITION_HELP}", STOPPING, complete=words.breaks,
        ),
        Command(
            "tbreak", breaks.set_temporary, "tbreak WHAT [if CONDITION]", "stop there once",
            "As break; the breakpoint is deleted when it is hit.", STOPPING,
            complete=words.breaks,
        ),
        Command(
            "watch", breaks.watch, "watch job ID.state|host NAME.free", "stop when it changes",
            "Also host NAME.state. The value is looked at after each decision, and before\n"
            "each session; old and new are shown. A condition may follow, with if.", STOPPING,
            complete=words.watches,
        ),
        Command(
            "delete", breaks.delete, "delete [N ...]", "delete breakpoints, or all",
            "", STOPPING, complete=words.numbers,
        ),
        Command(
            "disable", breaks.disable, "disable [N ...]", "no longer stop at them",
            "", STOPPING, complete=words.numbers,
        ),
        Command(
            "enable", breaks.enable, "enable [N ...]", "stop at them again",
            "", STOPPING, complete=words.numbers,
        ),
        Command(
            "ignore", breaks.ignore, "ignore N COUNT", "pass the next COUNT hits",
            "", STOPPING, complete=words.number,
        ),
        Command(
            "condition", breaks.condition, "condition N [CONDITION]", "change its condition",
            f"Without one it always stops.\n{CONDITION_HELP}", STOPPING, complete=words.number,
        ),
        Command(
            "commands", breaks.commands, "commands N", "what to run when it stops there",
            "The lines after it up to the line end are run at each stop. A command that moves\n"
            "the replay on is the last that is run, and so is one that fails. On a terminal\n"
            "Ctrl-D ends them too, and Ctrl-C leaves those there were.", STOPPING,
            complete=words.number,
        ),
    ]  # fmt: skip


def asking(simulator: Simulator, words: Words) -> list[Command]:
    """What tells."""
    control = Control(simulator)
    return [
        Command(
            "info", control.info, "info TOPIC", "tell about something; alone: the topics",
            "", OTHER, complete=words.info,
        ),
        Command(
            "show", control.show, "show [PARAMETER]", "show what set changes",
            "", OTHER, complete=words.parameters,
        ),
        Command(
            "set", control.set, "set PARAMETER VALUE", "change a parameter; alone: which",
            "", OTHER, complete=words.settings,
        ),
        Command(
            "help", simulator.help, "help [COMMAND]", "tell what there is to type",
            "", OTHER, complete=words.help,
        ),
    ]  # fmt: skip


def others(simulator: Simulator, words: Words) -> list[Command]:
    """The rest."""
    control = Control(simulator)
    return [
        Command(
            "source", control.source, "source FILE", "run the commands in FILE",
            "It ends at the first command that fails. # begins a comment. A name with blanks\n"
            "stands in quotes.", OTHER,
            complete=words.files,
        ),
        Command(
            "snapshot", control.snapshot, "snapshot FILE", "write a recording that goes on here",
            "Its starting state is the present, and what is still to happen follows. A name with\n"
            "blanks stands in quotes.", OTHER,
            complete=words.files,
        ),
        Command(
            "quit", control.quit, "quit", "leave; outputs hold what was replayed so far",
            "With outputs, a session in progress is finished first. Ctrl-D does the same.", OTHER,
        ),
        Command("exit", control.exit, "exit", "as quit", "", OTHER),
    ]  # fmt: skip


def topics(simulator: Simulator, breaks: Breaks, words: Words) -> list[Topic]:
    """What ``info`` tells about; who does is loaded when asked for."""

    @cache
    def cluster() -> InfoCluster:
        from xce_repl.info_cluster import InfoCluster

        return InfoCluster(simulator)

    @cache
    def run() -> InfoRun:
        from xce_repl.info_run import InfoRun

        return InfoRun(simulator)

    def job(rest: str) -> Iterator[str]:
        from xce_repl.info_job import InfoJob

        return InfoJob(simulator)(rest)

    def jobs(rest: str) -> Iterator[str]:
        from xce_repl.info_jobs import InfoJobs

        return InfoJobs(simulator)(rest)

    verdicts = (
        "A job that waits gets a verdict, NOW, LATER or NEVER, the reasons, and the number of\n"
        "hosts by what stands in its way first; they add up to all hosts."
    )
    return [
        Topic("job", job, "job ID", "all about a job", verdicts, complete=words.jobs),
        Topic("jobs", jobs, "jobs [FILTER ...]", "a table of jobs",
              "Filters: a state, user NAME, queue NAME, host NAME, if CONDITION.",
              complete=words.job_filters),
        Topic("queue", lambda rest: cluster().queue(rest), "queue [NAME]",
              "queues and their jobs", complete=words.queues),
        Topic("host", lambda rest: cluster().host(rest), "host [NAME]",
              "hosts: what is free, who is there", complete=words.hosts),
        Topic("limit", lambda rest: cluster().limit(rest), "limit [NAME]",
              "limits: what is used in each scope, by whom", complete=words.limits),
        Topic("resource", lambda rest: cluster().resource(rest), "resource [NAME]",
              "resources: total, in use, free", complete=words.resources),
        Topic("session", lambda rest: run().session(rest), "session",
              "the session and how far it is"),
        Topic("time", lambda rest: run().time(rest), "time",
              "session, time, events done and left"),
        Topic("break", breaks.listed, "break [N ...]",
              "breakpoints: hits, conditions, commands", complete=words.numbers),
        Topic("plugins", lambda rest: run().plugins(rest), "plugins",
              "plugins and their hooks"),
        Topic("verify", lambda rest: run().verify(rest), "verify",
              "what verification found so far"),
    ]  # fmt: skip
