"""Compare two command lines as whole processes, run alternately.

usage: python -m bench.pairs [--pairs N] [--jobs N] [--json] 'COMMAND A' 'COMMAND B'

The first pair warms the caches and is discarded. Each later pair gives one
ratio A/B; the result is their median, with the spread beside it, since a
machine may run at another speed an hour later but hardly within one pair.
Peak memory below some 9 MiB, that of the helper which measures, is not seen.
"""

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import click

MEASURE = Path(__file__).with_name("measure.py")
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


class CommandFailed(Exception):
    """A measured command could not be run or ended with a status other than 0."""


@dataclass(frozen=True, slots=True)
class Run:
    """One process: wall-clock seconds and peak resident memory in KiB."""

    seconds: float
    peak_kib: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the extent of some figures."""

    median: float
    low: float
    quartile1: float
    quartile3: float
    high: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> "Spread":
        """The spread of at least two figures; quartiles by linear interpolation."""
        first, middle, third = statistics.quantiles(figures, n=4, method="inclusive")
        return cls(middle, min(figures), first, third, max(figures))


@dataclass(frozen=True, slots=True)
class Side:
    """What one of the two commands took: median seconds, the largest peak in KiB."""

    seconds: float
    peak_kib: int
    jobs_per_second: float | None = None

    @classmethod
    def of(cls, runs: Sequence[Run], jobs: int | None) -> "Side":
        """Sum up the *runs* of one command, each of which handled *jobs* jobs."""
        seconds = statistics.median(run.seconds for run in runs)
        rate = None if jobs is None else jobs / seconds
        return cls(seconds, max(run.peak_kib for run in runs), rate)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The pairwise ratios A/B and differences A-B (seconds), and both sides."""

    pairs: int
    ratio: Spread
    difference: Spread
    a: Side
    b: Side


@cache
def _bytecode() -> tempfile.TemporaryDirectory[str]:
    """A folder for bytecode, which is there until the program ends."""
    return tempfile.TemporaryDirectory(prefix="xce-bytecode-")


def environment() -> dict[str, str]:
    """That of the runs: Python keeps bytecode, as it does of an installed program."""
    kept = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    if NO_BYTECODE in os.environ:
        kept["PYTHONPYCACHEPREFIX"] = _bytecode().name
    return kept


def measure(command: Sequence[str]) -> Run:
    """Run *command* once, or say why it failed."""
    with tempfile.NamedTemporaryFile("r", errors="replace") as errors:
        helper = [sys.executable, "-I", "-S", str(MEASURE), errors.name, *command]
        done = subprocess.run(helper, capture_output=True, text=True, env=environment())
        if done.returncode:
            raise CommandFailed(f"{shlex.join(command)}: {done.stderr.strip().splitlines()[-1]}")
        seconds, peak, status = done.stdout.split()
        if status != "0":
            raise CommandFailed(f"{shlex.join(command)}: exit status {status}\n{errors.read()}")
    return Run(float(seconds), int(peak))


def run_pairs(
    a: Sequence[str], b: Sequence[str], pairs: int, tell: Callable[[str], None] = lambda _: None
) -> list[tuple[Run, Run]]:
    """Run A B A B ...; the warm-up pair is left out of the result."""
    return [(one, two) for one, two in run_rounds((a, b), pairs, tell)]


def run_rounds(
    commands: Sequence[Sequence[str]], rounds: int, tell: Callable[[str], None] = lambda _: None
) -> list[tuple[Run, ...]]:
    """Run A B C ... A B C ...; the warm-up round is left out of the result."""
    taken = []
    for number in range(rounds + 1):
        taken.append(tuple(measure(command) for command in commands))
        what = f"pair {number} of {rounds}" if number else "warm-up"
        tell(f"{what}: {', '.join(f'{run.seconds:.3f} s' for run in taken[-1])}")
    return taken[1:]


def compare(
    taken: Sequence[tuple[Run, Run]], jobs_a: int | None = None, jobs_b: int | None = None
) -> Comparison:
    """Sum up measured pairs; the numbers of jobs give the rates."""
    return Comparison(
        pairs=len(taken),
        ratio=Spread.of([a.seconds / b.seconds for a, b in taken]),
        difference=Spread.of([a.seconds - b.seconds for a, b in taken]),
        a=Side.of([a for a, _ in taken], jobs_a),
        b=Side.of([b for _, b in taken], jobs_b),
    )


def lines(result: Comparison, names: tuple[str, str] = ("A", "B")) -> list[str]:
    """The comparison as a small table."""
    ratio, width = result.ratio, max(map(len, names))
    text = [f"{'':{width}}{'seconds':>10}{'jobs/s':>12}{'peak MiB':>11}"]
    for name, side in zip(names, (result.a, result.b), strict=True):
        rate = "-" if side.jobs_per_second is None else f"{side.jobs_per_second:,.0f}"
        text.append(f"{name:{width}}{side.seconds:>10.3f}{rate:>12}{side.peak_kib / 1024:>11.1f}")
    text.append(
        f"{' / '.join(names)}: median {ratio.median:.3f} of {result.pairs} pairs,"
        f" {ratio.low:.3f}..{ratio.high:.3f}, middle half"
        f" {ratio.quartile1:.3f}..{ratio.quartile3:.3f}"
    )
    return text


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("a")
@click.argument("b")
@click.option("--pairs", default=5, show_default=True, type=click.IntRange(min=5))
@click.option("--jobs", type=click.IntRange(min=1), help="Jobs that each command handles.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def main(a: str, b: str, pairs: int, jobs: int | None, as_json: bool) -> None:
    """Compare the command lines A and B."""
    try:
        taken = run_pairs(
            shlex.split(a), shlex.split(b), pairs, lambda text: click.echo(text, err=True)
        )
    except CommandFailed as failure:
        raise click.ClickException(str(failure)) from None
    result = compare(taken, jobs, jobs)
    click.echo(json.dumps(asdict(result), indent=2) if as_json else "\n".join(lines(result)))


if __name__ == "__main__":
    main()
