#!/usr/bin/env python3
"""Write hooks.md, beside this file, from the docstrings of the hook specifications.

usage: python docs/make_hooks.py [--check]

With --check nothing is written; the status is 1 if the file is not up to date.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from xce_core.hookspecs import API_VERSION, PolicySpecs, ReaderSpecs, SeamSpecs
from xce_repl.hookspecs import ReplSpecs

PAGE = Path(__file__).with_name("hooks.md")

HEAD = f"""# The hooks

Version {API_VERSION} of the interface. This page is made from the specifications' docstrings by
`docs/make_hooks.py`; what is promised about them is in [promises.md](promises.md).

A plugin is a module, or an object, with functions of these names, each marked with
`xce_core.api.hookimpl`. An implementation takes those of the arguments that it wants, by name. The
name tells the kind: past tense announces, a plural noun collects contributions, a verb asks. A
hook that is not on this page is an error when the plugin is loaded, unless it is marked
`hookimpl(optionalhook=True)`. So are wrappers, `async` functions, and functions that give an
argument a default or take it by keyword only: they would not be called as they expect.
"""

GROUPS = (
    ("Contributions to scheduling", PolicySpecs),
    ("Contributions to reading inputs", ReaderSpecs),
    ("Decisions, as they are made", SeamSpecs),
    ("The interactive simulator", ReplSpecs),
)


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for group in GROUPS for line in group_lines(*group))])


def group_lines(title: str, specs: type) -> Iterator[str]:
    """The specifications of one class, in the order in which they are declared."""
    yield f"## {title}\n\n{text_of(specs)}\n"
    for name, hook in vars(specs).items():
        if name.startswith("xce_"):
            yield f"### {name}\n\n```python\n{signature(name, hook)}\n```\n\n{text_of(hook)}\n"


def signature(name: str, hook: object) -> str:
    """The head of a function, without ``self``; a long one has a line for each argument."""
    whole = inspect.signature(hook)  # type: ignore[arg-type]
    arguments = [each for each in whole.parameters.values() if each.name != "self"]
    given = [f"{each.name}: {each.annotation}" for each in arguments]
    answer = f" -> {whole.return_annotation}"
    line = f"{name}({', '.join(given)}){answer}"
    if len(line) <= 88:
        return line
    return f"{name}(\n{''.join(f'    {each},' + chr(10) for each in given)}){answer}"


def text_of(documented: object) -> str:
    """A docstring as Markdown: fields as a list, literals and references as code."""
    text = inspect.getdoc(documented) or ""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    text = re.sub(r"^:param (\w+): ", r"- `\1`: ", text, flags=re.MULTILINE)
    text = re.sub(r"^:returns: ", "- returns: ", text, flags=re.MULTILINE)
    text = re.sub(r"^:raises (\w+): ", r"- raises `\1`: ", text, flags=re.MULTILINE)
    return re.sub(r"^    ", "  ", text, flags=re.MULTILINE)


def main() -> int:
    """Write the page, or hold it against the specifications."""
    made = page()
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
