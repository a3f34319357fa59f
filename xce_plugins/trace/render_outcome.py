"""The outcome of a trace in words: hosts, amounts and charges, or reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xce_plugins.trace.blocks import Plain
from xce_plugins.trace.ending_model import Dispatched, Ending, Pended, Share, Undecided

Show = Callable[[str, int], str]


def outcome_lines(ending: Ending, show: Show, plain: Plain) -> Iterator[str]:
    """The lines of the outcome, the first of them one level deep, and blocks among them."""
    if isinstance(ending, Dispatched):
        return _dispatch_lines(ending, show, plain)
    if isinstance(ending, Pended):
        return _pend_lines(ending)
    return _no_decision_lines(ending)


def _dispatch_lines(ending: Dispatched, show: Show, plain: Plain) -> Iterator[str]:
    yield "  outcome: DISPATCH" + (" (reconstructed)" if ending.reconstructed else "")
    for names, share in ending.alike:
        text = _share(share, show)
        yield from plain.block([f"    host {name}: {text}" for name in names], (*names, text))
    if ending.omitted:
        yield f"    ... {ending.omitted} hosts omitted; together: {_share(ending.rest, show)}"
    if ending.shared.amounts or ending.shared.charges:
        yield f"    shared: {_share(ending.shared, show)}"


def _share(share: Share, show: Show) -> str:
    parts = [f"{name}={show(name, amount)}" for name, amount in share.amounts]
    if share.charges:
        charges = ", ".join(
            f"{limit} ({scope}) {name} {show(name, amount)}"
            if scope
            else f"{limit} {name} {show(name, amount)}"
            for limit, scope, name, amount in share.charges
        )
        parts.append(f"limit charges: {charges}")
    return " ".join(parts) or "nothing"


def _pend_lines(ending: Pended) -> Iterator[str]:
    yield f"  outcome: PEND main reason {ending.main}"
    for code, name in ending.plain:
        yield f"    {_reason(code, name)}"
    for code, name, hosts, count in ending.by_host:
        word = "host" if count == 1 else f"{count} hosts"
        yield f"    {_reason(code, name)} on {word} {hosts}"
    if ending.omitted:
        rest = ", ".join(f"{code} {count}" for code, count in ending.rest)
        yield f"    ... {ending.omitted} hosts omitted; of these: {rest}"


def _reason(code: str, name: str) -> str:
    return f"{code} {name}" if name else code


def _no_decision_lines(ending: Undecided) -> Iterator[str]:
    error = f" ({ending.error})" if ending.error else ""
    yield f"  no decision: {ending.cause}{error}"
