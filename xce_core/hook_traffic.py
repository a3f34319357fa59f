"""Hook traffic, told in a line for each call, for people who write plugins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from xce_core.model.jobs import Job
from xce_core.model.syntax import of_type
from xce_core.sched.faults import describe

_WIDTH = 60


def traced(impl: Any, hook: str, tell: Callable[[str], None]) -> Callable[..., Any]:
    """The function of a hook implementation, with every call told after it is done."""
    function, plugin, names = impl.function, impl.plugin_name, impl.argnames

    def call(*arguments: object) -> Any:
        given = ", ".join(
            f"{name}={shown(value)}" for name, value in zip(names, arguments, strict=True)
        )
        try:
            answer = function(*arguments)
        except BaseException as error:
            tell(f"{hook} [{plugin}] ({given}) raised {describe(error)}")
            raise
        result = "" if answer is None else f" -> {shown(answer)}"
        tell(f"{hook} [{plugin}] ({given}){result}")
        return answer

    return call


def shown(value: object) -> str:
    """A value in a few words: itself if it is plain, else what it is."""
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value)
    elif isinstance(value, Job):
        text = f"job {value.id}"
    elif isinstance(value, Enum):
        text = value.name
    elif isinstance(value, Mapping):
        text = f"{{{', '.join(map(str, value))}}}"
    elif isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        text = f"[{', '.join(map(shown, value))}]"
    else:
        text = getattr(value, "name", None) or of_type(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."
