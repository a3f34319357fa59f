"""What is not plain in a trace is escaped at the console, wherever it comes from."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import a_cluster, a_host, a_job, a_queue, a_request, each
from tests.sched.worlds import Traits, worlds
from tests.trace.cases import Offers, Ordered, sessions
from tests.trace.harness import Harness
from xce_core.model.cluster import Cluster, Queue
from xce_core.model.jobs import Job
from xce_core.model.limits import Dimension, Limit
from xce_core.model.plans import Plan
from xce_core.model.resources import Counted, Resource
from xce_plugins.trace.blocks import KEPT, Plain
from xce_repl.interface import Block
from xce_repl.output import Output

ESCAPE = "\x1b[2J"
"""What clears a terminal that obeys it."""

PLACES = ("host", "limit", "resource", "licence", "queue", "user", "generator", "remark", "error")


class Remarks(Ordered):
    """A policy with a key of its own, and an order of hosts that fails for three tasks."""

    def __init__(self, remark: str, error: str) -> None:
        super().__init__(self._fails)
        self._remark, self._error = remark, error

    def _fails(self, ask, tasks, able):  # type: ignore[no-untyped-def]
        if tasks == 3:
            raise LookupError(self._error)
        return [able]

    def remarks(self, job: Job, queue: Queue) -> Mapping[str, str]:
        return {"mood": self._remark}


def odd_world(odd: str, strange: str) -> Harness:
    """Jobs that start, are refused by all kinds of checks, and find hosts that are claimed.

    :param odd: where *strange* stands in a name.
    """
    name = {place: place + (strange if place == odd else "") for place in PLACES}
    resources = [
        Resource("slots"), Resource("mem"), Resource(name["resource"]),
        Resource(name["licence"], shared=True, counted=Counted.JOB),
    ]  # fmt: skip
    own = {name["resource"]: 2}
    cluster = a_cluster(
        a_host(name["host"], 4, **own),
        a_host("b", 2, **own),
        a_host("c", 4, **own),
        queues=[a_queue(name["queue"])],
        limits=[
            Limit(name["limit"], "slots", 3, (each(Dimension.USER), each(Dimension.HOST, "b"))),
            Limit(f"all {name['limit']}", "slots", 12, (each(Dimension.USER),)),
        ],
        resources=resources,
        **{name["licence"]: 1},
    )
    wants = [
        a_request(2, **{name["licence"]: 1}),
        a_request(4, **{name["resource"]: 1}),
        a_request(1, **{name["licence"]: 1}),
        a_request(2, **{name["resource"]: 3}),
        a_request(3),
        a_request(12),
    ]
    jobs = [
        a_job(number, want, at=number, user=name["user"], queue=name["queue"])
        for number, want in enumerate(wants, 1)
    ]
    generators = [
        Offers(Plan(((0, 1),)), Plan(((3, 1),)), ValueError(name["error"]), name=name["generator"])
    ]
    policy = Remarks(name["remark"], name["error"])
    return Harness(sessions(cluster, *jobs), policy, generators=generators)


class Console:
    """Notes what the trace plugin gives the REPL to show, and shows it as the REPL does."""

    def __init__(self, harness: Harness) -> None:
        self.given: list[str] = []
        decided = harness.plugin.xce_repl_decided

        def listen(*facts):  # type: ignore[no-untyped-def]
            given = decided(*facts)
            self.given += given or ()
            return given

        harness.plugin.xce_repl_decided = listen  # type: ignore[method-assign]

    @property
    def shown(self) -> str:
        """All that was written."""
        stream = io.StringIO()
        output = Output(stream, at_once=True)
        for text in self.given:
            (output.block if isinstance(text, Block) else output.line)(text)
        return stream.getvalue()


@pytest.mark.parametrize("level", ["summary", "full"])
@pytest.mark.parametrize("odd", PLACES)
@pytest.mark.parametrize("strange", [ESCAPE, "é", "\n"])
def test_what_is_odd_is_escaped_at_the_console(odd: str, level: str, strange: str) -> None:
    """S8: names and texts of every kind; those beside them are shown as they are."""
    harness = odd_world(odd, strange)
    console = Console(harness)
    harness.trace(f"on all level {level}")
    harness.go()
    lines = console.shown.splitlines()
    escaped = {ESCAPE: "\\x1b[2J", "\n": "\\n", "é": "é"}[strange]
    if odd == "error" and strange == "\n":
        escaped = ""  # an exception is told in a line, whatever its text
    assert any(f"{odd}{escaped}" in line for line in lines)
    assert all(line.isprintable() for line in lines)
    assert {line[:1] for line in lines} == {"[", " "}
    plain_world = odd_world(odd, "")
    harness, other = plain_world, Console(plain_world)
    harness.trace(f"on all level {level}")
    harness.go()
    assert [line.replace(escaped, "") for line in lines] == other.shown.splitlines()
    assert any(isinstance(text, Block) for text in other.given)


@given(worlds(Traits(compounds=True)), st.sampled_from(["summary", "full", "full lines 50"]))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_blocks_are_plain(world: tuple[Cluster, list[Job]], level: str) -> None:
    """S8: whatever the trace gives as a block is printable ASCII in lines."""
    cluster, jobs = world
    harness = Harness(sessions(cluster, *jobs), Remarks("fine", "why"))
    console = Console(harness)
    harness.trace(f"on all level {level}")
    harness.go()
    for text in console.given:
        assert isinstance(text, Block)
        assert all(" " <= character <= "~" for line in text.split("\n") for character in line)


def test_names_that_are_remembered_are_bounded() -> None:
    """R9.5: however many there are, and however many at once."""
    plain = Plain()
    for start in range(0, 4 * KEPT, KEPT - 7):
        names = [f"n{number}" for number in range(start, start + KEPT - 7)]
        assert plain.block(["a", "b"], names) == [Block("a\nb")]
        assert plain.block(["a"], [*names, "\x1b"]) == ["a"]
        assert len(plain._known) <= KEPT
    many = [f"n{number}" for number in range(KEPT + 1)]
    assert isinstance(plain.block(["a"], many)[0], Block)
    assert len(plain._known) <= KEPT
    assert plain.block(["a"], many, ["b", "\x1b"]) == ["a"]
    assert not isinstance(plain.block(["a"], many, ["é"])[0], Block)
    assert plain.block([], many) == []
