"""A refusal that comes again before anything has changed: told again, not searched for again.

The job at the head of a strict queue is decided anew whenever another comes in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xce_core.sched.announcer import Announcer, Said
from xce_core.sched.resolve import SchedulingObject

SAID_MOST = 200
"""How many announcements are kept of a refusal; of one that took more none are."""


class Repeats:
    """Keeps what was announced of the refusal that came last.

    :param hooks: as of :class:`Announcer`; *failed* likewise.
    :ivar announce: tells what may have to be told again.
    """

    def __init__(self, hooks: Any, failed: Callable[[str, str, BaseException], None]) -> None:
        self._said: list[Said] = []
        self._of: tuple[SchedulingObject, int] | None = None
        self.announce = Announcer(hooks, failed, self._said)

    def tell_again(self, wanted: SchedulingObject, changes: int) -> bool:
        """Tell what was told of the refusal of *wanted*; False if that is not known.

        :param changes: the ledger's count of changes; the refusal holds as long as it stands.
        """
        if self._of != (wanted, changes):
            return False
        count = len(self._said)
        try:
            for tell, facts in self._said[:count]:
                tell(*facts)
        finally:
            del self._said[count:]  # which keeps what it tells
        return True

    def keep(self, wanted: SchedulingObject, changes: int) -> None:
        """What was told since :meth:`forget` is all that is to be said of a refusal."""
        if len(self._said) > SAID_MOST:
            self.forget()
        else:
            self._of = (wanted, changes)

    def forget(self) -> None:
        """Nothing can be told again."""
        self._of = None
        self._said.clear()
