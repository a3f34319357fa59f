"""Reading recordings: what each line means, and what is said of one that is wrong."""

from __future__ import annotations

import copy
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sim.recording_samples import THOROUGH, opened
from xce_core.model.cluster import Cluster, HostState, Queue, uniform_cluster
from xce_core.model.decisions import Allocation, Placement
from xce_core.model.jobs import Dependency, DependsOn, Job, JobState
from xce_core.model.reasons import Reason, ReasonCode, reason_set
from xce_core.model.requests import ONE_HOST, Compound, Primary, Requirement, Span, SpanKind
from xce_core.sim import (
    cluster_object,
    event_fields,
    recording,
    recording_header,
    recording_jobs,
    requirement_fields,
)
from xce_core.sim.cluster_file import load_cluster
from xce_core.sim.events import (
    Act,
    Event,
    HostChange,
    JobAct,
    JobChange,
    JobEnd,
    QueueChange,
    Recorded,
    SessionMark,
    time_of,
)
from xce_core.sim.fields import Table
from xce_core.sim.json_lines import LINE_LIMIT
from xce_core.sim.recording import BYTES_A_HOST, looks_like_recording, open_recording
from xce_core.sim.recording_header import Pends
from xce_core.sim.streams import CutOffError, open_input
from xce_core.sim.workload import InputError, Timeline

GIB = 2**30
MESSAGES = dict(
    line.split(" ", 1)
    for line in Path(__file__).with_name("broken_messages.txt").read_text().splitlines()
)
BROKEN = Path(__file__).resolve().parents[2] / "fixtures" / "broken"

CLUSTER = """{
  "resources": [
    {"name": "mem", "counted": "host", "kind": "bytes"},
    {"name": "license", "shared": true, "counted": "job", "total": 10}
  ],
  "hosts": [{"name": "n[01-04]", "capacity": {"slots": 8, "mem": "64G"}}],
  "queues": [
    {"name": "normal"},
    {"name": "long", "default": {"request": {"mem": "2G"}, "select": "mem >= 32G"}}
  ]
}"""


def a_header(**fields: object) -> str:
    header = {
        "type": "header",
        "format": "xce-recording",
        "version": 1,
        "timeline": "recorded",
        "cluster": json.loads(CLUSTER),
    }
    return json.dumps({**header, **fields}) + "\n"


HEADER = a_header()

SMALL = HEADER + """\
{"type":"job","time":1,"job":"1","queue":"normal","state":"running","start":2,\
"allocation":{"hosts":[{"hosts":"n01","tasks":1}]}}
{"type":"submit","time":3,"job":"2[1-2]","queue":"normal","user":"ä"}

{"type":"session","time":4,"number":1}
{"type":"dispatch","job":"2[1]","hosts":[{"hosts":"n[02-03]","tasks":1}]}
{"type":"pend","job":"2[2]","main":"HELD","reasons":[{"code":"HELD"}]}
{"type":"end","time":5,"job":"1","state":"done"}
"""


def events_of(*lines: str) -> list[Event]:
    return list(opened(HEADER + "\n".join(lines)).events())


def job_of(**fields: object) -> Job:
    """The job that a submission with *fields* is."""
    line = {"type": "submit", "time": 10, "job": "42", "queue": "normal", **fields}
    (job,) = events_of(json.dumps(line))
    assert isinstance(job, Job)
    return job


def primary_of(**fields: object) -> Primary:
    (compound,) = job_of(**fields).requirement.alternatives
    (primary,) = compound.members
    return primary


# What lines mean.


def test_the_header_says_what_the_recording_is_of() -> None:
    """S5: the timeline, the policy, and when it starts."""
    workload = opened(
        a_header(
            timeline="simulated",
            policy="builtin_fcfs",
            time_zone="Europe/Paris",
            time=2.5,
            session=6,
            pends="none",
        )
    )
    assert workload.timeline is Timeline.SIMULATED
    assert (workload.policy, workload.time_zone) == ("builtin_fcfs", "Europe/Paris")
    assert (workload.start.time, workload.start.session) == (2.5, 6)
    assert (workload.pends, workload.path) == (Pends.NONE, "t.jsonl")
    assert [host.name for host in workload.cluster.hosts] == ["n01", "n02", "n03", "n04"]


