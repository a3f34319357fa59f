"""The short cut for a line that needs none of the rules."""

from __future__ import annotations

from collections.abc import Callable

from xce_core.model.jobs import Job, Seconds
from xce_core.sim.fields import SECONDS_LIMIT
from xce_core.sim.findings import Findings
from xce_plugins.swf.fields import LARGEST, UNKNOWN
from xce_plugins.swf.rules import STAND_IN, Rules

_UNDERSCORE = ord("_")  # int() takes 1_000 for a number, this format does not

PlainReader = Callable[[bytes, int], Job | None]


def plain_reader(rules: Rules, findings: Findings, one_queue: str) -> PlainReader:
    """A function from a line and its number to its job, None for what the rules must see.

    The time to read a log is spent in it. Whatever is unusual about a line, or seen for the
    first time, sends it to the rules, which alone say what a line means; nothing is counted
    or remembered before it is certain that the line is plain.

    :param one_queue: the queue of all jobs; empty if each has its own.
    """
    known, accept, tally = rules.known, rules.seen.accept, findings.tally
    sizes, users, projects = known.sizes, known.users, known.projects
    queues, outcomes = known.queues, known.outcomes
    waits = rules.options.dependencies

    def plain(line: bytes, at: int) -> Job | None:
        run: Seconds
        limit: Seconds
        try:
            # fmt: off
            (ident, submitted, _, ran, allocated, _, _, requested, limited, _, status,
             user, group, _, queue, _, preceding, think) = line.split()
            # fmt: on
            number, submit, run, limit = int(ident), int(submitted), int(ran), int(limited)
            size = sizes[allocated if requested == UNKNOWN else requested]
            user_name, project, outcome = users[user], projects[group], outcomes[status]
            queue_name = one_queue or queues[queue]
        except (ValueError, KeyError):
            return None
        if not (
            0 <= number <= LARGEST
            and rules.last <= submit <= SECONDS_LIMIT
            and 0 < run <= SECONDS_LIMIT
            and limit <= SECONDS_LIMIT
            and preceding == UNKNOWN
            and (think == UNKNOWN or not waits)
            and _UNDERSCORE not in line
            and accept(number)
        ):
            return None
        rules.last = submit
        tally.read += 1
        if requested == UNKNOWN:
            findings.note(STAND_IN, at)
        if run > limit > 0:
            run, limit = rules.longer(run, limit, at)
        return Job(
            str(number), number, -1, user_name, queue_name, project, size, submit, run,
            limit if limit > 0 else None, 0, None, (), outcome, at,
        )  # fmt: skip

    return plain
