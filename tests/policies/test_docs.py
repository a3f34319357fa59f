"""What the pages say is so: the example runs, the hook reference is current."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.cli.command import run_command


def code_blocks(page: Path) -> list[str]:
    """The Python on a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_the_policy_of_the_page_works(root: Path, tmp_path: Path) -> None:
    """P5, P1: the whole example, as it stands there, as a file; its keys are in the trace."""
    example = code_blocks(root / "docs" / "policies.md")[0]
    assert len(example.splitlines()) <= 45
    path = tmp_path / "shortest.py"
    path.write_text(example)
    log = root / "fixtures" / "backfill.swf"
    given = ("--sim", log, "-p", path, "--policy", "shortest")
    headless = run_command(*given)
    assert (headless.returncode, headless.stderr) == (0, "")
    commands = ("-i", "--batch", "--ex", "trace on job 5", "--ex", "continue")
    assert " requested 500 s" in run_command(*given, *commands).stdout


def test_the_easy_of_the_page_is_the_one_of_the_plugin(root: Path) -> None:
    """P5: what is explained is what runs."""
    shown = code_blocks(root / "docs" / "policies.md")[1]
    plugin = (root / "fixtures" / "plugins" / "easy" / "xce_easy.py").read_text()
    code = "\n".join(line for line in plugin.splitlines() if '"""Start jobs in order' not in line)
    assert shown in code + "\n"


def test_the_hook_reference_is_up_to_date(root: Path) -> None:
    """P3: docs/hooks.md is what docs/make_hooks.py makes of the specifications."""
    command = [sys.executable, str(root / "docs" / "make_hooks.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run docs/make_hooks.py"


def test_every_hook_says_when_it_is_called_and_what_it_is_given(root: Path) -> None:
    """P3: each specification has a text, and a word on each argument."""
    page = (root / "docs" / "hooks.md").read_text(encoding="utf-8")
    hooks = re.findall(r"^### (\w+)\n\n```python\n(.*?)```\n\n(.*?)(?=^##|\Z)", page, re.M | re.S)
    assert len(hooks) > 30
    for name, signature, text in hooks:
        assert text.strip(), name
        for argument in re.findall(r"(\w+): ", signature):
            assert f"- `{argument}`: " in text, (name, argument)


def test_plugins_use_nothing_that_is_not_public(root: Path) -> None:
    """P5: the fixtures import the public module and the standard library alone."""
    for path in sorted((root / "fixtures" / "plugins").glob("*/*.py")):
        modules = re.findall(r"^(?:from|import) (xce\w*[.\w]*)", path.read_text(), re.MULTILINE)
        allowed = {"xce_core.api", "xce_core.no_such_module"}
        assert set(modules) <= allowed, path
        assert "._" not in path.read_text().replace("self._", ""), path
