"""Hook specifications of the REPL: registered by the interactive simulator alone."""

from __future__ import annotations

from collections.abc import Sequence

from xce_core.hookspecs import hookspec
from xce_repl.interface import Command, Decided, HelpSection, Parameter, Repl, Round, Topic


class ReplSpecs:
    """How a plugin takes part in the REPL.

    What an implementation raises is reported with the plugin's name, once a session for each
    hook, and the REPL goes on.
    """

    @hookspec
    def xce_repl_started(self, repl: Repl) -> None:
        """The REPL is set up, before any command and before the collecting hooks below.

        :param repl: to be kept, for use in commands and hooks.
        """

    @hookspec
    def xce_repl_commands(self) -> Sequence[Command]:  # type: ignore[empty-body]
        """Commands to add. A name that exists already is reported and left out."""

    @hookspec
    def xce_repl_topics(self) -> Sequence[Topic]:  # type: ignore[empty-body]
        """Topics of ``info`` to add. A name that exists already is reported and left out."""

    @hookspec
    def xce_repl_parameters(self) -> Sequence[Parameter]:  # type: ignore[empty-body]
        """Parameters of ``set`` and ``show`` to add; clashes as above."""

    @hookspec
    def xce_repl_help_sections(self) -> Sequence[HelpSection]:  # type: ignore[empty-body]
        """Sections to add at the end of ``help``."""

    @hookspec
    def xce_repl_wants_each(self) -> bool | None:
        """Whether the plugin wants to look on in the session that comes next.

        Asked before what happens ahead of that session, so that jobs may come in meanwhile, and
        again if the replay goes on from right before it. Not asked about sessions that are
        passed over. If any plugin says True, every refused job is told by itself: the session
        runs through all pending jobs, which on a long log takes much longer, and it is never
        passed over as having nothing to decide. Otherwise of jobs alike only the first that is
        refused need be selected; the dispatches are the same.

        While nobody says True, nobody is told anything about the sessions, neither by the hooks
        of :class:`~xce_core.hookspecs.SeamSpecs` nor by those here. Two are told all the same,
        unless they are passed over: the first of a replay, also after ``restart``, and the first
        after one that somebody wanted, so that what was to end with the session before can end.
        All that goes for all plugins, unless one implements such hooks without this one: every
        session that is not passed over is then told, and if it implements ``xce_wants_watch`` it
        is taken to say True here.

        What an implementation raises counts as None, and is reported once a replay.

        :returns: True if the plugin wants to look on.
        """

    @hookspec
    def xce_repl_decided(self, decided: Decided) -> Sequence[str] | None:
        """An outcome has come out; verified, recorded and, when stepping, shown.

        Called for every outcome of a session that is told (see :meth:`xce_repl_wants_each`; the
        first session of a replay is one), before the breakpoint check.

        :param decided: the outcome.
        :returns: lines (many at once by :func:`xce_repl.interface.as_block`) to show right
            after the decision's line, which is shown for this if it was not yet; a collapsed
            range of rounds before it is ended first. None or nothing to show nothing.
        """

    @hookspec
    def xce_repl_may_collapse(self, ended: Round) -> bool | None:
        """Whether a round may become part of a collapsed range.

        Called for every session that is told, when it is over, unless its decisions were
        stepped through.

        :param ended: the round that is over.
        :returns: False to have it shown alone.
        """

    @hookspec
    def xce_repl_refuse_output(self, path: str) -> str | None:
        """Whether ``set output`` and ``snapshot`` must not write to *path*.

        :param path: what the user named.
        :returns: what is wrong with it, such as ``is an open trace file``; None if nothing.
        """

    @hookspec
    def xce_repl_restarted(self, repl: Repl) -> None:
        """The replay was restarted; what was kept of the old one's state is void.

        :param repl: as it was when it started.
        """

    @hookspec
    def xce_repl_shutdown(self) -> None:
        """The REPL ends, whatever the cause; called once."""
