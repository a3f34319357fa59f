"""Workloads made by hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xce_core.model.cluster import Cluster
from xce_core.sim.events import Event
from xce_core.sim.workload import Start, Tally, Timeline


class ListedWorkload:
    """A workload made in memory from a cluster and a list of events."""

    def __init__(
        self,
        cluster: Cluster,
        events: Iterable[Event],
        timeline: Timeline = Timeline.SIMULATED,
        start: Start | None = None,
    ) -> None:
        self.path = "<memory>"
        self.cluster = cluster
        self.timeline = timeline
        self.policy: str | None = None
        self.start = start or Start()
        self.tally = Tally()
        self._events = list(events)

    def events(self) -> Iterator[Event]:
        """The events as given."""
        return iter(self._events)
