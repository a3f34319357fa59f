"""Lists of hosts and of jobs in recordings: folded, and unfolded as what they were."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import grows_by
from tests.sim.recording_samples import THOROUGH, host_names
from xce_core.model.cluster import Cluster, Host, Queue, uniform_cluster
from xce_core.model.hostlist import fold
from xce_core.model.jobs import format_job_id
from xce_core.model.resources import SLOTS
from xce_core.sim.fields import FieldError, names
from xce_core.sim.host_lists import HostLists, fold_in_order
from xce_core.sim.host_lists import host_names as unfolded
from xce_core.sim.job_lists import fold_jobs, job_id, submitted_ids, unfold_jobs

JOB_IDS = st.tuples(st.integers(0, 30), st.just(-1) | st.integers(0, 5))


def _said(read: Callable[[], object]) -> object:
    """What *read* gives, or the message of its error."""
    try:
        return read()
    except FieldError as error:
        return str(error)


def a_cluster(names: list[str]) -> Cluster:
    hosts = tuple(Host(name, index, {}) for index, name in enumerate(names))
    return Cluster(hosts, {"slots": SLOTS}, {}, {"q": Queue("q")})


@THOROUGH
@given(st.data())
def test_masks_fold_as_names_do(data: st.DataObject) -> None:
    """C1: by ranges where the names allow it, with the same result."""
    cluster = a_cluster(data.draw(host_names()))
    lists = HostLists(cluster)
    for mask in data.draw(st.lists(st.integers(1, cluster.all_hosts), max_size=4)):
        text = lists.fold(mask)
        assert text == fold(cluster.names_of(mask))
        assert lists.mask(text) == HostLists(cluster).mask(text) == mask


@given(st.text("n0123[]-,: ", max_size=8))
def test_any_text_is_a_list_or_refused(text: str) -> None:
    """S6: by ranges or name by name, a list means the same."""
    cluster = a_cluster([f"n{number:02}" for number in range(35)])
    expected = _said(lambda: cluster.mask_of(unfolded(text, cluster)))
    assert _said(lambda: HostLists(cluster).mask(text)) == expected


def test_a_name_with_other_zeros_is_another_host() -> None:
    """C1: n1 is not n01; beyond the padding they are the same."""
    lists = HostLists(uniform_cluster(12, 1, Queue("q")))
    assert lists.mask("n[9-12]".replace("9", "09")) == 0b1111 << 8
    assert lists.mask("n[10-12]") == 0b111 << 9
    with pytest.raises(FieldError, match=r'^unknown host "n9"; did you mean n09\?$'):
        lists.mask("n[9-12]")


@given(st.lists(st.sampled_from(["n1", "n2", "n02", "n3", "a", "r1c1"]), unique=True))
def test_hosts_in_any_order_unfold_in_it(names: list[str]) -> None:
    """C7: since the order of hosts is the order in which they are tried."""
    if names:
        assert unfolded(fold_in_order(names), None) == names


@given(st.lists(JOB_IDS, min_size=1))
def test_jobs_unfold_in_their_order(ids: list[tuple[int, int]]) -> None:
    """C5: pends that share a line keep the order of the decisions."""
    assert unfold_jobs(fold_jobs(ids)) == tuple(format_job_id(*each) for each in ids)


@given(st.text("0123[]-,: ", max_size=10))
def test_any_text_is_a_list_of_jobs_or_refused(text: str) -> None:
    """S6: never another exception."""
    for read in (unfold_jobs, submitted_ids, job_id):
        assert _said(lambda read=read: read(text))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "column 1: expected a job id, found the end"),
        ("4,", "column 3: expected a job id, found the end"),
        ("4-2", "column 3: expected a number of 4 or more, found 2"),
        ("4 5", "column 2: expected ',' or the end, found ' '"),
        ("12[]", "column 4: expected a number, found the end"),
        ("1-2[3]", "column 4: expected ',' or the end, found '['"),
        ("1-999999999", "expected at most 1000000 jobs, found more"),
    ],
)
def test_what_is_said_of_a_list_of_jobs(text: str, what: str) -> None:
    """S6: the column, and what was expected there."""
    with pytest.raises(FieldError) as caught:
        unfold_jobs(text)
    assert str(caught.value) == what


def test_job_ids_are_canonical() -> None:
    """C1: a number, a text and leading zeros name the same job."""
    assert job_id(7) == job_id("007") == "7"
    assert job_id("012[03]") == "12[3]"
    for value in (True, -1, 1.5, "1[2", None, "9" * 19, 10**18):
        with pytest.raises(FieldError, match="expected a job id such as 12 or 12"):
            job_id(value)


def test_a_long_list_of_names_is_read_in_no_time() -> None:
    """S8: and the second of two alike is told with its place."""
    many = [f"user{number}" for number in range(32_000)]
    few = many[:2_000]
    assert names(many) == tuple(many)
    assert grows_by(lambda: names(few), lambda: names(many)) < 64  # 16 x 16 if quadratic
    with pytest.raises(FieldError, match=r'^\[32001\]: "user7" stands twice$'):
        names([*many, "user7", "user8"])