def test_a_given_cluster_replaces_the_recorded_one() -> None:
    """S8: `--cluster` replaces or supplies the cluster."""
    mine = uniform_cluster(2, 1, Queue("q"))
    assert opened(HEADER, mine).cluster is mine
    assert opened(a_header(cluster=None), mine).cluster is mine


def test_the_starting_state_names_jobs_and_what_they_hold() -> None:
    """C6: jobs in any state but over."""
    start = opened(
        a_header(time=100)
        + '{"type":"job","time":1.5,"job":7,"queue":"normal","state":"suspended","start":2,'
        '"allocation":{"hosts":[{"hosts":"n[01-02]","tasks":2,"first":true}]},"remaining":9,'
        '"alternatives":[{"tasks":4},{"tasks":8}],"requeues":2,"eligible":1.5}\n'
        '{"type":"job","time":3,"job":"8[2-3]","queue":"normal","state":"held"}\n'
        '{"type":"job","time":3,"job":"9","queue":"normal","state":"waiting","begin":200}\n'
    ).start
    first, *others = start.jobs
    assert (first.id, first.state, first.start_time) == ("7", JobState.SUSPENDED, 2)
    assert (first.remaining, first.requeues, first.eligible_time) == (9, 2, 1.5)
    assert start.running == (("7", Allocation((Placement(0b11, 2, 0, True),))),)
    assert [(job.id, job.state, job.held) for job in others] == [
        ("8[2]", JobState.HELD, True),
        ("8[3]", JobState.HELD, True),
        ("9", JobState.WAITING, False),
    ]


def test_a_submission_is_a_job() -> None:
    """C1: every field of a submission."""
    job = job_of(
        time=10.25,
        user="alice",
        project="p1",
        priority=-3,
        run_time=60.5,
        time_limit=3600,
        begin=99,
        held=True,
        outcome="failed",
        depends=[{"job": 41}, {"job": "40[2]", "when": "started", "delay": 5}],
    )
    assert (job.id, job.number, job.index, job.submit_time) == ("42", 42, -1, 10.25)
    assert (job.user, job.queue, job.project, job.priority) == ("alice", "normal", "p1", -3)
    assert (job.run_time, job.time_limit, job.begin_time) == (60.5, 3600, 99)
    assert (job.held, job.outcome, job.line) == (True, JobState.FAILED, 2)
    assert job.dependencies == (
        Dependency("41", DependsOn.DONE, 0),
        Dependency("40[2]", DependsOn.STARTED, 5),
    )


def test_what_a_submission_leaves_out() -> None:
    """C1: one task of one slot, by nobody, for no project, in the only queue there is."""
    cluster = uniform_cluster(2, 1, Queue("only"))
    text = HEADER + '{"type":"submit","time":1.0,"job":7}'
    (job,) = opened(text, cluster).events()
    assert isinstance(job, Job)
    assert (job.id, job.user, job.project, job.queue) == ("7", "", "", "only")
    assert job.requirement == Requirement.single(Primary(1, 1, (("slots", 1),)))
    assert (job.run_time, job.submit_time.__class__) == (None, int)


def test_a_request_names_amounts_selection_and_span() -> None:
    """C1, C2, C3: in the order written, then what is left out."""
    primary = primary_of(
        tasks=[2, 4], request={"license": 2, "mem": "8G"}, select="mem>=32G", span=2
    )
    assert (primary.tasks_min, primary.tasks_max) == (2, 4)
    assert primary.amounts == (("license", 2), ("mem", 8 * GIB), ("slots", 1))
    assert str(primary.select) == "mem >= 32G"
    assert primary.span == Span(SpanKind.PER_HOST, 2)
    assert primary_of(span="one-host").span == ONE_HOST


def test_a_queue_fills_in_what_a_job_leaves_out() -> None:
    """C1: its default amounts and selection; `complete` keeps them out."""
    filled = primary_of(queue="long", request={"license": 1})
    assert filled.amounts == (("license", 1), ("mem", 2 * GIB), ("slots", 1))
    assert str(filled.select) == "mem >= 32G"
    own = primary_of(queue="long", request={"mem": 0, "slots": 0}, select="mem > 1G")
    assert own.amounts == (("mem", 0), ("slots", 0))
    assert str(own.select) == "mem > 1G"
    bare = primary_of(queue="long", complete=True)
    assert (bare.amounts, bare.select) == ((), None)


