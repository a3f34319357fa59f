"""What may be typed after the built-in commands: ids, names, words and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xce_repl.simulator import Simulator

CANDIDATES = 200
"""How many candidates are offered at most."""


class Words:
    """Candidates for the arguments of the built-in commands."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def jobs(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Ids of jobs that are not over."""
        return () if before else self._named("job", word)

    def hosts(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Names of hosts."""
        return () if before else self._named("host", word)

    def queues(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Names of queues."""
        return () if before else self._named("queue", word)

    def limits(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Names of limits."""
        return () if before else [limit.name for limit in self._simulator.replay.cluster.limits]

    def resources(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Names of resources."""
        return () if before else self._simulator.replay.cluster.resources

    def help(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Names of commands, then of topics or parameters."""
        registry = self._simulator.registry
        if not before:
            return registry.commands.starting(word)
        if len(before) > 1:
            return ()
        asked = registry.commands.find(before[0]).name
        if asked in ("set", "show"):
            return registry.parameters.starting(word)
        return registry.topics.starting(word) if asked == "info" else ()

    def files(self, before: Sequence[str], word: str) -> Iterator[str]:
        """Files and folders."""
        from xce_repl.paths import paths_starting

        return iter(()) if before else islice(paths_starting(word), CANDIDATES)

    def breaks(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Kinds of breakpoints, then what they are about, then the word if."""
        from xce_repl.break_commands import KINDS

        if not before:
            return list(KINDS)
        kinds = [kind for kind in KINDS if kind.startswith(before[0])]
        if "if" in before or len(kinds) != 1:
            return ()
        return self._named(kinds[0], word) if len(before) == 1 and KINDS[kinds[0]] else ("if",)

    def _named(self, kind: str, word: str) -> Iterable[str]:
        """What there is of one kind that may begin with *word*."""
        jobs, cluster = self._simulator.replay.scheduler.jobs, self._simulator.replay.cluster
        if kind == "job":
            return (job for job in jobs if job.startswith(word))
        if kind == "user":
            return sorted({job.user for job in jobs.values()})
        if kind == "queue":
            return cluster.queues
        return cluster.index_of if kind == "host" else ()

    def job_filters(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Words of ``info jobs``."""
        from xce_repl.info_jobs import NAMED, STATES

        if "if" in before:
            return ()
        if before and before[-1] in NAMED:
            return self._named(before[-1], word)
        return [*STATES, *NAMED, "if"]

    def watches(self, before: Sequence[str], word: str) -> Iterable[str]:
        """What can be watched."""
        if not before:
            return ("job", "host")
        kinds = [kind for kind in ("job", "host") if kind.startswith(before[0])]
        if "if" in before or len(kinds) != 1:
            return ()
        if len(before) > 1:
            return ("if",)
        attributes = (".state",) if kinds == ["job"] else (".free", ".state")
        names = self._named(kinds[0], word.partition(".")[0])
        return (f"{name}{attribute}" for name in names for attribute in attributes)

    def number(self, before: Sequence[str], word: str) -> Iterable[str]:
        """The number of a breakpoint."""
        return () if before else self.numbers(before, word)

    def numbers(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Numbers of breakpoints."""
        numbers = (str(point.number) for point in self._simulator.breakpoints)
        return (number for number in numbers if number not in before)

    def info(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Topics, then what they take."""
        topics = self._simulator.registry.topics
        if not before:
            return topics.starting(word)
        complete = topics.find(before[0]).value.complete
        return complete(before[1:], word) if complete is not None else ()

    def parameters(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Parameters."""
        return () if before else self._simulator.registry.parameters.starting(word)

    def settings(self, before: Sequence[str], word: str) -> Iterable[str]:
        """Parameters, then their values."""
        if len(before) != 1:
            return self.parameters(before, word)
        found = self._simulator.registry.parameters.find(before[0])
        return self.files((), word) if found.name == "output" else found.value.values
