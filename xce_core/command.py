"""The options and sub-commands of ``xce_scheduler``, and what each does."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from xce_core.headless import check, replay, verdict, warn
from xce_core.outputs import refuse_clashes
from xce_core.statuses import past_click, say

if TYPE_CHECKING:
    from xce_core.frontends import Startup
    from xce_core.plugins import Plugins
    from xce_core.sim.run import RunOptions

EXAMPLES = """\b
Examples:
  xce_scheduler --sim LOG.swf.gz
  xce_scheduler --sim session.jsonl --sim-verify
  xce_scheduler --sim LOG.swf.gz --cluster cluster.toml --json
  xce_scheduler --sim LOG.swf.gz --check

\b
xce_scheduler formats lists the formats of --sim with their options (-o) and
repairs (--repair); xce_scheduler plugins lists plugins.

\b
Exit status: 0 success, 1 a verify mismatch (with -i also a failed command),
2 wrong usage, 3 bad input or an output that can't be written,
4 a plugin asked for by name fails, 70 internal error, 129 hang-up,
130 interrupt, 141 closed pipe, 143 terminated.
"""

F = TypeVar("F", bound=Callable[..., Any])


def _version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("xce_scheduler")
        except PackageNotFoundError:
            number = "unknown (not installed)"
        click.echo(f"xce_scheduler {number}, Python {sys.version.split()[0]}")
        for name in ("pluggy", "click"):
            click.echo(f"  {name} {version(name)}")
        context.exit()


def _plugin_options(command: F) -> F:
    """The options that say which plugins there are."""
    for option in (
        click.option(
            "-p",
            "--plugin",
            "plugins",
            metavar="NAME",
            multiple=True,
            help="Load a plugin: an installed one, a module, or ./FILE.py; no:NAME keeps one out. "
            "May be repeated.",
        ),
        click.option("--no-autoload", is_flag=True, help="Load only the plugins named with -p."),
        click.option("--trace-hooks", is_flag=True, help="Show each call of a hook of a plugin."),
        click.option("--debug", is_flag=True, help="Show a traceback for unexpected errors."),
    ):
        command = option(command)
    return command


class Command(click.Group):
    """Knows in which order its options were given, and leaves ways out to the statuses."""

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Parse the command line; ``--help`` and its like write here."""
        with past_click():
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Do what is asked for."""
        with past_click():
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the names of the options given, in order, in the context's ``meta``."""
        _, _, given = self.make_parser(ctx).parse_args(list(args))
        ctx.meta["xce.order"] = [parameter.name for parameter in given]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The sub-command; a file in its place gets a hint."""
        name = args[0]
        if self.get_command(ctx, name) is None and os.path.exists(name):
            raise click.UsageError(f"no such command {name!r}; did you mean --sim {name}?", ctx)
        return super().resolve_command(ctx, args)


def _finite(context: click.Context, parameter: click.Parameter, value: float) -> float:
    if not math.isfinite(value):
        raise click.BadParameter(f"expected a finite number, found {value}")
    return value


@click.group(
    cls=Command,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)
@click.option("--sim", metavar="FILE", help="Replay a recording or a workload log; - for stdin.")
@click.option("--format", "form", metavar="NAME",
              help="The input's format, if its name is odd; `xce_scheduler formats` lists them.")
@click.option("-o", "--option", "options", metavar="KEY=VALUE", multiple=True,
              help="An option of the input's format, e.g. queues=log for SWF. May be repeated.")
@click.option("--repair", metavar="NAME", multiple=True,
              help="Mend faults of a log: a repair's name, or all. May be repeated.")
@click.option("--check", is_flag=True,
              help="Only tell what is in the log, what would be repaired and what refused.")
@click.option("--cluster", metavar="FILE", help="The cluster, as a TOML file.")
@click.option("--policy", metavar="NAME", help="The scheduling policy.")
@click.option("--timeline", type=click.Choice(["recorded", "simulated"]),
              help="Who says when jobs end: the recording or their run times.")
@click.option("--enforce-limits", is_flag=True,
              help="Simulated timeline: kill jobs at their time limit.")
@click.option("--up-to-cut", is_flag=True,
              help="Replay a recording that is cut off in its last line up to there.")
@click.option("--sim-verify", is_flag=True, help="Compare each decision with the recorded one.")
@click.option("--sim-output", metavar="FILE", help="Write the replay as a recording.")
@click.option("--jobs-csv", metavar="FILE", help="Write a table with a row for each job.")
@click.option("--log", metavar="FILE", help="Write the scheduler's log.")
@click.option("--tau", type=click.FloatRange(min=0, min_open=True), default=10.0,
              callback=_finite, show_default=True, help="Bound of bounded slowdown in seconds.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option("-i", "--interactive", is_flag=True, help="Open the interactive simulator.")
@click.option("-x", "--script", "scripts", metavar="FILE", multiple=True,
              help="With -i: run the commands in FILE first. May be repeated.")
@click.option("--ex", "-ex", "commands", metavar="COMMAND", multiple=True,
              help="With -i: run COMMAND first, in order with -x. May be repeated.")
@click.option("--batch", is_flag=True, help="With -i: leave after -x and --ex.")
@click.option("--keep-going", is_flag=True,
              help="With -i: go on after a failed command of -x, --ex or source.")
@click.option("--no-init", is_flag=True, help="With -i: do not read the user's init file.")
@_plugin_options
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help="Show the version and leave.")
@click.pass_context
def cli(context: click.Context, /, **given: Any) -> None:
    """Replay recorded cluster sessions and workload logs, and explain every decision."""
    if context.invoked_subcommand is not None:
        context.obj = given
        return
    if given["sim"] is None:
        raise click.UsageError("give --sim FILE; see --help for examples")
    refuse_clashes(given)
    _refuse_strangers(given)
    context.exit(_interact(context, given) if given["interactive"] else _simulate(given))


_FLAGS = {"as_json": "--json", "interactive": "-i", "scripts": "-x", "commands": "--ex"}
_NOT_WITH_CHECK = (
    "as_json", "sim_output", "jobs_csv", "log", "sim_verify", "interactive", "up_to_cut",
    "enforce_limits", "timeline", "policy",
)
_ONLY_INTERACTIVE = ("scripts", "commands", "batch", "keep_going", "no_init")


def _refuse_strangers(given: dict[str, Any]) -> None:
    """Hold the options against each other.

    :raises click.UsageError: naming the first that would be ignored.
    """
    def refuse(names: tuple[str, ...], why: str) -> None:
        for name in names:
            if given[name]:
                flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
                raise click.UsageError(f"{flag} {why}")

    if given["check"]:
        refuse(_NOT_WITH_CHECK, "does not go with --check")
    if given["interactive"]:
        refuse(("as_json",), "does not go with -i")
    else:
        refuse(_ONLY_INTERACTIVE, "goes with -i")


def _interact(context: click.Context, given: dict[str, Any]) -> int:
    """Hand over to the interactive simulator; the exit status."""
    from xce_core.frontends import load_frontend
    from xce_core.loading import end_loading

    startup = _startup(context, given)
    if given["sim"] == "-" and not startup.batch:
        raise click.UsageError("--sim - with -i takes its commands from -x and --ex: add --batch")
    plugins, options = _plugins(given), _run_options(given)
    frontend = load_frontend("repl", plugins)
    end_loading()
    run, status = frontend(options, plugins, startup)
    warn(run)
    return verdict(run, options) or status


def _startup(context: click.Context, given: dict[str, Any]) -> Startup:
    """What is to be done first, in the order in which the user said it."""
    from xce_core.frontends import Startup

    rest = {"scripts": iter(given["scripts"]), "commands": iter(given["commands"])}
    order = [name for name in context.meta["xce.order"] if name in rest]
    first = [(name == "scripts", next(rest[name])) for name in order]
    return Startup(first, given["batch"], given["keep_going"], not given["no_init"])


def _simulate(given: dict[str, Any]) -> int:
    """Run what was asked for; the exit status."""
    plugins = _plugins(given)
    options = _run_options(given)
    if given["check"]:
        return check(options, plugins)
    return replay(options, plugins, given["as_json"])


def _plugins(given: dict[str, Any]) -> Plugins:
    from xce_core.plugins import Plugins, split_names

    wanted, blocked = split_names(given["plugins"])
    plugins = Plugins(
        not given["no_autoload"],
        blocked,
        warn=lambda text: say(f"warning: {text}"),
        traffic=(lambda text: say(f"hook {text}")) if given["trace_hooks"] else None,
    )
    for name in wanted:
        plugins.load(name)
    return plugins


def _run_options(given: dict[str, Any]) -> RunOptions:
    from xce_core.sim.run import RunOptions
    from xce_core.sim.workload import Timeline

    return RunOptions(
        sim=given["sim"],
        cluster=given["cluster"],
        form=given["form"],
        input_options=_input_options(given["options"], given["repair"]),
        policy=given["policy"],
        timeline=Timeline(given["timeline"]) if given["timeline"] else None,
        enforce_limits=given["enforce_limits"],
        up_to_cut=given["up_to_cut"],
        verify=given["sim_verify"],
        output=given["sim_output"],
        jobs_csv=given["jobs_csv"],
        log=given["log"],
        tau=given["tau"],
    )


def _input_options(pairs: tuple[str, ...], repairs: tuple[str, ...]) -> dict[str, str]:
    options = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"expected KEY=VALUE, found {pair!r}", param_hint="--option")
        options[key] = value
    if repairs:
        options["repair"] = ",".join([*filter(None, [options.get("repair")]), *repairs])
    return options


@cli.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
@_plugin_options
@click.pass_obj
def plugins_command(before: dict[str, Any], /, as_json: bool, **given: Any) -> None:
    """List plugins: name, version, source, kind, what they provide, and what is wrong."""
    from xce_core.listings import plugin_lines, plugins_json
    from xce_core.plugin_list import list_plugins

    rows = list_plugins(_all_plugins(before, given))
    click.echo(plugins_json(rows) if as_json else "\n".join(plugin_lines(rows)))


@cli.command("formats")
@_plugin_options
@click.pass_obj
def formats_command(before: dict[str, Any], /, **given: Any) -> None:
    """List the formats that --sim reads, with their options (-o) and repairs (--repair)."""
    from xce_core.listings import format_lines

    click.echo("\n".join(format_lines(_all_plugins(before, given))))


def _all_plugins(before: dict[str, Any], given: dict[str, Any]) -> Plugins:
    """Every plugin, with what was said before the sub-command and after it."""
    both = {name: value + before[name] if name == "plugins" else value or before[name]
            for name, value in given.items()}
    from xce_core.loading import end_loading

    plugins = _plugins(both)
    plugins.load_all()
    end_loading()
    return plugins