def test_members_and_alternatives() -> None:
    """C1: compounds, alternatives, and an empty alternative."""
    one = Primary(1, 1, (("slots", 1),))
    two = Primary(2, 2, (("slots", 1),))
    compound = job_of(members=[{}, {"tasks": 2}]).requirement
    assert compound == Requirement.compound((one, two))
    either = job_of(
        alternatives=[{"tasks": 2}, {"members": [{"tasks": 2}, {}]}, {"members": []}]
    ).requirement
    assert either == Requirement.any_of((Compound((two,)), Compound((two, one)), Compound(())))


def test_jobs_alike_share_their_requirement() -> None:
    """S8: an equal requirement is the same object, so that memory grows with the kinds."""
    first, second, third, other = (
        event.requirement
        for event in events_of(
            '{"type":"submit","time":1,"job":1,"queue":"normal","request":{"mem":"8G"}}',
            '{"type":"submit","time":1,"job":2,"queue":"normal","request":{"mem":"8G"}}',
            '{"type":"submit","time":1,"job":3,"queue":"normal","request":{"mem":"8192M"}}',
            '{"type":"submit","time":1,"job":4,"queue":"normal","request":{"mem":"9G"}}',
        )
        if isinstance(event, Job)
    )
    assert first is second
    assert first is third
    assert first != other


def test_true_is_not_taken_for_one() -> None:
    """S6: also after the like of it was seen with a 1."""
    line = '{"type":"submit","time":1,"job":1,"queue":"normal","request":{"slots":%s}}'
    with pytest.raises(InputError, match=r"request\.slots: expected a number, found true"):
        events_of(line % "1", line % "true")


def test_arrays_come_apart() -> None:
    """C1: elements in rising order, each a job."""
    ids = [
        event.id
        for event in events_of(
            '{"type":"submit","time":1,"job":"12[1-9:4,2]","queue":"normal"}',
            '{"type":"submit","time":1,"job":"13[0]","queue":"normal"}',
        )
        if isinstance(event, Job)
    ]
    assert ids == ["12[1]", "12[2]", "12[5]", "12[9]", "13[0]"]


def test_a_session_carries_its_decisions() -> None:
    """C5: dispatches and pends up to the next line of another kind."""
    reasons = reason_set(
        ReasonCode.NO_RESOURCE,
        [Reason(ReasonCode.NO_RESOURCE, "license"), Reason(ReasonCode.SELECTION, "", 0b11)],
    )
    assert events_of(
        '{"type":"session","time":5,"number":7}',
        '{"type":"dispatch","job":"42","alternative":2,"hosts":[{"hosts":"n[03-04]","tasks":2,'
        '"member":1,"first":true},{"hosts":"n01","tasks":1,"member":2}],"reconstructed":true}',
        '{"type":"pend","jobs":"43-44,12[3,1]","main":"NO_RESOURCE","reasons":'
        '[{"code":"SELECTION","hosts":"n[01-02]"},{"code":"NO_RESOURCE","name":"license"}]}',
        '{"type":"session","time":5}',
        '{"type":"pend","job":45,"reasons":[{"code":"HELD"}]}',
    ) == [
        SessionMark(
            5,
            7,
            (
                Recorded(
                    "42",
                    Allocation((Placement(0b1100, 2, 0, True), Placement(1, 1, 1)), 1),
                    None,
                    True,
                    3,
                ),
                *(Recorded(job, None, reasons, False, 4) for job in ("43", "44", "12[3]", "12[1]")),
            ),
            2,
        ),
        SessionMark(
            5,
            8,
            (
                Recorded(
                    "45",
                    None,
                    reason_set(ReasonCode.HELD, [Reason(ReasonCode.HELD)]),
                    False,
                    6,
                ),
            ),
            5,
        ),
    ]


