"""Those who follow a replay: what they are told, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xce_core.model.jobs import Job, Seconds
from xce_core.sched.policy import Outcome
from xce_core.sim.events import HostChange, JobAct, JobChange, QueueChange, SessionMark

if TYPE_CHECKING:
    from xce_core.sim.replay import Replay


Happening = JobAct | JobChange | HostChange | QueueChange
"""What :meth:`Observer.happened` tells of."""


class Observer:
    """Follows a replay; every method is called after the fact and changes nothing.

    Override what you want to know.
    """

    def begun(self, replay: Replay) -> None:
        """The replay begins; the starting state's jobs follow as submissions."""

    def submitted(self, job: Job) -> None:
        """A job came in, and is in the state it has now."""

    def refused(self, job: Job, cause: str) -> None:
        """A job was turned away on submission."""

    def session(self, number: int, time: Seconds) -> None:
        """A session begins."""

    def recorded(self, mark: SessionMark) -> None:
        """The session that begins next, as the recording has it."""

    def decided(self, outcome: Outcome, changed: bool) -> None:
        """A selection came out like this.

        :param changed: False for a pend with the reasons that the job had before, or of a job
            that pended in this session already.
        """

    def session_over(self) -> None:
        """The session is over."""

    def ran(self, job: Job, start: Seconds, end: Seconds, slots: int) -> None:
        """A job ran on that many slots: to its end, or until it was requeued."""

    def over(self, job: Job, told: bool, at_limit: bool) -> None:
        """A job is over.

        :param told: False if :meth:`happened` tells of the cause.
        :param at_limit: True if its time limit ended it.
        """

    def happened(self, event: Happening) -> None:
        """Something else happened."""

    def capacity(self, time: Seconds, slots: int) -> None:
        """From now on the hosts that are not down have that many slots."""

    def finished(self, replay: Replay) -> None:
        """The replay is at its end."""


class Callbacks:
    """For each thing to be told the methods to call: of the observers that override it."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        def wanting(name: str) -> list[Any]:
            plain = getattr(Observer, name)
            methods = [getattr(observer, name) for observer in observers]
            return [method for method in methods if getattr(method, "__func__", None) is not plain]

        self.begun: list[Callable[[Replay], None]] = wanting("begun")
        self.submitted: list[Callable[[Job], None]] = wanting("submitted")
        self.refused: list[Callable[[Job, str], None]] = wanting("refused")
        self.session: list[Callable[[int, Seconds], None]] = wanting("session")
        self.recorded: list[Callable[[SessionMark], None]] = wanting("recorded")
        self.decided: list[Callable[[Outcome, bool], None]] = wanting("decided")
        self.session_over: list[Callable[[], None]] = wanting("session_over")
        self.ran: list[Callable[[Job, Seconds, Seconds, int], None]] = wanting("ran")
        self.over: list[Callable[[Job, bool, bool], None]] = wanting("over")
        self.happened: list[Callable[[Happening], None]] = wanting("happened")
        self.capacity: list[Callable[[Seconds, int], None]] = wanting("capacity")
        self.finished: list[Callable[[Replay], None]] = wanting("finished")
