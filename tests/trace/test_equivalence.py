"""Nothing changes: decisions, reasons, accounts, outputs and verification, traced or not."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import FirstCome, Speechless, a_job, a_request, account_of, any_of
from tests.sched.worlds import Traits, worlds
from tests.trace.cases import SEAMS, Offers, Ordered, raiser, sessions, some_jobs, two_hosts
from tests.trace.harness import Harness, listed
from xce_core.hookspecs import SeamSpecs
from xce_core.model.cluster import Cluster
from xce_core.model.decisions import Pend
from xce_core.model.jobs import Job
from xce_core.model.plans import Plan
from xce_core.plugins import Plugins
from xce_core.sched.faults import describe
from xce_core.sched.policy import Policy
from xce_core.sim.inputs import open_workload
from xce_core.sim.recorder import Recorder
from xce_core.sim.recording_header import Pends
from xce_core.sim.verify import Verifier
from xce_core.sim.wording import outcome_text
from xce_core.sim.workload import InputError, Timeline, Workload
from xce_plugins.builtin_fcfs import Fcfs

COMMANDS = ("on all level summary", "on all level full", "on all level full lines 50", "on job 1 3")


class Seen(NamedTuple):
    """All that must be the same."""

    outcomes: list[str]
    accounts: dict[str, object]
    output: str
    verified: tuple[int, int] | None
    reported: list[str]


def run(
    workload: Workload,
    command: str,
    policy: Policy,
    seams: bool = True,
    **given: object,
) -> tuple[Seen, Harness]:
    """Replay *workload* with tracing as *command* says; empty for a run without seams."""
    stream = io.StringIO()
    verifier = None
    if workload.timeline is Timeline.RECORDED:
        verifier = Verifier(getattr(workload, "pends", Pends.CHANGES) is not Pends.NONE)
    observers = (Recorder(stream, policy.name), *([verifier] if verifier else []))
    harness = Harness(workload, policy, observers=observers, seams=seams, **given)  # type: ignore[arg-type]
    if command:
        assert harness.trace(command) == []
    seen = []
    for_text = harness.replay.cluster
    harness.stop_at = lambda outcome: bool(seen.append(told(outcome, for_text)))  # type: ignore[func-returns-value]
    harness.go()
    verified = (verifier.compared, verifier.mismatches) if verifier else None
    return (
        Seen(
            seen,
            account_of(harness.replay.scheduler),
            stream.getvalue(),
            verified,
            harness.plugin_failures,
        ),
        harness,
    )


def told(outcome, cluster: Cluster) -> str:  # type: ignore[no-untyped-def]
    """An outcome in full, reasons included."""
    if isinstance(outcome, Pend):
        return f"{outcome.job.id} {outcome.reasons!r}"
    return outcome_text(outcome, cluster)


def compare(
    workload: Callable[[], Workload],
    policy: Callable[[], Policy] = FirstCome,
    commands: tuple[str, ...] = COMMANDS,
    **given: object,
) -> None:
    """All ways of tracing against a run without seams."""
    plain, _ = run(workload(), "", policy(), seams=False, **given)
    for command in ("", *commands):
        traced, harness = run(workload(), command, policy(), **given)
        assert traced == plain, command
        assert harness.failures == []


def recordings(root: Path) -> list[Path]:
    """Every recording that is good."""
    return sorted((root / "fixtures").glob("*.jsonl"))


def test_every_recording_replays_alike(root: Path) -> None:
    """R10.1, R10.2, R10.3: decisions, reasons, accounts, output and verify result."""
    for path in recordings(root):
        def opened(path: Path = path) -> Workload:
            return open_workload(str(path), Plugins(), None, None, {})

        try:
            opened()
        except InputError:
            continue
        compare(opened, Fcfs, (*COMMANDS, "on job 42 level full"))


def test_a_log_replays_alike(root: Path) -> None:
    """R10.1, R10.2: a log, on the simulated timeline."""
    def opened() -> Workload:
        return open_workload(str(root / "fixtures/small.swf"), Plugins(), None, None, {})

    compare(opened, Fcfs, ("on all level full",))


@pytest.mark.parametrize("name", ["swf/KTH-SP2-1996-2.swf.gz"])
def test_a_part_of_a_real_log_replays_alike(
    name: str, data: Callable[[str], Path], tmp_path: Path
) -> None:
    """R10.1, R10.2: the first jobs of a log of a real machine."""
    kept: list[str] = []
    with gzip.open(data(name), "rt", errors="replace") as log:
        for text in log:
            if not text.startswith(";") and len(kept) > 300:
                break
            kept.append(text)
    path = tmp_path / "part.swf"
    path.write_text("".join(kept))

    def opened() -> Workload:
        return open_workload(str(path), Plugins(), None, None, {"repair": "all"})

    compare(opened, Fcfs, ("on all level full", "on all level summary"))


QUICK = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def fresh(jobs: list[Job]) -> list[Job]:
    """The same jobs, not yet in any state."""
    return [
        a_job(job.id, job.requirement, at=job.submit_time, user=job.user, queue=job.queue,
              project=job.project, run=3)
        for job in jobs
    ]


@given(worlds(Traits(compounds=True)), st.booleans())
@QUICK
def test_made_up_clusters_and_jobs_replay_alike(
    world: tuple[Cluster, list[Job]], recorded: bool
) -> None:
    """R10.1, R10.2: limits, members, alternatives, spans, amounts by host and by job."""
    cluster, jobs = world

    def workload() -> Workload:
        kind = sessions if recorded else listed
        return kind(cluster, *fresh(jobs))

    compare(workload)


def odd_order(ask, tasks, able):  # type: ignore[no-untyped-def]
    """Every second host first; no order for three tasks."""
    if tasks == 3:
        raise LookupError("no order")
    return [able & 0x5555]


@given(worlds(Traits(compounds=True)))
@QUICK
def test_odd_plugins_are_asked_alike(world: tuple[Cluster, list[Job]]) -> None:
    """R10.1: generators that raise, decline or talk nonsense, and an order of hosts."""
    cluster, jobs = world
    odd = [
        Offers(Plan(((1, 2),)), Plan(((0, 1),)), "no plan", name="a"),
        Offers(Plan(((2, 1), (1, 1))), KeyError("lost"), name="b"),
        Offers(accepts=False, name="c"),
    ]
    compare(
        lambda: sessions(cluster, *fresh(jobs)),
        lambda: Ordered(odd_order),
        generators=odd,
    )


@given(worlds(Traits(compounds=True)), st.booleans())
@QUICK
def test_nothing_is_left_over_from_the_selection_before(
    world: tuple[Cluster, list[Job]], in_order: bool
) -> None:
    """R10.1, R2.2: the watched allocator is used again; a new one each time says the same."""
    cluster, jobs = world
    odd = [Offers(Plan(((1, 2),)), Plan(((0, 1),)), "no plan", KeyError("lost"), name="a")]

    def shown(anew: bool) -> list[str]:
        policy = FirstCome() if in_order else Ordered(odd_order)
        harness = Harness(sessions(cluster, *fresh(jobs)), policy, generators=odd)
        seams = harness.replay.scheduler.seams
        assert seams is not None
        select = seams.select

        def select_anew(*given):  # type: ignore[no-untyped-def]
            seams._allocator = None
            return select(*given)

        if anew:
            seams.select = select_anew  # type: ignore[method-assign]
        harness.trace("on all level full")
        harness.go()
        return harness.shown

    assert shown(anew=False) == shown(anew=True)


@pytest.mark.parametrize("error", [RuntimeError("boom"), SystemExit(0), Speechless()])
@pytest.mark.parametrize("seam", SEAMS)
def test_a_plugin_that_raises_in_a_seam_changes_nothing(seam: str, error: BaseException) -> None:
    """R10.6: it is reported with its name, and records say that they are incomplete."""
    wants = any_of((), (a_request(9),), (a_request(1), a_request(2, 3)))

    def workload() -> Workload:
        jobs = [*some_jobs(), a_job(9, wants, at=3), a_job(10, 99, at=4)]
        return sessions(two_hosts(), *jobs)

    odd = [Offers(Plan(((0, 1),)), KeyError("lost")), Offers(accepts=False, name="c")]
    plain, _ = run(workload(), "", FirstCome(), seams=False, generators=odd)
    traced, harness = run(
        workload(), "on all level full", FirstCome(), generators=odd,
        others=[("bad", raiser(seam, error)), ("worse", raiser("xce_plan_ended"))],
    )
    assert traced == plain
    names = {(plugin, hook) for plugin, hook, _ in harness.failures}
    assert ("worse", "xce_plan_ended") in names
    assert names <= {("bad", seam), ("worse", "xce_plan_ended"), ("bad", "xce_watcher_failed")}
    incomplete = [text for text in harness.shown if "trace incomplete" in text]
    assert incomplete
    if ("bad", seam) in names and seam not in QUIET:
        assert f"  ... trace incomplete (plugin bad in {seam}: {describe(error)})" in incomplete


QUIET = ("xce_session_begun", "xce_session_ended", "xce_watcher_failed")
"""Seams that are no part of a selection."""


def test_the_trace_plugin_itself_may_fail() -> None:
    """R10.6: its own failure in each seam is reported, and the record says so."""
    for seam in SEAMS:
        harness = Harness(sessions(two_hosts(), *some_jobs()), FirstCome())
        harness.trace("on all level full")

        def boom(*_: object, **__: object) -> None:
            raise MemoryError("no room")

        calls = getattr(harness.manager.hook, seam).get_hookimpls()
        calls[0].function = boom
        plain, _ = run(sessions(two_hosts(), *some_jobs()), "", FirstCome(), seams=False)
        seen: list[str] = []
        harness.stop_at = lambda o, seen=seen, h=harness: bool(  # type: ignore[misc]
            seen.append(told(o, h.replay.cluster))
        )
        harness.go()
        assert seen == plain.outcomes, seam
        assert account_of(harness.replay.scheduler) == plain.accounts
        if seam in ("xce_positions_scanned", "xce_plan_begun", "xce_requirement_ended"):
            assert any(f"incomplete (plugin trace in {seam}" in t for t in harness.shown), seam


def test_off_costs_no_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """R10.4, R11.2: a session in which nothing is traced asks once, and tells of nothing more."""
    harness = Harness(listed(two_hosts(), *some_jobs()), FirstCome())
    told_of: list[str] = []
    seams = harness.replay.scheduler.seams
    assert seams is not None
    for name in vars(SeamSpecs):
        if name.startswith("xce_") and name != "xce_wants_watch":
            seam = name.removeprefix("xce_")
            tell = getattr(seams.announce, seam)
            monkeypatch.setattr(
                seams.announce,
                seam,
                lambda *facts, seam=seam, tell=tell: (told_of.append(seam), tell(*facts)),
            )
    harness.go()
    assert set(told_of) == {"session_begun", "session_ended"}
    assert not any(text.startswith("[trace]") for text in harness.shown)