def test_every_other_event() -> None:
    """C6: what is done to jobs, hosts and queues."""
    acts = [f'{{"type":"{act.value}","time":2,"job":"42"}}' for act in Act]
    assert events_of(
        '{"type":"end","time":1.5,"job":"12[3]","state":"killed"}',
        *acts,
        '{"type":"modify","time":3,"job":"42","priority":0,"queue":"long","begin":9}',
        '{"type":"modify","time":3,"job":"42","time_limit":60}',
        '{"type":"host","time":4,"hosts":"n[02-03]","state":"down"}',
        '{"type":"queue","time":5,"queue":"long","open":false}',
    ) == [
        JobEnd(1.5, "12[3]", JobState.KILLED, 2),
        *(JobAct(2, "42", act, line) for line, act in enumerate(Act, 3)),
        JobChange(3, "42", 0, "long", None, 9, 9),
        JobChange(3, "42", None, None, 60, None, 10),
        HostChange(4, 0b0110, HostState.DOWN, 11),
        QueueChange(5, "long", False, 12),
    ]


def test_null_is_the_same_as_left_out() -> None:
    """S6: as many a script writes what it does not know."""
    assert job_of(run_time=None, user=None, depends=None).run_time is None


def test_events_are_read_as_they_are_asked_for() -> None:
    """S8: nothing is read ahead but the line after a session."""
    source = io.BytesIO((SMALL + '{"type":"oops"}\n').encode())
    events = open_recording(source, "t.jsonl").events()
    kinds = [type(next(events)).__name__ for _ in range(4)]
    assert kinds == ["Job", "Job", "SessionMark", "JobEnd"]
    with pytest.raises(InputError, match=r"^t\.jsonl:9: type: unknown type"):
        next(events)


def test_what_a_recording_looks_like() -> None:
    """S8: by its first bytes, not by its name."""
    assert looks_like_recording(b"\xef\xbb\xbf \n{")
    assert not looks_like_recording(b"; Version: 2.2")
    assert not looks_like_recording(b"")


# Cut off.


def test_every_prefix_is_read_up_to_there_or_refused() -> None:
    """S6: cut at any byte; a refusal names the line, on request all before it is replayed."""
    whole = SMALL.encode()
    all_events = list(opened(whole).events())
    for size in range(len(whole)):
        cut = whole[:size]
        line = cut.count(b"\n") + 1
        told = _outcome(cut, up_to_cut=False)
        if isinstance(told, InputError):
            assert (told.line, told.path) == (line, "t.jsonl")
            assert isinstance(told, CutOffError) or size == 0
            assert size < len(HEADER.encode()) or not isinstance(
                _outcome(cut, up_to_cut=True), InputError
            )
        else:
            assert cut.endswith((b"\n", b"}"))
        before = _outcome(cut, up_to_cut=True)
        if not isinstance(before, InputError):
            assert _begins(all_events, before)


def _outcome(data: bytes, up_to_cut: bool) -> list[Event] | InputError:
    try:
        return list(opened(data, up_to_cut=up_to_cut).events())
    except InputError as error:
        return error


def _begins(whole: list[Event], part: list[Event]) -> bool:
    """Whether *part* is a beginning, the last session perhaps with fewer decisions."""
    for one, other in zip(whole, part, strict=False):
        if isinstance(one, SessionMark) and isinstance(other, SessionMark):
            if one.decisions[: len(other.decisions)] != other.decisions:
                return False
        elif repr(one) != repr(other):
            return False
    return len(part) <= len(whole)


def test_a_session_that_is_cut_off_is_left_out() -> None:
    """S6: as it would be compared with decisions that are not all there."""
    cut = SMALL[: SMALL.index('"main"')]
    workload = opened(cut, up_to_cut=True)
    assert [type(event) for event in workload.events()] == [Job, Job]
    assert workload.cut == 7


def test_compressed_data_that_is_cut_off(tmp_path: Path) -> None:
    """S6: the same, at the line where the expanded text ends."""
    file = tmp_path / "t.jsonl.gz"
    lines = [f'{{"type":"end","time":{n},"job":"{n}","state":"done"}}' for n in range(9999)]
    file.write_bytes(gzip.compress((HEADER + "\n".join(lines)).encode())[:-2000])
    with open_input(str(file)) as source:
        read = open_recording(source, "t.gz", up_to_cut=True)
        count = len(list(read.events()))
    assert 0 < count < 9999
    assert read.cut == count + 2
    with open_input(str(file)) as source, pytest.raises(CutOffError) as caught:
        list(open_recording(source, "t.gz").events())
    assert str(caught.value) == f"t.gz:{read.cut}: the compressed data is cut off"


