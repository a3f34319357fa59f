"""The bounded part of a trace in words: requirements, checks and plans, with the lines of hosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xce_plugins.trace import model, render_hosts
from xce_plugins.trace.blocks import Plain
from xce_plugins.trace.model import Step
from xce_plugins.trace.packed import Entries, HostsSeen, PositionsSeen
from xce_plugins.trace.render_hosts import Show
from xce_repl.interface import as_block

_INDENT = tuple("  " * depth for depth in range(7))
_INDENT_SINGLE = (*_INDENT[:3], *_INDENT[2:6])
_WHOLE, _MEMBER, _CHECK, _PLAN, _POSITION, _HOST, _ROW = 1, 2, 3, 3, 4, 5, 6
_STEP = 0  # a whole or a member
_SHAPE_SHOWN = 16
"""Plans of more positions are shown with like positions folded."""

KEPT = 512
"""How many lines of each kind are kept to be used again."""

KEPT_LENGTH = 200
"""How long a line may be that is kept."""


class EntryLines:
    """Puts entries in words, one line each; of those that come again and again, once.

    A single requirement has no whole around its member: what is in it is a level less deep.

    :param show: an amount of a resource as text.
    :param plain: makes blocks of lines.
    """

    def __init__(self, show: Show, plain: Plain) -> None:
        self._show = show
        self._plain = plain
        self._kept: dict[bool, dict[type[Any], dict[Any, str]]] = {
            single: {kind: {} for kind in _WORDS} for single in (False, True)
        }
        self._last: tuple[tuple[Any, ...], list[str]] = ((), [])

    def of(self, entries: Entries) -> list[str]:
        """The lines of all of them, in order, and blocks of lines among them.

        A job that has to wait is often tried again before anything has changed.
        """
        parts, lines = self._last
        if entries.parts != parts:
            lines = self._lines(entries)
            self._last = (entries.parts, lines)
        return lines

    def _lines(self, entries: Entries) -> list[str]:
        lines: list[str] = []
        add = lines.append
        first = entries.parts[0] if entries.parts else None
        single = first.__class__ is model.RequirementBegun and first.step[0] == "single"
        indents, kept = _INDENT_SINGLE if single else _INDENT, self._kept[single]
        for part in entries.parts:
            alike = kept.get(part.__class__)
            if alike is not None:
                add(alike.get(part) or self._line(alike, part, indents))
            elif isinstance(part, PositionsSeen):
                lines += render_hosts.positions_seen(part, indents[_POSITION], self._plain)
            else:
                assert isinstance(part, HostsSeen)
                lines += render_hosts.hosts_seen(
                    part, indents[_HOST], indents[_ROW], self._show, self._plain
                )
        return lines

    def _line(self, kept: dict[Any, str], entry: Any, indents: tuple[str, ...]) -> str:
        depth, words_of = _WORDS[entry.__class__]
        line = f"{indents[depth or _by_step(entry)]}{words_of(entry, self._show)}"
        if len(line) <= KEPT_LENGTH:
            if len(kept) >= KEPT:
                kept.clear()
            (line,) = as_block([line])
            kept[entry] = line
        return line


# Requirements.


def _own(step: Step) -> str:
    """What an end names: the member, else the whole."""
    if step.member and step.shape != "single":
        return f"member {step.member}/{step.members}"
    return _whole(step)


def _whole(step: Step) -> str:
    if step.shape == "single":
        return "requirement"
    if step.shape == "compound":
        return "compound"
    return f"alternative {step.alternative}/{step.alternatives}"


def _begun(entry: model.RequirementBegun, show: Show) -> str:
    step = Step(*entry.step)
    if not step.member:
        members = "1 member" if step.members == 1 else f"{step.members} members"
        if step.shape == "compound":
            return f"requirement compound ({members})"
        return f"requirement {_whole(step)} (compound, {members})"
    if step.shape == "single":
        label = "requirement (single)"
    else:
        label = f"requirement {_whole(step)} > member {step.member}/{step.members}"
    amounts = " ".join(f"{name}={show(name, amount)}" for name, amount in entry.amounts)
    tasks = f"tasks {entry.tasks_min}..{entry.tasks_max}"
    return f"{label} {tasks} requests {amounts or 'nothing'}"


def _ended(entry: model.RequirementEnded, show: Show) -> str:
    step = Step(*entry.step)
    text = f"{_own(step)} {'satisfied' if entry.satisfied else 'not satisfied'}"
    if entry.error:
        text += f": internal error ({entry.error})"
    if step.member and not entry.satisfied:
        text += _left_over("member", step.member, step.members)
    elif entry.error and step.shape == "alternatives":
        text += _left_over("alternative", step.alternative, step.alternatives)
    return text


def _left_over(what: str, last: int, count: int) -> str:
    """The remark that those after *last* were not tried; empty if there are none."""
    if last >= count:
        return ""
    if last + 1 == count:
        return f"; {what} {count}/{count} not tried"
    return f"; {what}s {last + 1}..{count} not tried"


def _failed(entry: model.AttemptFailed, show: Show) -> str:
    return f"failure reasons: {', '.join(_reason(*reason) for reason in entry.reasons)}"


def _reason(code: str, count: int, names: tuple[str, ...]) -> str:
    if not names:
        return f"{code} x{count}"
    word = {"NO_RESOURCE": "resources", "LIMIT": "limits"}.get(code, "about")
    return f"{code} x{count} ({word}: {', '.join(names)})"


def _claim_failed(entry: model.ClaimFailed, show: Show) -> str:
    step = Step(*entry.step)
    if step.members == 1:
        return f"finalize failed: internal error ({entry.error})"
    rest = _left_over("member", step.member, step.members)
    return (
        f"member {step.member}/{step.members}: merge failed, internal error ({entry.error}){rest}"
    )


def _members_released(entry: model.MembersReleased, show: Show) -> str:
    return f"released hosts of earlier members: {entry.hosts}"


def _skipped(entry: model.AlternativeSkipped, show: Show) -> str:
    return f"{_whole(Step(*entry.step))} skipped: it is empty"


def _chosen(entry: model.AlternativesEnded, show: Show) -> str:
    chosen, count = entry.chosen, entry.alternatives
    if not chosen:
        return f"all alternatives failed ({count} tried or skipped)"
    left = _left_over("alternative", chosen, count) or "; no alternatives after it"
    return f"alternative {chosen}/{count} chosen{left}"


# Checks and plans.


def _check_row(entry: model.CheckRow, show: Show) -> str:
    verdict = "passed" if entry.met else "failed"
    plan = f" for {entry.hosts} hosts" if entry.hosts else ""
    if entry.limit:
        return f"cluster-wide{plan} {render_hosts.row(entry, show)} {verdict}"
    return f"cluster-wide{plan}: {render_hosts.row(entry, show)} {verdict}"


def _check_ended(entry: model.CheckEnded, show: Show) -> str:
    if entry.passed:
        return "cluster-wide check passed"
    return "cluster-wide check failed; no placement plans tried"


def _declined(entry: model.GeneratorDeclined, show: Show) -> str:
    return f"no plan from generator {entry.generator}: it declined"


def _generator_failed(entry: model.GeneratorFailed, show: Show) -> str:
    return f"no more plans from generator {entry.generator}: it failed ({entry.error})"


def _discarded(entry: model.PlanDiscarded, show: Show) -> str:
    return f"plan {entry.number} (generator {entry.generator}) discarded: malformed: {entry.plan}"


def _not_tried(entry: model.PlanNotTried, show: Show) -> str:
    return (
        f"plan {entry.number} (generator {entry.generator}) not tried:"
        f" internal error ({entry.error})"
    )


def _plan_begun(entry: model.PlanBegun, show: Show) -> str:
    positions = sum(count for _, count in entry.runs)
    if positions <= _SHAPE_SHOWN:
        shape = ", ".join(str(tasks) for tasks, count in entry.runs for _ in range(count))
    else:
        shape = ", ".join(
            f"{tasks} x{count}" if count > 1 else str(tasks) for tasks, count in entry.runs
        )
    offered = "" if entry.generator == "core" else f" (generator {entry.generator})"
    return f"plan {entry.number} hosts {positions} tasks per position [{shape}]{offered}"


def _released(entry: model.HostsReleased, show: Show) -> str:
    return f"released hosts: {entry.hosts}"


def _plan_ended(entry: model.PlanEnded, show: Show) -> str:
    if entry.placed:
        return f"plan {entry.number} succeeded"
    if entry.error:
        return f"plan {entry.number} failed: internal error ({entry.error})"
    if entry.failed_position:
        return f"plan {entry.number} failed at position {entry.failed_position}"
    return f"plan {entry.number} failed: the cluster lacks what that many hosts take"


def _committed(entry: model.PlanCommitted, show: Show) -> str:
    return f"plan {entry.number} committed; no further plans tried"


def _search_ended(entry: model.SearchEnded, show: Show) -> str:
    text = (
        f"plans: {entry.generated} generated, {entry.tried} tried,"
        f" {entry.discarded} discarded, {entry.not_tried} not tried"
    )
    if not entry.generated:
        return f"{text}; no plan generated"
    if entry.discarded == entry.generated:
        return f"{text}; no plan tried: all generated plans discarded"
    if not entry.placed and entry.tried:
        return f"{text}; no plan could be placed"
    return text


def _by_step(entry: Any) -> int:
    step = Step(*entry.step)
    return _MEMBER if step.member and step.shape != "single" else _WHOLE


_WORDS: dict[type[Any], tuple[int, Callable[[Any, Show], str]]] = {
    model.RequirementBegun: (_STEP, _begun),
    model.RequirementEnded: (_STEP, _ended),
    model.AttemptFailed: (_MEMBER, _failed),
    model.ClaimFailed: (_MEMBER, _claim_failed),
    model.MembersReleased: (_MEMBER, _members_released),
    model.AlternativeSkipped: (_WHOLE, _skipped),
    model.AlternativesEnded: (_WHOLE, _chosen),
    model.CheckRow: (_CHECK, _check_row),
    model.CheckEnded: (_CHECK, _check_ended),
    model.GeneratorDeclined: (_PLAN, _declined),
    model.GeneratorFailed: (_PLAN, _generator_failed),
    model.PlanDiscarded: (_PLAN, _discarded),
    model.PlanNotTried: (_PLAN, _not_tried),
    model.PlanBegun: (_PLAN, _plan_begun),
    model.PositionBegun: (_POSITION, render_hosts.position_begun),
    model.HostSeen: (_HOST, render_hosts.host_seen),
    model.HostRow: (_ROW, render_hosts.row),
    model.PositionSeen: (_POSITION, render_hosts.position_seen),
    model.PositionEnded: (_POSITION, render_hosts.position_ended),
    model.HostsReleased: (_PLAN, _released),
    model.PlanEnded: (_PLAN, _plan_ended),
    model.PlanCommitted: (_PLAN, _committed),
    model.SearchEnded: (_PLAN, _search_ended),
}
