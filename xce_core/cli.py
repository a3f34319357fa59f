"""The entry of the ``xce_scheduler`` command: whatever happens from here on has its status.

It imports nothing at first, so that an interrupt during the imports is an interrupt too.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; every way out has its exit status and none shows a traceback."""
    try:
        from xce_core.loading import begin_loading

        begin_loading()
        from xce_core.standard_streams import open_streams

        open_streams()
        from xce_core.statuses import catch_signals

        catch_signals()
        status = _guarded(sys.argv[1:])
        _let_go()
    except KeyboardInterrupt:
        _let_go()
        if sys.stderr is not None:
            newline = "\n" if sys.stderr.isatty() else ""
            what = "interrupted; outputs were left as they were"
            sys.stderr.write(f"{newline}xce_scheduler: {what}\n")
        status = 130
    sys.exit(status)


def _guarded(arguments: list[str]) -> int:
    """The exit status of the command with *arguments*."""
    from xce_core.statuses import guarded

    return guarded(lambda: _run(arguments), "--debug" in arguments)


def _run(arguments: list[str]) -> int:
    from xce_core.command import cli

    status = cli.main(arguments, prog_name="xce_scheduler", standalone_mode=False)
    return status if isinstance(status, int) else 0


def _let_go() -> None:
    """All is done: an interrupt from now on ends the program at once, without a word."""
    import signal

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
