"""Telling what happens at the seams: a function for each, which calls all who listen there."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from xce_core.sched.faults import FAULTS

Said = tuple[Callable[..., None], tuple[Any, ...]]
"""What was told: the function that tells it, and the facts."""


class Announcer:
    """A function for each seam, which tells all who listen at it, in order of their names.

    ``announce.plan_committed(1)`` calls the hook ``xce_plan_committed`` of every plugin. It is
    given the facts in the order of the specification; each plugin gets those that it names.
    What a plugin raises is noted and changes nothing; nothing comes back.

    :param hooks: a pluggy hook relay on which the seam specifications, and every plugin that
        takes part, are registered.
    :param failed: told of what a plugin raised: its name, the hook, the error.
    :param said: if given, what is told is kept here too, so that it can be told again.
    """

    def __init__(
        self,
        hooks: Any,
        failed: Callable[[str, str, BaseException], None],
        said: list[Said] | None = None,
    ) -> None:
        self._hooks = hooks
        self._failed = failed
        self._said = said

    def __getattr__(self, seam: str) -> Callable[..., None]:
        if seam.startswith("_"):
            raise AttributeError(seam)
        tell = self._all_who_listen(f"xce_{seam}")
        setattr(self, seam, tell)  # from now on it is found without coming here
        return tell

    def _all_who_listen(self, hook: str) -> Callable[..., None]:
        failed, said = self._failed, self._said
        all_of_them = listeners(self._hooks, hook)

        def tell(*facts: object) -> None:
            if said is not None:
                said.append((tell, facts))
            for plugin, function in all_of_them:
                try:
                    function(*facts)
                except FAULTS as error:
                    failed(plugin, hook, error)

        return tell


def listeners(hooks: Any, hook: str) -> list[tuple[str, Callable[..., Any]]]:
    """Who implements *hook*, in order of the plugins' names.

    :returns: for each its name, and a function of all facts in the order of the specification.
    """
    order = getattr(hooks, hook).spec.argnames
    found = [
        (str(impl.plugin_name), _given(impl.function, list(map(order.index, impl.argnames)), order))
        for impl in getattr(hooks, hook).get_hookimpls()
    ]
    return sorted(found, key=itemgetter(0))


def _given(
    function: Callable[..., Any], places: list[int], order: tuple[str, ...]
) -> Callable[..., Any]:
    """*function* of all facts, of which it takes those at *places*."""
    if places == list(range(len(order))):
        return function
    return lambda *facts: function(*[facts[place] for place in places])
