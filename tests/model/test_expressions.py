"""Selection expressions: what they select, and where they are wrong."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xce_core.model.expressions import DEPTH_LIMIT, ExpressionError, parse_expression

HOST: dict[str, str | int | float | bool] = {
    "type": "gpu",
    "mem": 64 * 1024**3,
    "slots": 4,
    "load": 0.1,
    "spot": False,
    "ib": True,
    "rack-1.a": "x",
    "zone": "gpu",
    "empty": "",
    "zero": 0,
    "low": -2,
}


def selected(text: str) -> bool:
    return parse_expression(text).matches(HOST)


@pytest.mark.parametrize(
    "text",
    [
        'type == "gpu" && mem >= 32G || !defined(local)',
        "type == 'gpu'",
        "mem == 64G && mem == 64GB && mem == 64GiB && mem == 65536M && mem == 0.0625T",
        "load == 0.1 && load < 1 && slots == 4.0",
        "ib && !spot && !empty && !zero && !local && type",
        "ib == true && spot == false && true && !false",
        "type == zone",
        "rack-1.a == 'x'",
        "4 <= slots",
        "low == -2 && low < -1.5 && low>-2K && -2==low && low != 2 && -0 == zero && slots>-1",
        "type != 4 && ib != 1 && !(ib == 1)",
        "!(type < 4) && !(ib > false)",
        "!type == 'cpu'",
        "false && false || true",
        "true || false && false",
        "!(true || false && false) || 1 < 2",
        "defined(spot) && defined ( empty )",
        "!defined",
        r"'it\'s' == " + '"it' + "'" + 's"',
        r'"a\\b\"" == ' + r"'a\\b" + '"' + "'",
    ],
)
def test_what_is_selected(text: str) -> None:
    """C2: comparisons, logic, units, strings and names mean what the module says."""
    assert selected(text)


@pytest.mark.parametrize("symbol", ["==", "!=", "<", "<=", ">", ">="])
def test_an_undefined_name_compares_false(symbol: str) -> None:
    """C2: a comparison with an undefined name is false, whatever the comparison."""
    assert not selected(f"local {symbol} 1")
    assert not selected(f"type {symbol} local")
    assert not selected(f"local {symbol} elsewhere")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mem >= && a", "column 8: expected a value, found '&&'"),
        ("", "column 1: expected a value, found the end"),
        ("a &&", "column 5: expected a value, found the end"),
        ("a b", "column 3: expected a comparison, '&&', '||' or the end, found 'b'"),
        ("a = 1", "column 3: expected a comparison, '&&', '||' or the end, found '='"),
        ("a == 1 & b", "column 8: expected '&&', '||' or the end, found '&'"),
        ("(a) == 1", "column 5: expected '&&', '||' or the end, found '=='"),
        ("(a == 1", "column 8: expected '&&', '||' or ')', found the end"),
        ("(a", "column 3: expected a comparison, '&&', '||' or ')', found the end"),
        ("a)", "column 2: expected a comparison, '&&', '||' or the end, found ')'"),
        ("a < b < c", "column 7: expected '&&' or '||' (comparisons do not chain), found '<'"),
        ("mem > 3X", "column 7: expected a number, perhaps with a unit K, M, G, T or P, "
         "found '3X'"),
        ("a == 1.2.3 $", "column 6: expected a number, perhaps with a unit K, M, G, T or P, "
         "found '1.2.3'"),
        ('a == "x', 'column 8: expected a closing ", found the end'),
        ("'x' && a", "column 5: expected a comparison after 'x', found '&&'"),
        ("7", "column 2: expected a comparison after '7', found the end"),
        ("defined(1)", "column 9: expected the name of an attribute, found '1'"),
        ("defined(true)", "column 9: expected the name of an attribute, found 'true'"),
        ("defined(a b)", "column 11: expected ')', found 'b'"),
        ("a == - 1", "column 6: expected a value, found '-'"),
        ("a == --1", "column 6: expected a value, found '-'"),
        ("a -1", "column 3: expected a comparison, '&&', '||' or the end, found '-1'"),
        ("a == -" + "1" * 41, "column 6: expected a number of at most 40 digits, found "
         f"'-{'1' * 36}...'"),
        ("é", "column 1: expected a value, found 'é'"),
        ("a == " + "1" * 5000, "column 6: expected a number of at most 40 digits, found "
         f"'{'1' * 37}...'"),
    ],
)  # fmt: skip
def test_an_error_names_the_column(text: str, message: str) -> None:
    """C2: a clear error naming the column, what was expected and what was found."""
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert str(caught.value) == message
    assert message.startswith(f"column {caught.value.column}: expected {caught.value.expected}")


@pytest.mark.parametrize("opening", ["(", "!", "!("])
def test_nesting_is_bounded(opening: str) -> None:
    """C2: too deep is an error of its own, not a RecursionError; a long chain is fine."""
    deepest = DEPTH_LIMIT // len(opening)
    for times in (deepest, deepest + 1, 100_000):
        text = opening * times + "ib" + ")" * times * opening.count("(")
        if times == deepest:
            assert selected(text) == (opening.count("!") * times % 2 == 0)
            continue
        with pytest.raises(ExpressionError, match=f"at most {DEPTH_LIMIT} nested"):
            parse_expression(text)
    assert selected("(spot || ib && " * DEPTH_LIMIT + "ib" + ")" * DEPTH_LIMIT)
    assert selected(" || ".join(["spot && (ib)"] * 5000 + ["ib"]))
    assert selected("(ib || spot && ib) && " * 5000 + "ib")


def test_an_expression_is_a_value() -> None:
    """C2: parsed once; text is normalized, names are those looked at."""
    parsed = parse_expression("  !defined( local )&&(mem>=32G||  type!='a  b')  ")
    assert parsed.text == str(parsed) == "!defined(local) && (mem >= 32G || type != 'a  b')"
    assert parsed.names == {"local", "mem", "type"}
    assert parsed == parse_expression(parsed.text)
    assert hash(parsed) == hash(parse_expression(parsed.text))
    assert parse_expression("'mem' == type && true || defined").names == {"type", "defined"}


def test_an_expression_tells_what_it_compares() -> None:
    """C2: each side as written, with its place and its value; names have none."""
    parsed = parse_expression("mem>=2K&&!('a' == true || local) || 1.5 != defined")
    assert parsed.comparisons == (
        (("mem", 1, None), ("2K", 6, 2048)),
        (("'a'", 12, "a"), ("true", 19, True)),
        (("1.5", 37, 1.5), ("defined", 44, None)),
    )


# Against an independent evaluator.

Tree = tuple[Any, ...]
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NAMES = ["a", "b-1", "c.d", "defined", "true_"]
TEXTS = st.text(alphabet="ab\"'\\ &", max_size=3)
NUMBERS = st.integers(0, 3) | st.sampled_from([0.5, 2.5, 1024, 1536])
VALUES = st.booleans() | NUMBERS | TEXTS
OPERANDS = st.tuples(st.just("name"), st.sampled_from(NAMES)) | st.tuples(st.just("value"), VALUES)
LEAVES = st.one_of(
    st.tuples(st.just("compare"), st.sampled_from(sorted(COMPARE)), OPERANDS, OPERANDS),
    st.tuples(st.just("defined"), st.sampled_from(NAMES)),
    st.tuples(st.just("name"), st.sampled_from(NAMES)),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.sampled_from(["and", "or"]), inner, inner),
    ),
    max_leaves=12,
)


def spelled(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return {1024: "1K", 1536: "1.5KiB"}.get(value, str(value))  # type: ignore[call-overload, no-any-return]


def rendered(tree: Tree, level: int = 0) -> str:
    """The tree as text, with parentheses only where they are needed."""
    kind = tree[0]
    if kind in ("name", "defined"):
        return str(tree[1]) if kind == "name" else f"defined({tree[1]})"
    if kind == "value":
        return spelled(tree[1])
    if kind == "compare":
        return f"{rendered(tree[2])}{tree[1]}{rendered(tree[3])}"
    if kind == "not":
        return f"!{rendered(tree[1], 3)}" if tree[1][0] != "compare" else f"!({rendered(tree[1])})"
    own, sign = (2, "&&") if kind == "and" else (1, "||")
    text = f"{rendered(tree[1], own)} {sign} {rendered(tree[2], own)}"
    return f"({text})" if level > own else text


def evaluated(tree: Tree, host: dict[str, Any]) -> bool:
    kind = tree[0]
    if kind == "name":
        return bool(host.get(tree[1], False))
    if kind == "defined":
        return tree[1] in host
    if kind == "not":
        return not evaluated(tree[1], host)
    if kind in ("and", "or"):
        sides = [evaluated(side, host) for side in tree[1:]]
        return all(sides) if kind == "and" else any(sides)
    symbol, left, right = tree[1:]
    return compared(symbol, left, right, host)


def compared(symbol: str, left: Tree, right: Tree, host: dict[str, Any]) -> bool:
    sides = [host.get(side[1]) if side[0] == "name" else side[1] for side in (left, right)]
    if None in sides:
        return False
    kinds = {"number" if type(side) in (int, float) else type(side).__name__ for side in sides}
    if len(kinds) == 2:
        return symbol == "!="
    if kinds == {"bool"} and symbol not in ("==", "!="):
        return False
    return COMPARE[symbol](*sides)


@given(TREES, st.dictionaries(st.sampled_from(NAMES), VALUES))
def test_any_expression_means_what_its_tree_means(tree: Tree, host: dict[str, Any]) -> None:
    """C2: precedence and meaning agree with a plain evaluator."""
    parsed = parse_expression(rendered(tree))
    assert parsed.matches(host) == evaluated(tree, host)
    assert parse_expression(parsed.text) == parsed
    assert parse_expression(parsed.text).matches(host) == evaluated(tree, host)


@given(st.text(alphabet="ab1.-G \"'\\&|!<>=()defined\n") | st.text())
def test_any_text_parses_or_is_an_expression_error(text: str) -> None:
    """C2: no other exception, and a column inside the text or just behind it."""
    column = 1
    try:
        parse_expression(text).matches({"a": 1})
    except ExpressionError as error:
        column = error.column
    assert 1 <= column <= len(text) + 1
