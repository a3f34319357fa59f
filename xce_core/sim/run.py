"""A whole run from what the user asked for: input, plugins, outputs, replay."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from xce_core.model.cluster import Cluster
from xce_core.plugins import Plugins
from xce_core.sched.allocator import PluginFailure
from xce_core.sched.policy import Policy
from xce_core.sched.scheduler import Scheduler
from xce_core.sim.atomic import AtomicFile
from xce_core.sim.inputs import open_workload
from xce_core.sim.jobs_csv import JobsCsv
from xce_core.sim.metrics import TAU, Metrics
from xce_core.sim.observer import Observer
from xce_core.sim.recorded import RecordedReplay
from xce_core.sim.recorder import Recorder
from xce_core.sim.recording import RecordingWorkload
from xce_core.sim.recording_header import Pends
from xce_core.sim.replay import Replay
from xce_core.sim.results import DecisionLog, Figures, JobTable
from xce_core.sim.simulated import SimulatedReplay
from xce_core.sim.workload import InputError, OptionError, Timeline, Workload

if TYPE_CHECKING:
    from xce_core.sim.figures import Result
    from xce_core.sim.verify import Verifier

DEFAULT_POLICY = "builtin_fcfs"
"""The policy where neither the user nor the input names one and plugins may be looked for."""

_FAILURES_OF_A_KIND = 3
"""So many failures of one plugin in one place are kept word for word, if they differ."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the user asked for. Paths may be ``-``.

    :param form: the input's format; None to tell by itself.
    :param input_options: options of the input's reader.
    :param tau: the bound of bounded slowdown in seconds.
    """

    sim: str
    cluster: str | None = None
    form: str | None = None
    input_options: Mapping[str, str] = field(default_factory=dict)
    policy: str | None = None
    timeline: Timeline | None = None
    enforce_limits: bool = False
    up_to_cut: bool = False
    verify: bool = False
    output: str | None = None
    jobs_csv: str | None = None
    log: str | None = None
    tau: float = TAU


class Run:
    """A replay set up with all that follows it; a context manager, which closes its outputs.

    Outputs appear when the ``with`` block ends without an exception.

    :param observers: more who follow the replay, told before its outputs are.
    :param each: whether somebody needs every refusal to be told by itself.
    :ivar failures: plugin failures so far: the words, and how often.
    """

    def __init__(
        self,
        options: RunOptions,
        plugins: Plugins,
        observers: tuple[Observer, ...] = (),
        each: bool = False,
    ) -> None:
        self.options = options
        self.plugins = plugins
        self.metrics = Metrics(options.tau)
        self.verifier: Verifier | None = None
        self.failures: dict[str, int] = {}
        self._observers = observers
        self._each = each
        self._stack = ExitStack()
        self.workload: Workload
        self.replay: Replay

    def __enter__(self) -> Run:
        with ExitStack() as stack:
            options = self.options
            cluster = _cluster(options.cluster) if options.cluster else None
            self.workload = open_workload(
                options.sim,
                self.plugins,
                cluster,
                options.form,
                options.input_options,
                options.up_to_cut,
            )
            timeline = self._timeline(self.workload)
            if timeline is Timeline.SIMULATED and isinstance(self.workload, RecordingWorkload):
                self.workload.with_sessions = False
            policy = self._policy(self.workload)
            self.verifier = self._verifier(timeline)
            outputs = self._outputs(stack, self.workload.cluster, timeline, policy)
            scheduler = self._scheduler(self.workload.cluster, policy)
            each = self._each or options.verify or bool(options.output or options.log)
            followers = (*self._observers, *outputs)
            self.replay = self._replay(timeline, scheduler, followers, each)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.__exit__(*exception)  # type: ignore[arg-type]

    def _timeline(self, workload: Workload) -> Timeline:
        """The timeline that the user, else the input, names.

        :raises OptionError: if the input has none such, or limits can't be enforced on it.
        """
        timeline = self.options.timeline or workload.timeline
        is_log = workload.timeline is Timeline.SIMULATED and not hasattr(workload, "pends")
        if timeline is Timeline.RECORDED and is_log:
            raise OptionError("--timeline", "a log has no recorded sessions; leave it out")
        if timeline is Timeline.RECORDED and self.options.enforce_limits:
            what = "needs the simulated timeline: --timeline simulated"
            raise OptionError("--enforce-limits", what)
        return timeline

    def _policy(self, workload: Workload) -> Policy:
        """The policy that the user, else the input, names; else the default, if there is any."""
        name = self.options.policy or workload.policy
        if name is None and self.plugins.autoload:
            name = DEFAULT_POLICY if DEFAULT_POLICY in self.plugins.installed.plugins else None
        if name is None or name == Policy.name:
            return Policy()
        return self.plugins.policy(name)

    def _verifier(self, timeline: Timeline) -> Verifier | None:
        if not self.options.verify:
            return None
        if timeline is not Timeline.RECORDED:
            what = "there are no recorded decisions to verify: it is not replayed as recorded"
            raise InputError(self.options.sim, 0, what)
        from xce_core.sim.verify import Verifier

        return Verifier(getattr(self.workload, "pends", Pends.CHANGES) is not Pends.NONE)

    def _scheduler(self, cluster: Cluster, policy: Policy) -> Scheduler:
        generators = [
            generator
            for _, offered in self.plugins.contributions("xce_plan_generators")
            for generator in offered
        ]
        return Scheduler(cluster, policy, generators, self._failed)

    def _failed(self, failure: PluginFailure) -> None:
        text = str(failure)
        if text not in self.failures:
            kind = f"{failure.plugin}: {failure.where}:"
            if sum(known.startswith(kind) for known in self.failures) >= _FAILURES_OF_A_KIND:
                text = f"{kind} others like these"
        self.failures[text] = self.failures.get(text, 0) + 1

    def _outputs(
        self, stack: ExitStack, cluster: Cluster, timeline: Timeline, policy: Policy
    ) -> list[Observer]:
        """Who follows the replay, in the order in which each decision goes to them."""
        options = self.options
        outputs: list[Observer] = [Figures(self.metrics)]
        if self.verifier is not None:
            outputs.append(self.verifier)
        if options.output:
            stream = stack.enter_context(AtomicFile(options.output))
            outputs.append(Recorder(stream, policy.name))
        if options.jobs_csv:
            table = stack.enter_context(AtomicFile(options.jobs_csv))
            outputs.append(JobTable(JobsCsv(table, cluster, self.workload.path)))
        if options.log:
            log: TextIO = stack.enter_context(AtomicFile(options.log))
            outputs.append(DecisionLog(log))
        return outputs

    def _replay(
        self,
        timeline: Timeline,
        scheduler: Scheduler,
        observers: tuple[Observer, ...],
        each: bool,
    ) -> Replay:
        if timeline is Timeline.RECORDED:
            return RecordedReplay(self.workload, scheduler, observers, each)
        enforce = self.options.enforce_limits
        return SimulatedReplay(self.workload, scheduler, observers, each, enforce)

    def result(self) -> Result:
        """The figures, when the replay is over."""
        replay = self.replay
        return self.metrics.result(replay.number, replay.dispatched, self.workload.tally)

    def warnings(self) -> list[tuple[str, int]]:
        """What the user should know beside the figures: each with how often it came up."""
        found = [(f"plugin {text}", count) for text, count in self.failures.items()]
        found += [(f"passed over: {cause}", n) for cause, n in self.replay.skipped.items()]
        return found


def _cluster(path: str) -> Cluster:
    from xce_core.sim.cluster_file import load_cluster  # brings a TOML parser with it

    return load_cluster(path)
