"""What a plugin must keep to: it is held against all hook specifications before it is taken."""

from __future__ import annotations

import re
from collections.abc import Iterable
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE
from typing import Any

import pluggy

from xce_core.hookspecs import API_VERSION, PROJECT, PolicySpecs, ReaderSpecs, SeamSpecs
from xce_core.suggestions import did_you_mean

NEEDED_VERSION = "XCE_API_VERSION"
"""The attribute of a plugin that says which version of the hook interface it was written for."""

REPL_PREFIX = "xce_repl_"
"""Hooks whose names begin so are specified by the REPL, and checked when it is there."""


class Rules:
    """Judges plugins, by a plugin manager of its own on which nothing is ever called.

    So a plugin meets the same rules whether the seams are switched on or not, and one that
    breaks them leaves no trace in the manager that is used.
    """

    def __init__(self) -> None:
        self._trial = pluggy.PluginManager(PROJECT)
        self._known: list[str] = []
        self._repl = False
        for specs in (PolicySpecs, ReaderSpecs, SeamSpecs):
            self._specify(specs)

    def add(self, repl: type) -> None:
        """From now on hooks of a REPL are judged too."""
        self._specify(repl)
        self._repl = True

    def _specify(self, specs: type) -> None:
        self._trial.add_hookspecs(specs)
        self._known += specified(specs)

    def fault(self, name: str, plugin: Any) -> str:
        """The first rule that *plugin* breaks, in words; empty if it keeps to all."""
        needed = getattr(plugin, NEEDED_VERSION, API_VERSION)
        if needed != API_VERSION:
            return f"needs hook interface {needed}; this one is {API_VERSION}"
        try:
            self._trial.register(plugin, name)
            unknown = min(self._unknown(plugin), default="")
            never_called = min(filter(None, self._never_called(plugin)), default="")
        except pluggy.PluginValidationError as error:
            return _in_words(error)
        finally:
            if self._trial.is_registered(plugin):
                self._trial.unregister(plugin)
        if not unknown:
            return never_called
        return f"implements an unknown hook {unknown}{did_you_mean(unknown, self._known)}"

    def beside(self, plugin: Any, specs: type) -> str:
        """The first hook of *plugin* that *specs* does not have; empty if there is none."""
        hooks = (name for name in dir(plugin) if self._trial.parse_hookimpl_opts(plugin, name))
        return min(set(hooks) - set(specified(specs)), default="")

    def _unknown(self, plugin: Any) -> Iterable[str]:
        for caller in self._trial.get_hookcallers(plugin) or ():
            if caller.has_spec() or (caller.name.startswith(REPL_PREFIX) and not self._repl):
                continue
            if any(not impl.optionalhook for impl in caller.get_hookimpls()):
                yield caller.name

    def _never_called(self, plugin: Any) -> Iterable[str]:
        """What keeps an implementation from being called as it expects; empty for each good one."""
        for caller in self._trial.get_hookcallers(plugin) or ():
            for impl in caller.get_hookimpls():
                facts = caller.spec.argnames if caller.spec is not None else ()
                if why := _misfit(impl, facts):
                    yield f"{caller.name}: {why}"


def _misfit(impl: Any, facts: Iterable[str]) -> str:
    """Why an implementation can't be called with the facts that it takes, by position."""
    if impl.hookwrapper or impl.wrapper:
        return "wrappers are not supported; a hook is called, and nothing is called inside it"
    function = impl.function
    code = getattr(function, "__code__", None)
    if code is None:  # some other callable, which takes what it takes
        return ""
    if code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR):
        return "expected a plain function, found an async one"
    names = code.co_varnames[: code.co_argcount]
    defaults = names[code.co_argcount - len(function.__defaults__ or ()) :]
    if preset := [name for name in defaults if name in facts]:
        return f"{preset[0]} has a default, which would always be used; leave it out"
    by_keyword = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    if missing := [name for name in by_keyword if name not in (function.__kwdefaults__ or {})]:
        return f"{missing[0]} can be given by keyword only; hooks are called by position"
    return ""


def specified(specs: type) -> list[str]:
    """The names of the hooks that *specs* specifies."""
    return [name for name in vars(specs) if name.startswith(f"{PROJECT}_")]


def _in_words(error: pluggy.PluginValidationError) -> str:
    hook = re.search(r"hook '(\w+)'", str(error))
    what = str(error).strip().splitlines()[-1]
    return f"{hook[1]}: {what}" if hook else what
