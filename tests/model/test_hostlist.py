"""Host lists and number ranges: folding, unfolding, and their errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xce_core.model.hostlist import HostListError, fold, unfold
from xce_core.model.ranges import (
    RangeError,
    fold_in_order,
    fold_numbers,
    fold_texts,
    unfold_numbers,
)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["login"], "login"),
        (["n01", "n02", "n03", "n07", "login"], "n[01-03,07],login"),
        (["login", "n2", "n1", "n2", "login"], "login,n[1-2]"),
        (["b1", "a1", "b2", "a2"], "b[1-2],a[1-2]"),
        (["n9", "n10", "n08", "n09", "n099", "n100"], "n[9,08-10,099-100]"),
        (["n1", "n01"], "n[1,01]"),
        (["n1-ib", "n2-ib", "n1"], "n[1-2]-ib,n1"),
        (["cpn-f13-03-01", "cpn-f13-03-02"], "cpn-f13-03-[01-02]"),
        (["1", "2", "3"], "[1-3]"),
        (["n" + "9" * 30, "n" + "8" * 30], f"n{'9' * 30},n{'8' * 30}"),
    ],
)
def test_names_fold(names: list[str], text: str) -> None:
    """C1: hosts fold by prefix in first-seen order and keep their zero padding."""
    assert fold(names) == text
    assert sorted(set(names)) == sorted(unfold(text))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (" ", []),
        ("n[01-03,07]", ["n01", "n02", "n03", "n07"]),
        ("cpn-f13-03-[01-02]", ["cpn-f13-03-01", "cpn-f13-03-02"]),
        ("d13n[03,05,07-08,16]", ["d13n03", "d13n05", "d13n07", "d13n08", "d13n16"]),
        ("n[1-2]-ib", ["n1-ib", "n2-ib"]),
        ("r[1-2]n[1-3]", ["r1n1", "r1n2", "r1n3", "r2n1", "r2n2", "r2n3"]),
        ("a, b,[8-10]", ["a", "b", "8", "9", "10"]),
        ("n[08-10],n[099-100]", ["n08", "n09", "n10", "n099", "n100"]),
        ("n[1-5:2],n1", ["n1", "n3", "n5", "n1"]),
    ],
)
def test_lists_unfold(text: str, names: list[str]) -> None:
    """C1: brackets expand in the order written, the last one fastest."""
    assert unfold(text) == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",a", "column 1: expected a name, found ','"),
        ("a,", "column 3: expected a name, found the end"),
        ("a b", "column 3: expected ',' or the end, found 'b'"),
        ("n]", "column 2: expected ',' or the end, found ']'"),
        ("n[1", "column 4: expected ']', found the end"),
        ("n[]", "column 3: expected a number, found ']'"),
        ("n[1,]", "column 5: expected a number, found ']'"),
        ("n[1-]", "column 4: expected two numbers around '-', found '-'"),
        ("n[-2]", "column 3: expected a number, found '-'"),
        ("n[1;2]", "column 4: expected ',' or ']', found ';'"),
        ("n[[1]]", "column 3: expected a number, found '['"),
        ("n[3-2]", "column 5: expected a number of 3 or more, found 2"),
        ("n[1-03]", "column 5: expected as many digits as in 1, found 03"),
        ("n[1-3:0]", "column 7: expected a step of 1 or more, found 0"),
        (f"n[{'9' * 19}]", "column 3: expected a number of at most 18 digits, found a longer one"),
        ("a,n[1-999999999999]", "column 3: expected at most 1000000 names, found more"),
        ("[1-2]" * 60, "column 1: expected at most 1000000 names, found more"),
        ("x" * 250 + "[1-999999]", "column 1: expected a name of 1 to 255 characters, "
         "found up to 256"),
    ],
)  # fmt: skip
def test_a_bad_list_names_the_column(text: str, message: str) -> None:
    """S6: what is wrong and where; a huge range is an error, not a memory blow-up."""
    with pytest.raises(HostListError) as caught:
        unfold(text)
    assert str(caught.value) == message
    assert message.startswith(f"column {caught.value.column}: expected {caught.value.expected}")


@pytest.mark.parametrize(("text", "count"), [("n[1-3]", 3), ("a,b,n[1-3]", 5)])
def test_the_limit_is_exact(text: str, count: int) -> None:
    """S8: a stated limit on what an input may expand to, over the whole list."""
    assert len(unfold(text, limit=count)) == count
    with pytest.raises(HostListError):
        unfold(text, limit=count - 1)


@pytest.mark.parametrize("name", ["", "a,b", "n[1", "n]", "a b", "a\n", "n\u00a01", "x" * 256])
def test_an_ambiguous_name_does_not_fold(name: str) -> None:
    """C1: what could not be unfolded again is refused."""
    with pytest.raises(HostListError, match="expected a name"):
        fold(["n1", name])


NAMES = st.text(alphabet="ab019-.", min_size=1, max_size=6) | st.builds(
    "{}{:0{}}{}".format,
    st.sampled_from(["n", "a-", "r1n", ""]),
    st.integers(0, 120),
    st.integers(1, 3),
    st.sampled_from(["", "", "-ib"]),
)


@given(st.lists(NAMES | st.text(min_size=1).filter(lambda text: not any(
    sign in ",[]" or sign.isspace() for sign in text))))  # fmt: skip
def test_folding_loses_nothing(names: list[str]) -> None:
    """C1: unfold(fold(x)) is x as a set, each name once, and the same for any order."""
    again = unfold(fold(names))
    assert sorted(again) == sorted(set(names))
    assert fold(again) == fold(names)


@given(st.text(alphabet="n[]0123-,: ") | st.text())
def test_any_text_unfolds_or_is_an_error_of_its_own(text: str) -> None:
    """S6: no other exception, and a column inside the text or just behind it."""
    assert 1 <= error_column(unfold, HostListError, text) <= len(text) + 1
    assert 1 <= error_column(unfold_numbers, RangeError, text) <= len(text) + 1


def error_column(
    call: Callable[[str, int], object],
    kind: type[HostListError] | type[RangeError],
    text: str,
) -> int:
    """The column of the error that *call* gives; 1 for none."""
    try:
        call(text, 1000)
    except kind as error:
        return error.column
    return 1


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([7, 1, 2, 3, 12, 10, 11, 9, 9], "1-3,7,9-12"),
        ([0], "0"),
        ([98, 99, 100], "98-100"),
    ],
)
def test_numbers_fold(numbers: list[int], text: str) -> None:
    """C1: the elements of a job array as ranges."""
    assert fold_numbers(numbers) == text
    assert unfold_numbers(text) == sorted(set(numbers))


@pytest.mark.parametrize("number", [-1, 10**18])
def test_numbers_out_of_range_do_not_fold(number: int) -> None:
    """C1: what could not be unfolded again is refused."""
    with pytest.raises(ValueError, match="expected numbers from 0 up"):
        fold_numbers([1, number])


def test_numbers_unfold_with_a_step() -> None:
    """C1: the step of a job array, in the order written."""
    assert unfold_numbers("1-9:2, 4,0-10:5") == [1, 3, 5, 7, 9, 4, 0, 5, 10]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,,2", "column 3: expected a number, found ','"),
        ("1-3, x", "column 6: expected a number, found 'x'"),
        ("1:2", "column 2: expected a range and a step around ':', found ':'"),
        ("5-1", "column 3: expected a number of 5 or more, found 1"),
        ("1,", "column 3: expected a number, found the end"),
        ("0-999999999999", "column 1: expected at most 1000000 numbers, found 1000000000000"),
    ],
)
def test_bad_ranges_name_the_column(text: str, message: str) -> None:
    """S6: what is wrong and where."""
    with pytest.raises(RangeError) as caught:
        unfold_numbers(text)
    assert str(caught.value) == message


@given(st.lists(st.integers(0, 60) | st.integers(0, 10**18 - 1)))
def test_folding_numbers_loses_nothing(numbers: list[int]) -> None:
    """C1: unfold_numbers(fold_numbers(x)) is x, sorted, each once."""
    assert unfold_numbers(fold_numbers(numbers)) == sorted(set(numbers))


@given(st.lists(st.integers(0, 120), max_size=12))
def test_numbers_are_folded_in_the_order_given_as_their_texts_are(numbers: list[int]) -> None:
    """C2: what counts on is joined, across a new digit too, and nothing is sorted."""
    assert fold_in_order(numbers) == fold_texts([str(number) for number in numbers])
    assert fold_in_order([7, 8, 9, 10, 12, 11, 5]) == "7-10,12,11,5"
    assert fold_in_order([]) == ""
