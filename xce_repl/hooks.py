"""The way from the REPL to its plugins: what one of them raises is told and changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from xce_core.hook_rules import REPL_PREFIX, specified
from xce_core.hookspecs import SeamSpecs
from xce_core.model.jobs import Seconds
from xce_core.sched.announcer import listeners
from xce_core.sched.faults import FAULTS
from xce_core.sched.policy import Outcome
from xce_core.sched.seams import Failures, Seams
from xce_repl.hookspecs import ReplSpecs
from xce_repl.interface import Decided, Round

if TYPE_CHECKING:
    from xce_core.plugins import Plugins
    from xce_core.sched.scheduler import Scheduler


_OF_SESSIONS = ("xce_repl_decided", "xce_repl_may_collapse")
"""Those hooks of the REPL that tell of single sessions."""


class Hooks:
    """Calls the hooks of the plugins, in order of their names.

    :ivar notices: what went wrong, in lines that are still to be shown; each plugin and hook
        once a session.
    :ivar looking: whether anybody looks on at the session in progress.
    :ivar judging: whether anybody has a say in how it is shown.
    """

    def __init__(self, plugins: Plugins) -> None:
        self._relay = plugins.manager.hook
        self._failures = Failures(self._note)
        self._told: set[tuple[str, str]] = set()
        self._silent: set[str] = set()
        self.notices: list[str] = []
        self._asked = {name: listeners(self._relay, name) for name in specified(ReplSpecs)}
        self._askers = self._asked["xce_repl_wants_each"]
        asked = self._owners("xce_repl_wants_each")
        self._always_each = bool(self._owners("xce_wants_watch") - asked)
        self._always = bool(self._owners(*specified(SeamSpecs), *_OF_SESSIONS) - asked)
        self._seen = bool(self._owners(*specified(SeamSpecs)))
        self._judge = bool(self._owners("xce_repl_may_collapse"))
        self._seams: Seams | None = None
        self._wanted = True
        self.looking = self.judging = False

    def _owners(self, *names: str) -> set[str]:
        """The plugins that implement any of these hooks."""
        return {plugin for name in names for plugin, _ in listeners(self._relay, name)}

    def _note(self, plugin: str, hook: str, error: str) -> None:
        if (plugin, hook) not in self._told:
            self._told.add((plugin, hook))
            self.notices.append(f"plugin {plugin}: {hook} failed: {error}")

    def drain(self) -> list[str]:
        """The notices not shown yet."""
        notices, self.notices = self.notices, []
        return notices

    def attach(self, scheduler: Scheduler) -> None:
        """A new replay: let the plugins look on at *scheduler*, if any of them may want to."""
        self._seams = Seams(self._relay, self._failures) if self._seen else None
        scheduler.seams = self._seams
        self._wanted = self.looking = True
        self._silent.clear()
        self.judging = self._judge

    def look(self, scheduler: Scheduler) -> bool:
        """See who looks on at the session that comes; whether all refusals are to be told."""
        each = self._always_each
        for plugin, wants in self._askers:
            try:
                each = bool(wants()) or each
            except FAULTS as error:
                self._cannot_say(plugin, error)
        looking = each or self._wanted or self._always
        self._wanted = each
        if looking is not self.looking:
            self.looking = looking
            self.judging = looking and self._judge
            scheduler.seams = self._seams if looking else None
        return each

    def _cannot_say(self, plugin: str, error: BaseException) -> None:
        """Told once a replay: whoever fails here does so again and again between sessions."""
        if plugin not in self._silent:
            self._silent.add(plugin)
            self._failures.note(plugin, "xce_repl_wants_each", error)

    def session_begins(self) -> None:
        """What failed before may be told again."""
        self._told.clear()

    def ask(
        self, name: str, form: Callable[[Any], Any] | None, *facts: object
    ) -> list[tuple[str, Any]]:
        """The answers of those who gave one, each with the plugin's name.

        :param form: gives an answer its form; what it raises counts as the plugin's fault.
        :param facts: in the order of the specification.
        """
        answers = []
        for plugin, call in self._asked[name]:
            try:
                answer = call(*facts)
                if answer is not None and form is not None:
                    answer = form(answer)
            except FAULTS as error:
                self._failures.note(plugin, name, error)
            else:
                if answer is not None:
                    answers.append((plugin, answer))
        return answers

    def decided(
        self, outcome: Outcome, session: int, time: Seconds, echoed: bool
    ) -> list[str]:
        """Lines that plugins have to say of *outcome*."""
        decided = Decided(outcome, session, time, echoed)
        said = self.ask("xce_repl_decided", _lines, decided)
        return [line for _, lines in said for line in lines]

    def may_collapse(self, number: int, time: Seconds, dispatched: int, changed: bool) -> bool:
        """Whether no plugin wants the round to be shown alone."""
        ended = Round(number, time, dispatched, changed)
        return all(answer for _, answer in self.ask("xce_repl_may_collapse", bool, ended))

    def refusals(self, path: str) -> list[str]:
        """What plugins have against *path* as an output."""
        return [why for _, why in self.ask("xce_repl_refuse_output", str, path)]

    def collect(self, kind: str) -> list[tuple[str, Any]]:
        """What each plugin gives of one kind."""
        return self.ask(f"{REPL_PREFIX}{kind}", None)


def _lines(answer: object) -> Sequence[str]:
    """What a plugin gave, as lines; a text is one."""
    if isinstance(answer, str):
        return (answer,)
    if answer.__class__ is not list and not isinstance(answer, Iterable):
        return (repr(answer),)
    return [line if isinstance(line, str) else str(line) for line in answer]
