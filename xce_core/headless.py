"""What runs without the interactive simulator, and what the user is told of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from xce_core.statuses import MISMATCH, say

if TYPE_CHECKING:
    from xce_core.plugins import Plugins
    from xce_core.sim.run import Run, RunOptions


def check(options: RunOptions, plugins: Plugins) -> int:
    """Tell what is in a log; the exit status."""
    from xce_core.loading import end_loading
    from xce_core.sim.cluster_file import load_cluster
    from xce_core.sim.inputs import reader_for, refuse_options
    from xce_core.sim.streams import open_input
    from xce_core.sim.workload import InputError

    end_loading()
    cluster = load_cluster(options.cluster) if options.cluster else None
    with open_input(options.sim) as source:
        reader = reader_for(options.sim, source, plugins, options.form)
        if reader is None:
            raise InputError(options.sim, 0, "is a recording; --check is for workload logs")
        refuse_options(options.input_options, reader.options)
        lines = reader.check(source, options.sim, cluster, options.input_options)
    for line in lines:
        click.echo(line)
    return 0


def replay(options: RunOptions, plugins: Plugins, as_json: bool) -> int:
    """Replay the input and tell the result; the exit status."""
    from xce_core.loading import end_loading
    from xce_core.progress import Progress
    from xce_core.sim.run import Run
    from xce_core.sim.summary import as_json as json_of
    from xce_core.sim.summary import text_lines

    end_loading()
    with Run(options, plugins) as run, Progress(run) as progress:
        run.replay.begin()
        while run.replay.advance():
            for _ in run.replay.outcomes():
                pass
            progress.tick()
    result = run.result()
    if as_json:
        click.echo(json.dumps(json_of(result), indent=2))
    else:
        _report(run, options, text_lines(result))
    warn(run)
    return verdict(run, options)


def warn(run: Run) -> None:
    """What the user should know beside the result, on standard error."""
    for text, count in run.warnings():
        say(f"warning: {text}" + (f" ({count} times)" if count > 1 else ""))


def _report(run: Run, options: RunOptions, lines: list[str]) -> None:
    taken = "-" in (options.output, options.jobs_csv, options.log)
    for line in lines:
        click.echo(line, err=taken)


def verdict(run: Run, options: RunOptions) -> int:
    """What verification found, on standard error; the exit status."""
    verifier = run.verifier
    if verifier is None:
        return 0
    if verifier.first is None:
        say(f"verified: {verifier.compared} decisions, no mismatch")
        return 0
    for line in verifier.first.lines(options.sim):
        click.echo(line, err=True)
    found = "1 mismatch" if verifier.mismatches == 1 else f"{verifier.mismatches} mismatches"
    say(f"{found} in {verifier.compared} decisions compared; the first is told above")
    return MISMATCH
