"""What may be typed after the built-in commands: ids, names, words and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from os.path import expanduser, isdir
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

CANDIDATES = 200
"""How many candidates are offered at most."""


class Words:
    """Candidates for the arguments of the built-in commands."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def jobs(self, before: object, word: str) -> Iterator[str]:
        """Ids of jobs that are not over."""
        return (job for job in self._simulator.replay.scheduler.jobs if job.startswith(word))

    def hosts(self, before: object, word: str) -> Iterator[str]:
        """Names of hosts."""
        return (host.name for host in self._simulator.replay.cluster.hosts)

    def queues(self, before: object, word: str) -> Iterable[str]:
        """Names of queues."""
        return self._simulator.replay.cluster.queues

    def limits(self, before: object, word: str) -> Iterable[str]:
        """Names of limits."""
        return (limit.name for limit in self._simulator.replay.cluster.limits)

    def resources(self, before: object, word: str) -> Iterable[str]:
        """Names of resources."""
        return self._simulator.replay.cluster.resources

    def users(self, before: object, word: str) -> Iterable[str]:
        """Users of jobs that are not over."""
        return sorted({job.user for job in self._simulator.replay.scheduler.jobs.values()})

    def commands(self, before: object, word: str) -> Iterable[str]:
        """Names of commands."""
        return self._simulator.registry.commands.starting(word)

    def files(self, before: object, word: str) -> Iterator[str]:
        """Files and folders."""
        from glob import escape, iglob

        for path in islice(iglob(escape(expanduser(word)) + "*"), CANDIDATES):
            yield f"{path}/" if isdir(path) else path

    def breaks(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Kinds of breakpoints, then what they are about."""
        from xce_repl.break_commands import KINDS

        if not before:
            return list(KINDS)
        return self._named(before[0], word) if len(before) == 1 else ()

    def _named(self, kind: str, word: str) -> Iterable[str]:
        known = {"job": self.jobs, "user": self.users, "queue": self.queues, "host": self.hosts}
        return known[kind]((), word) if kind in known else ()

    def job_filters(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Words of ``info jobs``."""
        from xce_repl.info_jobs import STATES

        if before and before[-1] in ("user", "queue", "host"):
            return self._named(before[-1], word)
        return [*STATES, "user", "queue", "host", "if"]

    def watches(self, before: Sequence[str], word: str) -> Iterable[str]:
        """What can be watched."""
        if not before:
            return ("job", "host")
        ends = {"job": (self.jobs, (".state",)), "host": (self.hosts, (".free", ".state"))}
        if before[0] not in ends:
            return ()
        names, attributes = ends[before[0]]
        return (f"{n}{a}" for n in names((), word.split(".")[0]) for a in attributes)

    def numbers(self, before: object, word: str) -> Iterable[str]:
        """Numbers of breakpoints."""
        return (str(point.number) for point in self._simulator.breakpoints)

    def info(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Topics, then what they take."""
        topics = self._simulator.registry.topics
        if not before:
            return topics.starting(word)
        complete = topics.find(before[0]).value.complete
        return complete(before[1:], word) if complete is not None else ()

    def parameters(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Parameters, then their values."""
        parameters = self._simulator.registry.parameters
        if not before:
            return parameters.starting(word)
        found = parameters.find(before[0])
        return self.files((), word) if found.name == "output" else found.value.values
