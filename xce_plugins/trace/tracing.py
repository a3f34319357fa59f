"""The trace plugin: what is captured, shown, written and stored, put together.

What is needed only once something has been traced is imported there, so that the start of a
simulator that traces nothing does not take longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from xce_core.hookspecs import hookimpl
from xce_core.sched.policy import NoDecision
from xce_plugins.trace.capture import Capture
from xce_plugins.trace.control import Form
from xce_plugins.trace.store import Store
from xce_plugins.trace.usage import INFO_SUMMARY, INFO_TEXT, INFO_USAGE, TEXT, USAGE
from xce_repl.interface import Command, Decided, HelpSection, Repl, Round, Topic, as_block

if TYPE_CHECKING:
    from xce_plugins.trace.files import TraceFile, Used
    from xce_plugins.trace.render import Units
    from xce_plugins.trace.showing import Showing

_JOBS_OFFERED = 200


class TracePlugin(Capture):
    """The capture, and the part that the REPL sees."""

    def __init__(self) -> None:
        super().__init__()
        self.store = Store()
        self._repl: Repl | None = None
        self._showing: Showing | None = None
        self._traced: int | None = None
        self._reported: int | None = None

    @property
    def repl(self) -> Repl:
        """The REPL that the plugin serves."""
        assert self._repl is not None
        return self._repl

    def units(self) -> Units:
        """How amounts are shown now."""
        return self.showing().units()

    def showing(self) -> Showing:
        """Puts records in words."""
        if self._showing is None:
            from xce_plugins.trace.showing import Showing

            self._showing = Showing(self.repl)
        return self._showing

    def used(self) -> Iterator[Used]:
        """The files of the run, which no trace may be written to."""
        from xce_plugins.trace.files import Used

        options = self.repl.run.options
        yield Used("the replay's input", options.sim, 0)
        if options.cluster:
            yield Used("the replay's cluster file", options.cluster, 0)
        if options.output:
            yield Used("the replay's output", options.output, 1)
        if options.jobs_csv:
            yield Used("the replay's table of jobs", options.jobs_csv, 1)
        if options.log:
            yield Used("the scheduler's log", options.log, 1)

    # What the REPL asks.

    @hookimpl
    def xce_repl_started(self, repl: Repl) -> None:
        """A new REPL: nothing is traced or stored yet."""
        self.control.close()
        self._repl = repl
        self.forget()

    @hookimpl
    def xce_repl_restarted(self, repl: Repl) -> None:
        """Settings stay; what was traced told of jobs that are to come again."""
        self._repl = repl
        if self.control.session is not None:
            self.control.end(self.control.session)
        self.forget()

    def forget(self) -> None:
        """Nothing was traced yet."""
        super().forget()
        self.store.clear()
        self._showing = None
        self._traced = self._reported = None

    @hookimpl
    def xce_repl_shutdown(self) -> None:
        """Close the files."""
        self.control.close()

    @hookimpl
    def xce_repl_commands(self) -> Sequence[Command]:
        """``trace``."""
        return [
            Command(
                name="trace",
                run=self._run,
                usage="trace on|off|status ...",
                summary="explain decisions: why this job, these hosts, this outcome",
                text="\n".join([*USAGE, "", TEXT]),
                section="Other",
                complete=self._complete,
            )
        ]

    def _run(self, text: str) -> list[str]:
        from xce_plugins.trace.command import TraceCommand

        return TraceCommand(self.control, self.store, self.used).run(text)

    def _complete(self, words: Sequence[str], word: str) -> list[str]:
        from xce_plugins.trace.command import completions

        return completions(words, self._job_ids(), word)

    @hookimpl
    def xce_repl_topics(self) -> Sequence[Topic]:
        """``info trace``."""
        return [
            Topic(
                name="trace",
                run=self._info,
                usage=INFO_USAGE,
                summary=INFO_SUMMARY,
                text=INFO_TEXT,
                complete=lambda words, word: self._job_ids() if not words else ["json"],
            )
        ]

    def _info(self, text: str) -> Iterator[str]:
        from xce_plugins.trace.info import info_lines

        return info_lines(text, self.store, self.repl.replay.scheduler, self.units())

    def _job_ids(self) -> list[str]:
        return list(islice(self.repl.replay.scheduler.jobs, _JOBS_OFFERED))

    @hookimpl
    def xce_repl_help_sections(self) -> Sequence[HelpSection]:
        """The forms of the command."""
        return [HelpSection("Trace", [*USAGE, f"{INFO_USAGE} -- {INFO_SUMMARY}"])]

    @hookimpl
    def xce_repl_wants_each(self) -> bool | None:
        """While anything is to be traced: a job alike another may be one of those named."""
        return True if self.control.next is not None else None

    @hookimpl
    def xce_repl_refuse_output(self, path: str) -> str | None:
        """An open trace file is no place for the replay's output."""
        if any(file.is_at(path) for file in self.control.files()):
            return "is an open trace file"
        return None

    # What the REPL tells.

    @hookimpl
    def xce_repl_decided(self, decided: Decided) -> Sequence[str] | None:
        """The trace of the selection, if it was traced: stored, written, and given to show."""
        outcome = decided.outcome
        job = outcome.job if isinstance(outcome, NoDecision) else outcome.job.id
        record = self.take(job, decided.session)
        if record is None:
            return None
        self._traced = decided.session
        showing = self.showing()
        self.store.put(job, showing.packing(record))
        shown = as_block(showing.parts(record))
        settings = self.control.current
        if settings is not None and settings.file is not None:
            written = [showing.json(record)] if settings.form is Form.JSON else shown
            shown = [*shown, *self._write(settings.file, written, record.session)]
        return shown

    def _write(self, file: TraceFile, lines: Iterable[str], session: int) -> Iterator[str]:
        """Append to the trace file; the complaint if that fails, once a session."""
        try:
            file.write(lines)
        except OSError as error:
            if self._reported != session:
                from xce_plugins.trace.files import cause

                self._reported = session
                yield f"[sim] trace: write to {file.path} failed: {cause(error)}"

    @hookimpl
    def xce_repl_may_collapse(self, ended: Round) -> bool | None:
        """Not if anything of it was traced."""
        return False if ended.number == self._traced else None
