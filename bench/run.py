"""The scheduler's benchmarks, each a ratio of whole processes run alternately.

usage: python -m bench.run [--log LOG.swf[.gz]] [--pairs N] [--json] CASE [OPTIONS]

Run it from the repository's root, with the Python into which the scheduler is
installed. LOG is a real log, HPC2N for the published figures.
"""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from json import dumps
from pathlib import Path

import click

from bench.pairs import CommandFailed, Comparison, Run, compare, lines, measure, run_rounds
from bench.slices import (
    Job,
    from_zero,
    machine_size,
    open_log,
    repeated,
    usable_jobs,
    write_slice,
)
from bench.strip_seams import strip_tree

# Of the long-queue case: a machine's processors, and those that its first job leaves free.
MACHINE = 1_000
FREE = 100

ROOT = Path(__file__).parent.parent
BARE_LOOP = ROOT / "tests" / "reference" / "fcfs.py"
BARE_EASY = ROOT / "tests" / "reference" / "easy.py"
EASY = ("-p", str(ROOT / "fixtures" / "plugins" / "easy" / "xce_easy.py"), "--policy", "easy")
IN_REPL = ("-i", "--batch", "--no-init")
BARE_IMPORT = "import click, pluggy"


class Sizes(click.ParamType):
    """Numbers separated by commas."""

    name = "N,N,..."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The numbers, each at least 1."""
        try:
            sizes = tuple(int(word) for word in str(value).split(","))
        except ValueError:
            self.fail(f"{value}: not numbers separated by commas", param, ctx)
        if min(sizes) < 1:
            self.fail(f"{value}: below 1", param, ctx)
        return sizes


@dataclass(frozen=True, slots=True)
class Found:
    """One result: what was compared, and further figures of its case by name."""

    case: str
    names: tuple[str, str]
    result: Comparison
    more: dict[str, float]

    def lines(self) -> Iterator[str]:
        """The result as text."""
        yield self.case
        yield from lines(self.result, self.names)
        for name, figure in self.more.items():
            yield f"{name.replace('_', ' ')}: {figure:,.3f}"


@dataclass
class Bench:
    """What all cases share, and what they found."""

    log: Path | None
    procs: int | None
    pairs: int
    scheduler: list[str]
    folder: Path
    found: list[Found] = field(default_factory=list)

    def source(self, size: int) -> tuple[list[Job], int]:
        """The log's first *size* usable jobs, and its machine's processors."""
        if self.log is None:
            raise click.UsageError("this case needs --log")
        procs = self.procs or machine_size(self.log)
        if procs is None:
            raise click.UsageError(f"{self.log} has no MaxProcs: give --procs")
        with open_log(self.log) as text:
            jobs = usable_jobs(text, procs)
        if len(jobs) < size:
            raise click.UsageError(f"{self.log} has only {len(jobs)} usable jobs, not {size}")
        return from_zero(jobs[:size]), procs

    def slice(self, name: str, jobs: Sequence[Job], procs: int, length: int | None = None) -> Path:
        """Write a log of *length* jobs, repeating *jobs* where there are fewer."""
        length = length or len(jobs)
        path = self.folder / f"{name}-{length}.swf"
        write_slice(path, repeated(jobs, length), length, procs)
        return path

    def simulate(self, log: Path, *more: str) -> list[str]:
        """The command that replays *log* headless."""
        return [*self.scheduler, "--sim", str(log), *more]

    def compare(
        self,
        names: tuple[str, str],
        commands: tuple[Sequence[str], Sequence[str]],
        jobs: tuple[int | None, int | None] = (None, None),
    ) -> Comparison:
        """Measure the pairs and show each on standard error."""
        rounds = self.rounds(" against ".join(names), commands)
        return compare([(one, two) for one, two in rounds], *jobs)

    def rounds(self, what: str, commands: Sequence[Sequence[str]]) -> list[tuple[Run, ...]]:
        """Run the commands one after the other, as many times as there are to be pairs."""
        click.echo(what, err=True)
        try:
            return run_rounds(commands, self.pairs, lambda text: click.echo(f"  {text}", err=True))
        except CommandFailed as failure:
            raise click.ClickException(str(failure)) from None

    def report(self, case: str, names: tuple[str, str], result: Comparison, **more: float) -> None:
        """Keep a result, to be printed at the end."""
        self.found.append(Found(case, names, result, more))


def _bytes_per_job(peak_kib: int, jobs: int) -> float:
    """Peak memory above that of an interpreter that does nothing, for each job."""
    idle = measure([sys.executable, "-c", "pass"])
    return (peak_kib - idle.peak_kib) * 1024 / jobs


def _installed_scheduler() -> str:
    beside = Path(sys.executable).with_name("xce_scheduler")
    return str(beside) if beside.exists() else shutil.which("xce_scheduler") or "xce_scheduler"


@click.group(help=(__doc__ or "").partition("\n")[0])
@click.option("--log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--procs", type=click.IntRange(min=1), help="Processors, if not the log's MaxProcs.")
@click.option("--pairs", default=5, show_default=True, type=click.IntRange(min=5))
@click.option("--scheduler", default=_installed_scheduler, help="The command, with options if any.")
@click.option("--json", is_flag=True, help="One JSON list instead of tables.")
@click.pass_context
def main(
    ctx: click.Context,
    log: Path | None,
    procs: int | None,
    pairs: int,
    scheduler: str,
    **_: object,
) -> None:
    """Set up what the cases share."""
    folder = Path(ctx.with_resource(tempfile.TemporaryDirectory(prefix="xce-bench-")))
    ctx.obj = Bench(log, procs, pairs, shlex.split(scheduler), folder)


@main.result_callback()
@click.pass_obj
def show(bench: Bench, _: object, *, json: bool, **__: object) -> None:
    """Print what the case found."""
    if json:
        click.echo(dumps([asdict(found) for found in bench.found], indent=2))
    else:
        click.echo("\n\n".join("\n".join(found.lines()) for found in bench.found))


@main.command()
@click.option("--sizes", type=Sizes(), default="10000,50000,200000", show_default=True)
@click.pass_obj
def fcfs(bench: Bench, sizes: Sequence[int]) -> None:
    """Strict order, no outputs, against a bare heap loop."""
    jobs, procs = bench.source(max(sizes))
    names = ("xce_scheduler", "bare loop")
    for size in sizes:
        log = bench.slice("log", jobs[:size], procs)
        loop = [sys.executable, str(BARE_LOOP), str(log)]
        result = bench.compare(names, (bench.simulate(log), loop), (size, size))
        memory = _bytes_per_job(result.a.peak_kib, size)
        bench.report(f"fcfs, {size:,} jobs", names, result, bytes_per_job=memory)


@main.command()
@click.option("--sizes", type=Sizes(), default="50000,200000", show_default=True)
@click.pass_obj
def easy(bench: Bench, sizes: Sequence[int]) -> None:
    """EASY backfilling and strict order, each against a bare loop, all four alternating."""
    jobs, procs = bench.source(max(sizes))
    for size in sizes:
        log = bench.slice("log", jobs[:size], procs)
        commands = (
            bench.simulate(log, *EASY),
            [sys.executable, str(BARE_EASY), str(log)],
            bench.simulate(log),
            [sys.executable, str(BARE_LOOP), str(log)],
        )
        taken = bench.rounds("EASY, bare EASY, FCFS, bare FCFS", commands)
        for name, first in (("EASY", 0), ("FCFS", 2)):
            result = compare([(run[first], run[first + 1]) for run in taken], size, size)
            bench.report(f"{name}, {size:,} jobs", (name, f"bare {name}"), result)


@main.command()
@click.option("--jobs", "size", default=50_000, show_default=True, type=click.IntRange(min=1))
@click.option("--slots", default=3, show_default=True, help="Slots of each host.")
@click.option("--widen", is_flag=True, help="Widen the jobs with the cluster: both queue alike.")
@click.pass_obj
def hosts(bench: Bench, size: int, slots: int, widen: bool) -> None:
    """The same log on 10,000 hosts against 100."""
    jobs, procs = bench.source(size)
    commands = []
    for number, factor in ((10_000, 100 if widen else 1), (100, 1)):
        wide = [
            Job(job.submit, job.run, job.procs * factor, job.requested_time, job.user)
            for job in jobs
        ]
        log = bench.slice(f"on-{number}", wide, procs * factor)
        cluster = bench.folder / f"{number}.toml"
        cluster.write_text(cluster_toml(number, slots))
        commands.append(bench.simulate(log, "--cluster", str(cluster)))
    names = ("10,000 hosts", "100 hosts")
    result = bench.compare(names, (commands[0], commands[1]), (size, size))
    case = f"hosts, {size:,} jobs, {slots} slots a host{', jobs widened' if widen else ''}"
    bench.report(case, names, result)


def cluster_toml(number: int, slots: int) -> str:
    """A cluster of equal hosts."""
    last = f"{number:05}"
    return f'[[hosts]]\nname = "n[00001-{last}]"\n\n[hosts.capacity]\nslots = {slots}\n'


@main.command()
@click.option("--sizes", type=Sizes(), default="200000,1000000", show_default=True)
@click.option("--base", default=50_000, show_default=True, type=click.IntRange(min=1))
@click.pass_obj
def scale(bench: Bench, sizes: Sequence[int], base: int) -> None:
    """Cost per job of longer logs, made by repeating a slice shifted in time."""
    jobs, procs = bench.source(base)
    short = bench.slice("short", jobs, procs)
    for size in sizes:
        long = bench.slice("long", jobs, procs, size)
        names = (f"{size:,} jobs", f"{base:,} jobs")
        both = (bench.simulate(long), bench.simulate(short))
        result = bench.compare(names, both, (size, base))
        bench.report(
            f"scale, {size:,} jobs",
            names,
            result,
            cost_per_job_ratio=result.ratio.median * base / size,
            bytes_per_job=_bytes_per_job(result.a.peak_kib, size),
        )


@main.command()
@click.option("--jobs", "size", default=50_000, show_default=True, type=click.IntRange(min=1))
@click.pass_obj
def seams(bench: Bench, size: int) -> None:
    """The core as it is against a copy with the seam statements removed."""
    jobs, procs = bench.source(size)
    command = bench.simulate(bench.slice("log", jobs, procs))
    plain, stripped = _copy_core(bench.folder / "with"), _copy_core(bench.folder / "without")
    removed = strip_tree(stripped / "xce_core")
    # Both are copies loaded in the same way, so that only the statements differ.
    both = (_with_path(plain, command), _with_path(stripped, command))
    names = ("with seams", "without")
    result = bench.compare(names, both, (size, size))
    bench.report(f"seams, {size:,} jobs", names, result, statements_removed=removed)


def _copy_core(target: Path) -> Path:
    spec = find_spec("xce_core")
    if spec is None or not spec.submodule_search_locations:
        raise click.UsageError("xce_core is not installed for this Python")
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(spec.submodule_search_locations[0], target / "xce_core", ignore=skip)
    return target


def _with_path(first: Path, command: Sequence[str]) -> list[str]:
    path = os.pathsep.join(filter(None, (str(first), os.environ.get("PYTHONPATH"))))
    return ["env", f"PYTHONPATH={path}", *command]


@main.command("continue")
@click.option("--jobs", "size", default=100_000, show_default=True, type=click.IntRange(min=1))
@click.pass_obj
def continue_(bench: Bench, size: int) -> None:
    """`continue` through the whole log in the REPL against the headless run."""
    jobs, procs = bench.source(size)
    headless = bench.simulate(bench.slice("log", jobs, procs))
    names = ("continue", "headless")
    result = bench.compare(names, ([*headless, *IN_REPL, "--ex", "continue"], headless))
    bench.report(f"continue, {size:,} jobs", names, result)


@main.command("start-up")
@click.pass_obj
def start_up(bench: Bench) -> None:
    """The REPL up to its first prompt on a small recording against a bare import."""
    names = ("start-up", "bare import")
    fixture = ROOT / "fixtures" / "contention.jsonl"
    commands = ([*bench.simulate(fixture), *IN_REPL], [sys.executable, "-c", BARE_IMPORT])
    bench.report("start-up", names, bench.compare(names, commands))


@main.command("long-queue")
@click.option("--pending", type=Sizes(), default="100,1000,10000", show_default=True)
@click.option("--kinds", default=50, show_default=True, type=click.IntRange(min=1))
@click.option("--small", default=2_000, show_default=True, help="Small jobs, two sessions each.")
@click.option(
    "--order",
    default="-p no:builtin_fcfs",
    show_default=True,
    help="Options that make the order greedy.",
)
@click.pass_obj
def long_queue(bench: Bench, pending: Sequence[int], kinds: int, small: int, order: str) -> None:
    """Greedy order: the time of a session with many jobs pending, of few kinds.

    The queue is there with small jobs passing it and without any; the
    difference over the sessions of the small jobs is the cost of a session.
    """
    names = ("small jobs pass", "none")
    for number in pending:
        commands = []
        for passing in (small, 0):
            jobs = list(crowd(number, kinds, passing, small))
            log = bench.slice(f"{number}-pending", jobs, MACHINE)
            commands.append(bench.simulate(log, *shlex.split(order)))
        result = bench.compare(names, (commands[0], commands[1]))
        bench.report(
            f"long-queue, {number:,} jobs pending of {kinds} kinds",
            names,
            result,
            microseconds_a_session=result.difference.median * 1e6 / (2 * small),
        )


def crowd(pending: int, kinds: int, passing: int, length: int) -> Iterator[Job]:
    """One job holds most of the machine; the *pending* ones need more than is left.

    Then *passing* jobs of one processor come by, one every ten seconds, while
    the first holds on for *length* times ten. Processors make the kinds.
    """
    hold = 10 * length + 10
    yield Job(0, hold, MACHINE - FREE, hold, 1)
    for number in range(pending):
        yield Job(1, 1, FREE + 1 + number % kinds, 1, 1)
    for number in range(passing):
        yield Job(10 + 10 * number, 1, 1, 1, 1)


if __name__ == "__main__":
    main()
