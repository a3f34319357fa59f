"""Removing the seam statements leaves the algorithm and nothing else."""

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from bench.strip_seams import NotASeam, strip, strip_tree

WITH_SEAMS = dedent("""\
    def fill(hosts, ledger, watch):
        for host in hosts:
            unmet = check(host)  # kept
            if watch is not None:
                watch.host_checked(
                    host, unmet
                )
            if not unmet and self.watch is not None:
                return True
            if self._watch: self._watch.done()
            if core.seams is not None and wanted(job):
                if watch:
                    watch.began()
        else:
            if watch:
                watch.ended()
        return watch
    """)
WITHOUT = dedent("""\
    def fill(hosts, ledger, watch):
        for host in hosts:
            unmet = check(host)  # kept
            if not unmet and self.watch is not None:
                return True
        else:
            pass
        return watch
    """)


def test_only_seam_statements_go() -> None:
    """A gate that is not the first condition decides something, and stays."""
    stripped, count = strip(WITH_SEAMS)
    assert count == 4
    assert ast.dump(ast.parse(stripped)) == ast.dump(ast.parse(WITHOUT))


def test_line_numbers_stay() -> None:
    """A traceback in the stripped copy points to the same line."""
    assert strip(WITH_SEAMS)[0].count("\n") == WITH_SEAMS.count("\n")


@pytest.mark.parametrize(
    "source",
    [
        "if watch:\n    a()\nelse:\n    b()\n",
        "if x:\n    a()\nelif watch is not None:\n    b()\n",
    ],
)
def test_a_seam_that_chooses_is_refused(source: str) -> None:
    """An else would be lost with it."""
    with pytest.raises(NotASeam, match=r"^here\.py:\d: a seam has no else"):
        strip(source, "here.py")


def test_a_package_is_stripped_in_place(tmp_path: Path) -> None:
    """Modules of subpackages count too; others keep their bytes."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.py").write_text("if watch:\n    watch.x()\nb = 1\n")
    (tmp_path / "c.py").write_text("c = 2\n")
    assert strip_tree(tmp_path) == 1
    assert (tmp_path / "sub" / "a.py").read_text() == "\n\nb = 1\n"
    assert (tmp_path / "c.py").read_text() == "c = 2\n"


def test_the_core_can_be_stripped(root: Path) -> None:
    """No seam of the core chooses, and what is left still compiles."""
    for path in sorted((root / "xce_core").rglob("*.py")):
        compile(strip(path.read_text(encoding="utf-8"), str(path))[0], str(path), "exec")