# Anything else.

LINES = [json.loads(line) for line in SMALL.splitlines() if line] + [
    json.loads(line)
    for line in (
        '{"type":"submit","time":5,"job":"3","queue":"long","alternatives":[{"tasks":1,'
        '"request":{"mem":"8G"},"select":"mem > 1","span":2},{"members":[]}],'
        '"depends":[{"job":2,"when":"ended","delay":1.5}]}',
        '{"type":"session","time":5}',
        '{"type":"pend","jobs":"4-9,12[1-3]","reasons":[{"code":"LIMIT","hosts":"n01"}]}',
        '{"type":"modify","time":6,"job":"3","priority":0,"queue":"long","begin":9}',
        '{"type":"host","time":6,"hosts":"n[02-03]","state":"down"}',
        '{"type":"queue","time":6,"queue":"long","open":false}',
    )
]
TEXTS = st.text("n01[]-,ab>(\ud800", max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["job", "hosts", "members", "tasks", "mem"]), inner),
    max_leaves=4,
)


def _places(value: object) -> list[tuple[Any, Any]]:
    """Every place in *value*: what holds it, and the key."""
    if not isinstance(value, dict | list):
        return []
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    return [
        place for key in keys for place in [(value, key), *_places(value[key])]  # type: ignore[index]
    ]


def test_the_lines_to_be_spoilt_are_good() -> None:
    """S6: or the next test would try nothing."""
    text = "".join(json.dumps(line) + "\n" for line in LINES)
    assert len(LINES) == 13
    assert isinstance(_outcome(text.encode(), up_to_cut=False), list)


@THOROUGH
@given(st.data())
def test_any_value_anywhere_is_read_or_refused_with_its_line(data: st.DataObject) -> None:
    """S6: no other exception, whatever a field holds."""
    lines = copy.deepcopy(LINES)
    for _ in range(data.draw(st.integers(1, 2))):
        holder, key = data.draw(st.sampled_from(_places(lines[data.draw(st.integers(0, 12))])))
        holder[key] = data.draw(VALUES)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    told = _outcome(text.encode(), up_to_cut=False)
    if isinstance(told, InputError):
        assert 1 <= told.line <= len(lines)
        assert str(told).isprintable()


# Limits.


def test_a_line_is_bounded() -> None:
    """S8: 1 MiB, and somewhat more for clusters whose host lists are long."""
    limit = LINE_LIMIT + 4 * BYTES_A_HOST
    assert events_of(" " * (limit - 1), " " * 10) == []
    with pytest.raises(InputError) as caught:
        events_of("", " " * (limit + 1) + "{")
    assert str(caught.value) == f"t.jsonl:3: expected a line of at most {limit} bytes"


def test_the_header_may_be_longer() -> None:
    """S8: as it describes every host."""
    hosts = [{"name": f"n{n}", "attributes": {"text": f"{n}" * 40}} for n in range(10_000)]
    assert len(opened(a_header(cluster={"hosts": hosts})).cluster.hosts) == 10_000


def test_hostile_numbers_and_texts() -> None:
    """S8: no huge integers, no control characters on the terminal."""
    for text, what in [
        ("9" * 5000, ""),
        ("1e400", "time: expected seconds, up to 1000000000000000, found Infinity"),
        ("9" * 30, "time: expected seconds, up to 1000000000000000, found a larger number"),
        ('"\\u001b[2J\\ud800"', 'time: expected seconds, found "\\u001b[2J\\ud800"'),
    ]:
        with pytest.raises(InputError) as caught:
            events_of(f'{{"type":"end","time":{text},"job":1,"state":"done"}}', "")
        assert str(caught.value).startswith(f"t.jsonl:2: {what}")
        assert str(caught.value).isprintable()
    with pytest.raises(InputError, match=r"2: user: expected a name of at most 255 printable"):
        job_of(user="a\nb")


