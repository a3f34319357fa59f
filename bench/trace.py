"""What the decision trace costs, in alternating pairs of runs.

usage: python -m bench.trace [--log FILE] [--jobs N] [--pairs N] [--json]

1. The plugin loaded and off against the REPL without it, over ten times as many jobs: its
   import counts once.
2. `trace on all level summary` against the untraced REPL; both show every decision.
3. `level full` on 100 and on 1,000 hosts (line bound 1000) against a bare loop that formats
   the same lines, in this process. The trace's side is a whole decision: the job comes, is
   placed, traced, stored, shown and ends. Processor time, since both are one process.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import pluggy

from bench.pairs import Comparison, Spread, compare, lines, run_pairs
from xce_core.hookspecs import PROJECT, SeamSpecs
from xce_core.model.amounts import AmountKind, UnitsMode
from xce_core.model.cluster import Cluster, Host, Queue
from xce_core.model.jobs import Job, JobState
from xce_core.model.requests import Primary, Requirement
from xce_core.model.resources import SLOTS, Resource
from xce_core.sched.policy import Policy
from xce_core.sched.scheduler import Scheduler
from xce_core.sched.seams import Failures, Seams
from xce_plugins.trace.codec import encode
from xce_plugins.trace.control import Settings
from xce_plugins.trace.model import Level
from xce_plugins.trace.render import Units, record_parts
from xce_plugins.trace.tracing import TracePlugin
from xce_repl.interface import as_block

GIB = 2**30

DECISIONS = 40
"""How many decisions one round of the third measurement makes."""

SHORT_ROUNDS = 5
"""How many of these rounds stand for one pair of the others."""


def repl(log: Path, *commands: str, plugin: bool = True) -> list[str]:
    """The command line of a REPL run in batch."""
    given = [part for command in commands for part in ("--ex", command)]
    kept = [] if plugin else ["-p", "no:trace"]
    return [
        sys.executable, "-m", "xce_core.cli", "--sim", str(log), "--repair", "all",
        "-i", "--batch", *kept, *given,
    ]  # fmt: skip


def cut(log: Path, jobs: int, folder: Path) -> Path:
    """The first *jobs* jobs of a log, as a file of their own."""
    opener = gzip.open if log.suffix == ".gz" else open
    path = folder / f"{jobs}.swf"
    with opener(log, "rt", errors="replace") as source, path.open("w") as part:
        left = jobs
        for text in source:
            left -= not text.startswith(";")
            if left < 0:
                break
            part.write(text)
    return path


class Shortfall(NamedTuple):
    """A host and the resource it is short of; amounts of memory in bytes."""

    host: str
    resource: str
    total: int
    in_use: int
    reserved: int
    requested: int


class Traced:
    """A cluster that is full but for its last host, and a job that fits there alone.

    Every other host is short of slots, the rest are short of memory, by seven amounts each.

    :ivar short: what the hosts lack, in host order.
    """

    def __init__(self, hosts: int) -> None:
        self.cluster = Cluster(
            tuple(Host(f"n{n:04}", n, {"slots": 8, "mem": 64 * GIB}) for n in range(hosts)),
            {"slots": SLOTS, "mem": Resource("mem", kind=AmountKind.BYTES)},
            {},
            {"normal": Queue("normal")},
        )
        self.scheduler = Scheduler(self.cluster, Policy())
        self.short: list[Shortfall] = []
        columns = self.scheduler.ledger.columns
        for host in range(hosts - 1):
            name, some = f"n{host:04}", 1 + host % 7
            if host % 2:
                columns["mem"].take(1 << host, some * 8 * GIB + GIB // 2)
                row = ("mem", 64 * GIB, some * 8 * GIB + GIB // 2, 0, 64 * GIB)
            else:
                columns["slots"].take(1 << host, some)
                row = ("slots", 8, some, 0, 8)
            self.short.append(Shortfall(name, *row))
        self.plugin = TracePlugin()
        manager = pluggy.PluginManager(PROJECT)
        manager.add_hookspecs(SeamSpecs)
        manager.register(self.plugin, "trace")
        self.scheduler.seams = Seams(manager.hook, Failures(lambda *_: None))
        self.plugin.control.set(Settings(level=Level.FULL, lines=1000))
        self.units = Units(UnitsMode.AUTO, str)
        self.session = 0

    def decide(self, out: io.StringIO) -> int:
        """One traced decision, shown and made bytes of; the number of its lines."""
        self.session += 1
        job = Job(
            str(self.session), self.session, -1, "u", "normal", "p",
            Requirement.single(Primary(8, 8, (("slots", 1), ("mem", 8 * GIB)))), 0,
        )  # fmt: skip
        scheduler = self.scheduler
        scheduler.submit(job, 0)
        assert scheduler.seams is not None
        scheduler.seams.session_begun(self.session, 0)
        for _ in scheduler.session(self.session, 0, True):
            record = self.plugin.take(job.id, self.session)
            assert record is not None
            self.plugin.store.put(job.id, partial(encode, record))
            lines = 0
            for text in as_block(record_parts(record, self.units)):  # as the REPL does
                out.write(f"{text}\n")
                lines += text.count("\n") + 1
        scheduler.seams.session_ended(self.session, 0)
        scheduler.end(job, 0, JobState.DONE)
        return lines


def bare(short: list[Shortfall], out: io.StringIO) -> None:
    """Format and write the two lines of each host, and do nothing else.

    It is handed the figures and prints each by an f-string, whole numbers as they are and
    memory in GiB. It finds nothing out, keeps nothing and calls no function but ``write``.
    """
    for host, resource, total, in_use, reserved, requested in short:
        out.write(f"        host {host} rejected (per-host check): resource shortfall\n")
        if resource == "mem":
            out.write(
                f"          mem total {total / GIB:g} GiB in-use {in_use / GIB:g} GiB"
                f" reserved {reserved} requested {requested / GIB:g} GiB\n"
            )
        else:
            out.write(
                f"          {resource} total {total} in-use {in_use}"
                f" reserved {reserved} requested {requested}\n"
            )


def same_lines(traced: Traced) -> tuple[int, list[Shortfall]]:
    """How many lines a trace has, and figures for as many by the bare loop.

    :raises AssertionError: if the two do not format a host in the same way.
    """
    shown, told = io.StringIO(), io.StringIO()
    count = traced.decide(shown)
    bare(traced.short[:90], told)
    assert told.getvalue() in shown.getvalue()
    return count, (traced.short * 2)[: count // 2]


def full_against_bare(hosts: int, pairs: int) -> tuple[int, Spread]:
    """Lines of a trace, and the ratios of its time to that of the bare loop."""
    traced = Traced(hosts)
    count, short = same_lines(traced)
    ratios = []
    for _ in range(SHORT_ROUNDS * pairs):
        taken = [_time(lambda out: traced.decide(out)), _time(lambda out: bare(short, out))]
        ratios.append(taken[0] / taken[1])
    return count, Spread.of(ratios)


def _time(work: Callable[[io.StringIO], object]) -> float:
    out = io.StringIO()
    began = time.process_time()
    for _ in range(DECISIONS):
        work(out)
        out.seek(0)
    return time.process_time() - began


def measure(log: Path, long: Path, pairs: int) -> Iterator[tuple[str, Comparison]]:
    """The two comparisons of whole runs."""
    step = "step 999999999"
    yield "off / without", compare(
        run_pairs(repl(long, step), repl(long, step, plugin=False), pairs)
    )
    yield "summary / off", compare(
        run_pairs(repl(log, "trace on all", step), repl(log, step), pairs)
    )


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--log", type=click.Path(exists=True, path_type=Path), required=True,
              help="A workload log, of which the first jobs are replayed.")
@click.option("--jobs", default=3000, show_default=True)
@click.option("--pairs", default=7, show_default=True, type=click.IntRange(min=5))
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
def main(log: Path, jobs: int, pairs: int, as_json: bool) -> None:
    """Measure all three."""
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        parts = [cut(log, count, Path(folder)) for count in (jobs, 10 * jobs)]
        for name, result in measure(*parts, pairs):
            found[name] = asdict(result)
            if not as_json:
                first, second = name.split(" / ")
                click.echo("\n".join(lines(result, (first, second))))
    for hosts in (100, 1000):
        count, ratio = full_against_bare(hosts, pairs)
        found[f"full at {hosts} hosts"] = {"lines": count, "ratio": asdict(ratio)}
        if not as_json:
            click.echo(
                f"full at {hosts} hosts / bare loop, {count} lines: median {ratio.median:.2f},"
                f" {ratio.low:.2f}..{ratio.high:.2f}"
            )
    if as_json:
        click.echo(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
