"""Finding, loading and registering plugins; switching the seam specifications on."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from xce_core.hookspecs import PROJECT, PolicySpecs, ReaderSpecs, SeamSpecs
from xce_core.sched.allocator import describe
from xce_core.sched.policy import Policy

GROUP = "xce.plugins"
"""The entry point group of installed plugins."""

REPL_PREFIX = "xce_repl_"
"""Hooks whose names begin so are specified by the REPL, and checked when it is there."""


class PluginError(Exception):
    """A plugin that was asked for by name can't be used.

    :param name: as the user named it.
    """

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"plugin {name}: {why}")
        self.name = name
        self.why = why


@dataclass(frozen=True, slots=True)
class Found:
    """One plugin for the list of plugins.

    :param source: where it comes from: ``entry point``, ``module`` or ``file``.
    :param version: of the distribution that brings it; empty if it is in none.
    :param hooks: the hooks it implements; empty if it was not loaded.
    :param failure: why it can't be used; empty if it can.
    """

    name: str
    source: str
    version: str
    hooks: tuple[str, ...]
    failure: str = ""

    @property
    def kind(self) -> str:
        """What it is for, by the hooks it implements."""
        kinds = [
            word
            for word, names in _KINDS.items()
            if any(hook in names or (hook.startswith(REPL_PREFIX) and word == "repl")
                   for hook in self.hooks)
        ]
        return ", ".join(kinds)


def _names(specs: type) -> frozenset[str]:
    return frozenset(name for name in vars(specs) if name.startswith(f"{PROJECT}_"))


_KINDS = {
    "policy": _names(PolicySpecs),
    "reader": _names(ReaderSpecs),
    "watcher": _names(SeamSpecs),
    "repl": frozenset[str](),
}
_KNOWN = frozenset[str]().union(*_KINDS.values())


@dataclass(slots=True)
class Plugins:
    """The plugins of one run.

    :param autoload: whether installed plugins are looked for where nobody named them.
    :param blocked: names of plugins that must not be loaded.
    :param warn: told, in a line, of a broken plugin that nobody asked for.
    """

    autoload: bool = True
    blocked: frozenset[str] = frozenset()
    warn: Callable[[str], None] = lambda text: None
    manager: pluggy.PluginManager = field(default_factory=lambda: pluggy.PluginManager(PROJECT))
    failures: dict[str, str] = field(default_factory=dict)
    _sources: dict[str, tuple[str, str]] = field(default_factory=dict)
    _entries: dict[str, EntryPoint] | None = None

    def __post_init__(self) -> None:
        self.manager.add_hookspecs(PolicySpecs)
        self.manager.add_hookspecs(ReaderSpecs)

    def switch_seams_on(self) -> None:
        """Register the seam specifications; only the interactive simulator does."""
        self.manager.add_hookspecs(SeamSpecs)

    # Loading.

    def entries(self) -> dict[str, EntryPoint]:
        """Installed plugins by name, those blocked left out, in order of their names."""
        if self._entries is None:
            found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
            self._entries = {e.name: e for e in found if e.name not in self.blocked}
        return self._entries

    def load(self, name: str) -> None:
        """Load the plugin that the user named: installed, a module, or a Python file.

        :raises PluginError: if it can't be loaded or breaks the rules.
        """
        try:
            if name.endswith(".py") or "/" in name:
                self._register(Path(name).stem, _from_file(name), "file", "")
            elif name in self.entries():
                self.load_entry(name)
            elif name not in self.blocked:
                self._register(name, importlib.import_module(name), "module", "")
        except PluginError:
            raise
        except Exception as error:
            raise PluginError(name, describe(error)) from error

    def load_entry(self, name: str) -> None:
        """Load an installed plugin, if it is not loaded yet.

        :raises Exception: whatever its code raises.
        """
        if self.manager.get_plugin(name) is None:
            entry = self.entries()[name]
            version = entry.dist.version if entry.dist is not None else ""
            self._register(name, entry.load(), "entry point", version)

    def load_all(self) -> None:
        """Load every installed plugin; a broken one is named in a warning and left out."""
        if not self.autoload:
            return
        for name in self.entries():
            if name in self.failures:
                continue
            try:
                self.load_entry(name)
            except Exception as error:
                why = error.why if isinstance(error, PluginError) else describe(error)
                self.failures[name] = why
                self.warn(f"plugin {name} is left out: {why}")

    def _register(self, name: str, plugin: Any, source: str, version: str) -> None:
        if name in self.blocked or self.manager.get_plugin(name) is not None:
            return
        self.manager.register(plugin, name)
        unknown = sorted(set(self._unknown(plugin)))
        if unknown:
            self.manager.unregister(plugin)
            near = get_close_matches(unknown[0], _KNOWN, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise PluginError(name, f"implements an unknown hook {unknown[0]}{hint}")
        self._sources[name] = (source, version)

    def _unknown(self, plugin: Any) -> Iterable[str]:
        for caller in self.manager.get_hookcallers(plugin) or ():
            if caller.has_spec() or caller.name in _KNOWN or caller.name.startswith(REPL_PREFIX):
                continue
            if any(i.plugin is plugin and not i.optionalhook for i in caller.get_hookimpls()):
                yield caller.name

    # What they contribute.

    def policy(self, name: str) -> Policy:
        """A new policy of that name, loading no more plugins than are needed to find it.

        :raises PluginError: if no plugin offers it, or its class fails.
        """
        offered = self._policies()
        if name not in offered and self.autoload and name in self.entries():
            self._load_for(name)
            offered = self._policies()
        if name not in offered:
            self.load_all()
            offered = self._policies()
        if name not in offered:
            near = get_close_matches(name, offered, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise PluginError(name, f"no plugin offers a policy of this name{hint}")
        try:
            return offered[name]()
        except Exception as error:
            raise PluginError(name, describe(error)) from error

    def _load_for(self, name: str) -> None:
        try:
            self.load_entry(name)
        except PluginError:
            raise
        except Exception as error:
            raise PluginError(name, describe(error)) from error

    def _policies(self) -> dict[str, type[Policy]]:
        offered: dict[str, type[Policy]] = {}
        owner: dict[str, str] = {}
        for plugin, policies in self.contributions("xce_policies"):
            for name, policy in policies.items():
                if name in offered:
                    why = f"offers policy {name}, which {owner[name]} offers too"
                    raise PluginError(plugin, why)
                offered[name], owner[name] = policy, plugin
        return offered

    def contributions(self, hook: str) -> list[tuple[str, Any]]:
        """What each plugin gives for a hook that collects, in order of the plugins' names.

        :raises PluginError: if one raises.
        """
        found = []
        for impl in getattr(self.manager.hook, hook).get_hookimpls():
            try:
                answer = impl.function()
            except Exception as error:
                raise PluginError(impl.plugin_name, f"{hook}: {describe(error)}") from error
            if answer is not None:
                found.append((impl.plugin_name, answer))
        return sorted(found, key=lambda pair: pair[0])

    # Listing.

    def found(self) -> list[Found]:
        """Every plugin that is loaded, or installed and broken, by name."""
        rows = [self._row(name, plugin) for name, plugin in self.manager.list_name_plugin()]
        rows += [Found(name, "entry point", "", (), why) for name, why in self.failures.items()]
        return sorted(rows, key=lambda row: row.name)

    def _row(self, name: str, plugin: Any) -> Found:
        source, version = self._sources.get(name, ("", ""))
        hooks = sorted(caller.name for caller in self.manager.get_hookcallers(plugin) or ())
        return Found(name, source, version, tuple(hooks))


def split_names(names: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """The plugins asked for, and those that must not be loaded (given as ``no:NAME``)."""
    wanted = [name for name in names if not name.startswith("no:")]
    return wanted, frozenset(name[3:] for name in names if name.startswith("no:"))


def _from_file(path: str) -> ModuleType:
    """The module in a Python file.

    :raises PluginError: if there is no such file.
    """
    if not Path(path).is_file():
        raise PluginError(path, "there is no such file")
    name = f"xce_plugin_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(path, "it is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