def test_what_happened_may_lie_further_off_than_what_is_asked_for() -> None:
    """S5: long jobs that run one after the other add up, and what is written is read."""
    late, later = 10**11, 10**13
    events = events_of(
        f'{{"type":"submit","time":{late},"job":1,"queue":"normal","run_time":{late}}}',
        f'{{"type":"session","time":{later}}}',
        f'{{"type":"end","time":{later}.5,"job":1,"state":"done"}}',
    )
    assert [time_of(event) for event in events] == [late, later, later + 0.5]
    for name in ("time", "run_time", "time_limit", "begin"):
        with pytest.raises(InputError, match=f"{name}: expected seconds, up to {late}, found"):
            job_of(**{name: late + 1})
    state = (
        f'{{"type":"job","time":1,"job":"1","queue":"normal","state":"running","start":{later},'
        f'"eligible":{later},"allocation":{{"hosts":[{{"hosts":"n01","tasks":1}}]}}}}\n'
    )
    (job,) = opened(a_header(time=later) + state).start.jobs
    assert (job.start_time, job.eligible_time) == (later, later)


def test_the_decisions_of_a_session_are_bounded() -> None:
    """S8: a few short lines must not stand for more than memory holds."""
    session = '{"type":"session","time":5}'
    pend = '{"type":"pend","jobs":"%s","reasons":[{"code":"HELD"}]}'
    assert len(events_of(session, pend % "1-6,9", session, pend % "1-6,9")) == 2
    with pytest.raises(InputError, match=r"^t\.jsonl:4: jobs: job 6 is decided twice in a session"):
        events_of(session, pend % "1-6", pend % "6-9")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording, "DECISIONS_LIMIT", 8)
        with pytest.raises(InputError) as caught:
            events_of(session, pend % "1-6", pend % "7-9")
    assert str(caught.value) == "t.jsonl:4: jobs: expected at most 8 decisions in a session"


# Broken files.


@pytest.mark.parametrize("name", sorted(path.stem for path in BROKEN.glob("*.jsonl")))
def test_a_broken_file_is_refused(name: str) -> None:
    """S6: `FILE:LINE: field: what is wrong`, one file a kind of fault."""
    with (
        open_input(str(BROKEN / f"{name}.jsonl")) as source,
        pytest.raises(InputError) as caught,
    ):
        list(open_recording(source, f"{name}.jsonl").events())
    assert str(caught.value) == f"{name}.jsonl:{MESSAGES[name]}"


def test_every_fault_has_a_file() -> None:
    """S6: the list of messages and the files agree."""
    assert MESSAGES.keys() == {path.stem for path in BROKEN.glob("*.jsonl")}


def test_nothing_but_the_cluster_class_is_made_of_it() -> None:
    """S8: a recording is data; names in it are names."""
    workload = opened(a_header(policy="os.system"))
    assert isinstance(workload.cluster, Cluster)
    assert workload.policy == "os.system"


# The documentation.


def _examples(kind: str) -> list[str]:
    text = (BROKEN.parents[1] / "docs" / "recording.md").read_text()
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


def test_the_examples_of_the_documentation_are_good(tmp_path: Path) -> None:
    """S5: what it shows can be read."""
    (lines,) = _examples("jsonl")
    assert len(list(opened(lines).events())) == 6
    (tables,) = _examples("toml")
    (tmp_path / "c.toml").write_text(tables)
    assert len(load_cluster(str(tmp_path / "c.toml")).hosts) == 104


def test_the_documentation_names_every_field_and_code() -> None:
    """S5: in code letters."""
    modules = (
        recording_header,
        cluster_object,
        requirement_fields,
        recording_jobs,
        event_fields,
    )
    tables = [each for m in modules for each in vars(m).values() if isinstance(each, Table)]
    names = {name for table in tables for name in table.checks}
    text = (BROKEN.parents[1] / "docs" / "recording.md").read_text()
    words = set(re.findall(r"`([\w.\[\]]+)`", text))
    assert names >= {"session", "capacity", "per", "span", "depends", "open"}
    assert sorted(names - words) == []
    assert sorted(ReasonCode.__members__.keys() - words) == []
    assert sorted({act.value for act in Act} - words) == []
