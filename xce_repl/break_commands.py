"""The commands about breakpoints and watchpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from xce_core.model.jobs import Job
from xce_repl.breakpoints import Breakpoint, Event, on_dispatch, on_host, on_jobs, on_pend
from xce_repl.conditions import DECISION_FACTS, SESSION_FACTS, Condition, Fact
from xce_repl.interface import CommandError
from xce_repl.names import brief
from xce_repl.watched import look_at
from xce_repl.words import (
    arguments,
    columns,
    count_of,
    job_id_of,
    known,
    not_among,
    numbers_of,
    quoted,
    split_condition,
    word_of,
    words_of,
)

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

KINDS = {
    "job": "ID", "user": "NAME", "queue": "NAME", "host": "NAME", "session": "N", "time": "TIME",
    "dispatch": "", "pend": "",
}  # fmt: skip
"""What a breakpoint can wait for, each with what must be said of it."""


class BreakCommands:
    """Sets, lists and changes them."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._points = simulator.breakpoints

    # Setting.

    def set_break(self, rest: str) -> Iterator[str]:
        """break job ID | user NAME | queue NAME | host NAME | session N | time T | ..."""
        if not rest:
            yield from self.listed("")
            return
        yield self._set(rest, temporary=False)

    def set_temporary(self, rest: str) -> Iterator[str]:
        """The same, gone at its first hit."""
        yield self._set(rest, temporary=True)

    def _set(self, rest: str, temporary: bool) -> str:
        what, condition = split_condition(rest)
        kind, *subject = words_of(what) or [""]
        point = self._point(self._kind(kind), subject, "tbreak" if temporary else "break")
        point.temporary = temporary
        if condition:
            point.condition = Condition(condition, _facts(point))
        self._points.add(point, self._simulator.replay)
        return f"temporary {point}" if temporary else str(point)

    def _kind(self, word: str) -> str:
        matches = [kind for kind in KINDS if word and kind.startswith(word)]
        if len(matches) != 1:
            raise not_among(word, KINDS)
        return matches[0]

    def _point(self, kind: str, words: Sequence[str], verb: str) -> Breakpoint:
        """A new breakpoint of that kind."""
        most = 2 if kind == "time" else int(bool(KINDS[kind]))
        if len(words) > most or bool(words) != bool(KINDS[kind]):
            found = f"unexpected {brief(words[most])}; " if len(words) > most else ""
            usage = f"{verb} {kind} {KINDS[kind]}".rstrip()
            raise CommandError(f"{found}usage: {usage} [if CONDITION]")
        subject = " ".join(words)
        number = self._points.next_number()
        what = f"{kind} {quoted(subject)}" if words else kind
        replay = self._simulator.replay
        if kind in ("session", "time"):
            return self._session_point(number, kind, subject)
        if kind == "dispatch":
            return Breakpoint(number, what, Event.DECISION, on_dispatch)
        if kind == "pend":
            return Breakpoint(number, what, Event.DECISION, on_pend)
        if kind == "host":
            index = replay.cluster.index_of[known(subject, replay.cluster.index_of, "host")]
            return Breakpoint(number, what, Event.DECISION, on_host(index))
        if kind == "queue":
            known(subject, replay.cluster.queues, "queue")
        about = _about(kind, subject)
        return Breakpoint(number, what, Event.DECISION, on_jobs(about), about=about)

    def _session_point(self, number: int, kind: str, subject: str) -> Breakpoint:
        if kind == "session":
            wanted = count_of(subject)
            return Breakpoint(
                number, f"session {wanted}", Event.SESSION,
                reached=lambda since, mark: since[0] < wanted <= mark[0],
            )  # fmt: skip
        clock = self._simulator.formats.clock
        time = clock.parse(subject, self._simulator.replay.now)
        return Breakpoint(
            number, f"time {clock.text(time)}", Event.SESSION,
            reached=lambda since, mark: since[1] < time <= mark[1],
        )  # fmt: skip

    def watch(self, rest: str) -> Iterator[str]:
        """watch job ID.state | host NAME.free"""
        words, condition = split_condition(rest)
        look, what = look_at(words, self._simulator)
        point = Breakpoint(self._points.next_number(), what, Event.CHANGE, look=look)
        if condition:
            point.condition = Condition(condition, SESSION_FACTS)
        self._points.add(point, self._simulator.replay)
        yield f"{point}: {point.seen}"

    # Changing.

    def delete(self, rest: str) -> Iterator[str]:
        """Delete some, or all."""
        for point in self._chosen(rest):
            self._points.delete(point, self._simulator.replay)
        return iter(())

    def disable(self, rest: str) -> Iterator[str]:
        """Some, or all, no longer stop the replay."""
        return self._enabled(rest, False)

    def enable(self, rest: str) -> Iterator[str]:
        """Some, or all, stop the replay again."""
        return self._enabled(rest, True)

    def _enabled(self, rest: str, enabled: bool) -> Iterator[str]:
        replay = self._simulator.replay
        for point in self._chosen(rest):
            if enabled and not point.enabled and point.look is not None:
                point.seen = point.look(replay)
            point.enabled = enabled
        self._points.changed(replay)
        return iter(())

    def _chosen(self, rest: str) -> list[Breakpoint]:
        return [self._points.get(n) for n in numbers_of(rest)] if rest else list(self._points)

    def ignore(self, rest: str) -> Iterator[str]:
        """ignore N COUNT"""
        number, count = arguments(rest, "ignore N COUNT", 2, 2)
        point = self._one(number)
        point.ignore = count_of(count, least=0)
        said = {0: "stops at its next hit", 1: "the next hit is passed"}
        yield f"{point}: {said.get(point.ignore, f'the next {point.ignore} hits are passed')}"

    def condition(self, rest: str) -> Iterator[str]:
        """condition N [CONDITION]"""
        if not rest:
            raise CommandError("usage: condition N [CONDITION]")
        number, *text = rest.split(None, 1)
        point = self._one(number)
        point.condition = Condition(text[0], _facts(point)) if text else None
        yield str(point)

    def commands(self, rest: str) -> Iterator[str]:
        """commands N, then commands, then end"""
        point = self._one(word_of(rest, "commands N"))
        point.commands = self._body()
        return iter(())

    def _body(self) -> list[str]:
        """The lines up to the end that belongs to this list; those of a list in it stay in it."""
        found: list[str] = []
        depth = 1
        while (line := self._simulator.shell.more()) is not None:
            line = line.strip()
            depth += self._opens(line) - (line == "end")
            if not depth:
                return found
            if line:
                found.append(line)
        if self._simulator.shell.typing:
            return found + ["end"] * (depth - 1)
        raise CommandError("commands: expected a line end, found the end of the input")

    def _opens(self, line: str) -> bool:
        """Whether a list of commands follows *line*."""
        name, *rest = line.split(None, 1) or [""]
        return bool(rest) and self._simulator.registry.commands.meant(name) == ["commands"]

    def _one(self, word: str) -> Breakpoint:
        if not word.isdecimal() or len(word) > 9:
            found = brief(word) or "nothing"
            raise CommandError(f"expected the number of a breakpoint, found {found}")
        return self._points.get(int(word))

    # Listing.

    def listed(self, rest: str) -> Iterator[str]:
        """info break [N ...]"""
        points = self._chosen(rest)
        if not points:
            yield "no breakpoints"
            return
        rows = [("number", "enabled", "hits", "ignore", "what")]
        for point in points:
            kind = "watch " if point.event is Event.CHANGE else ""
            once = " (temporary)" if point.temporary else ""
            enabled = "yes" if point.enabled else "no"
            counts = (str(point.number), enabled, str(point.hits), str(point.ignore))
            rows.append((*counts, f"{kind}{point.text}{once}"))
        head, *lines = columns(rows)
        yield head
        for point, line in zip(points, lines, strict=True):
            yield line
            yield from (f"          {command}" for command in point.commands)


def _facts(point: Breakpoint) -> Mapping[str, Fact]:
    return DECISION_FACTS if point.event is Event.DECISION else SESSION_FACTS


def _about(kind: str, subject: str) -> Callable[[Job], bool]:
    """Which jobs a breakpoint is about."""
    if kind == "user":
        return lambda job: job.user == subject
    if kind == "queue":
        return lambda job: job.queue == subject
    number, index = job_id_of(subject)

    def is_meant(job: Job) -> bool:
        return job.number == number and index in (-1, job.index)

    return is_meant
