"""Remove the seam statements from a copy of the core, to measure what they cost.

usage: python -m bench.strip_seams PACKAGE_DIR

A seam statement is an `if` whose test is a gate: a name or attribute `watch` or
`seams` (a leading underscore does not matter), bare or as `... is not None`,
alone or as the first of several conditions joined by `and`. Whole lines are
blanked in place, so line numbers stay; a block that would be left empty gets
`pass`. A seam with an `else` has a say in what happens, and is refused.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import click

GATES = frozenset({"watch", "seams"})


class NotASeam(Exception):
    """A gate guards more than an announcement."""


def strip(source: str, name: str = "<source>") -> tuple[str, int]:
    """The *source* without its seam statements, and how many there were."""
    lines = source.splitlines(keepends=True)
    count = 0
    for block in _blocks(ast.parse(source, name)):
        seams = [statement for statement in block if _is_seam(statement)]
        for seam in seams:
            _check(seam, lines, name)
            _blank(seam, lines)
        if seams and len(seams) == len(block):
            first = seams[0]
            lines[first.lineno - 1] = " " * first.col_offset + "pass\n"
        count += len(seams)
    return "".join(lines), count


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every statement list outside seams, whose insides go with them."""
    for _, value in ast.iter_fields(node):
        children = value if isinstance(value, list) else [value]
        if children and isinstance(children[0], ast.stmt):
            yield children
        for child in children:
            if isinstance(child, ast.AST) and not _is_seam(child):
                yield from _blocks(child)


def _is_seam(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and _is_gate(node.test)


def _is_gate(test: ast.expr) -> bool:
    match test:
        case ast.BoolOp(op=ast.And(), values=[first, *_]):
            return _is_gate(first)
        case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return _is_gate(left)
        case ast.Name(id=word) | ast.Attribute(attr=word):
            return word.lstrip("_") in GATES
    return False


def _check(seam: ast.stmt, lines: list[str], name: str) -> None:
    is_elif = lines[seam.lineno - 1][seam.col_offset :].startswith("elif")
    if is_elif or getattr(seam, "orelse", None):
        raise NotASeam(f"{name}:{seam.lineno}: a seam has no else and is no elif")


def _blank(seam: ast.stmt, lines: list[str]) -> None:
    for number in range(seam.lineno - 1, seam.end_lineno or seam.lineno):
        lines[number] = "\n"


def strip_tree(package: Path) -> int:
    """Strip every module below *package* in place; the number of seams removed."""
    total = 0
    for path in sorted(package.rglob("*.py")):
        stripped, count = strip(path.read_text(encoding="utf-8"), str(path))
        if count:
            path.write_text(stripped, encoding="utf-8")
        total += count
    return total


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("package", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(package: Path) -> None:
    """Strip PACKAGE in place; give it a copy."""
    try:
        click.echo(f"{strip_tree(package)} seam statements removed")
    except NotASeam as refusal:
        raise click.ClickException(str(refusal)) from None


if __name__ == "__main__":
    main()
