"""Promises about the source tree itself: its imports, its commands, its coverage."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGES = ("xce_core", "xce_plugins", "xce_repl")

# Who may not import whom; each may import from itself.
ONE_WAY = {
    "xce_core": ("xce_repl", "xce_plugins"),
    "xce_core.model": ("xce_core",),
    "xce_core.sched": ("xce_core.sim", "xce_core.cli", "xce_core.plugins"),
    "xce_core.sim": ("xce_core.cli",),
    "xce_repl": ("xce_plugins",),
}

# Modules that do input or output, read a clock, or are a source of chance.
IMPURE = frozenset(
    "asyncio click io multiprocessing os pathlib random secrets shutil socket subprocess tempfile"
    " threading time uuid".split()
)
IMPURE_CALLS = frozenset({"open", "print", "input"})
IMPURE_ATTRIBUTES = {
    "datetime": {"now", "utcnow", "today"},
    "date": {"today"},
    "sys": {"stdin", "stdout", "stderr"},
}

# How many requirements each section has: R1.1..R1.12, R2.1..R2.5, ..., C1..C8, ...
LAST_OF_R = (12, 5, 6, 9, 10, 4, 11, 7, 6, 6, 4)
LAST_OF = {"C": 8, "S": 9, "P": 5, "I": 4}
REQUIREMENTS = frozenset(
    f"{section}{number}"
    for section, last in [
        *((f"R{part}.", last) for part, last in enumerate(LAST_OF_R, 1)),
        *LAST_OF.items(),
    ]
    for number in range(1, last + 1)
)

# Requirements that no test names yet. A test that names one takes it off this list.
PENDING: frozenset[str] = frozenset()


class Import(NamedTuple):
    """One imported module, and where."""

    importer: str
    module: str
    place: str


def sources(root: Path, folders: tuple[str, ...] = PACKAGES) -> Iterator[tuple[Path, ast.Module]]:
    """Every module below *folders*, parsed."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(root: Path) -> Iterator[Import]:
    """Every import of the packages, wherever in a module it stands."""
    for path, tree in sources(root):
        where = path.relative_to(root).with_suffix("").parts
        package = where[:-1]
        importer = ".".join(package if where[-1] == "__init__" else where)
        for node in ast.walk(tree):
            for module in _modules(node, package):
                yield Import(importer, module, f"{path.relative_to(root)}:{node.lineno}")


def _modules(node: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else ()
        module = ".".join((*base, *filter(None, [node.module])))
        yield from (f"{module}.{alias.name}" for alias in node.names)


def inside(module: str, package: str) -> bool:
    """Whether *module* is *package* or below it."""
    return f"{module}.".startswith(f"{package}.")


def test_nothing_logs(root: Path) -> None:
    """No module imports logging or structlog."""
    found = [
        each for each in imports(root) if each.module.split(".")[0] in {"logging", "structlog"}
    ]
    assert found == []


@pytest.mark.parametrize("package", ONE_WAY)
def test_imports_go_one_way(root: Path, package: str) -> None:
    """C8: the core imports neither the REPL nor a plugin, and its rooms only what is below."""
    found = [
        each
        for each in imports(root)
        if inside(each.importer, package)
        and not inside(each.module, package)
        and any(inside(each.module, banned) for banned in ONE_WAY[package])
    ]
    assert found == []


@pytest.mark.parametrize("room", ["xce_core/model", "xce_core/sched"])
def test_the_core_does_no_input_or_output(root: Path, room: str) -> None:
    """C8: no files, no printing, no clock, no chance."""
    found = [
        each
        for each in imports(root)
        if inside(each.importer, room.replace("/", ".")) and each.module.split(".")[0] in IMPURE
    ]
    assert found == []
    touched = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path, tree in sources(root, (room,))
        for node in ast.walk(tree)
        if _is_impure(node)
    ]
    assert touched == []


def _is_impure(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in IMPURE_CALLS
        case ast.Attribute(value=ast.Name(id=owner) | ast.Attribute(attr=owner), attr=name):
            return name in IMPURE_ATTRIBUTES.get(owner, ())
    return False


def test_the_check_script_runs_the_test_command_of_the_readme(root: Path) -> None:
    """The README's second command and the script's are the same text."""
    blocks = re.findall(r"```sh\n(.*?)```", (root / "README.md").read_text(), re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if "bin/pytest" in line]
    assert len(commands) == 1
    script = (root / ".ci" / "run").read_text().splitlines()
    assert f"{commands[0]} || exit" in script


def named_requirements(root: Path) -> dict[str, str]:
    """Each requirement that the docstring of a test names, and one such test."""
    named: dict[str, str] = {}
    for path, tree in sources(root, ("tests",)):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for word in re.findall(
                    r"\b(?:R\d+\.\d+|[CSPI]\d+)\b", ast.get_docstring(node) or ""
                ):
                    named.setdefault(word, f"{path.name}: {node.name}")
    return {word: test for word, test in named.items() if word in REQUIREMENTS}


def test_every_requirement_is_named_by_a_test_or_known_to_be_pending(root: Path) -> None:
    """A requirement is covered when a test says so; the list of the rest stays true."""
    named = named_requirements(root)
    assert not PENDING - REQUIREMENTS, "no such requirement"
    assert not REQUIREMENTS - PENDING - set(named), "named by no test"
    no_longer = {word: test for word, test in named.items() if word in PENDING}
    assert not no_longer, f"take off PENDING: {no_longer}"
