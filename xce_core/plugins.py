"""Finding, loading and registering plugins; switching the seam specifications on."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from xce_core.hook_traffic import traced
from xce_core.hookspecs import API_VERSION, PROJECT, PolicySpecs, ReaderSpecs, SeamSpecs
from xce_core.sched.allocator import describe
from xce_core.sched.policy import Policy

GROUP = "xce.plugins"
"""The entry point group of installed plugins."""

NEEDED_VERSION = "XCE_API_VERSION"
"""The attribute of a plugin that says which version of the hook interface it was written for."""

READERS = "xce.readers"
"""The entry point group that repeats those of them that read a format, by the same names."""

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
    :param failure: why it, or something in it, can't be used; empty if it can.
    :param provides: what it brings to a headless run, such as ``policy easy``.
    """

    name: str
    source: str
    version: str
    hooks: tuple[str, ...]
    failure: str = ""
    provides: tuple[str, ...] = ()

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
    :param traffic: told, in a line, of each call of a hook; None not to listen.
    :ivar failures: the plugins that were left out, and why.
    """

    autoload: bool = True
    blocked: frozenset[str] = frozenset()
    warn: Callable[[str], None] = lambda text: None
    traffic: Callable[[str], None] | None = None
    manager: pluggy.PluginManager = field(default_factory=lambda: pluggy.PluginManager(PROJECT))
    failures: dict[str, str] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
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
                self._ask_for(Path(name).stem, lambda: _from_file(name), "file")
            elif name in self.entries():
                self._asked.add(name)
                self.load_entry(name)
            elif name not in self.blocked:
                self._ask_for(name, lambda: importlib.import_module(name), "module")
        except PluginError:
            raise
        except (Exception, SystemExit) as error:
            raise PluginError(name, describe(error)) from error

    def _ask_for(self, name: str, get: Callable[[], Any], source: str) -> None:
        self._asked.add(name)
        if name not in self.blocked and self.manager.get_plugin(name) is None:
            self._register(name, get(), source)

    def load_entry(self, name: str) -> None:
        """Load an installed plugin, if it is not loaded yet.

        :raises PluginError: if two distributions bring a plugin of this name, or it breaks
            the rules.
        :raises Exception: whatever its code raises.
        """
        if self.manager.get_plugin(name) is not None:
            return
        bringing = sorted({_distribution(e) for e in entry_points(group=GROUP, name=name)})
        if len(bringing) > 1:
            raise PluginError(name, f"is brought by more than one of: {', '.join(bringing)}")
        entry = self.entries()[name]
        self._register(name, entry.load(), "entry point")

    def load_readers(self) -> None:
        """Load the installed plugins that say, by a second entry point, that they read a format.

        :raises PluginError: if one fails.
        """
        names = {entry.name for entry in entry_points(group=READERS)}
        for name in self.entries():
            if self.autoload and name in names:
                self.load(name)

    def load_all(self) -> None:
        """Load every installed plugin; a broken one is named in a warning and left out."""
        if not self.autoload:
            return
        for name in self.entries():
            if name in self.failures:
                continue
            try:
                self.load_entry(name)
            except (Exception, SystemExit) as error:
                why = error.why if isinstance(error, PluginError) else describe(error)
                self._leave_out(name, why)

    def _leave_out(self, name: str, why: str) -> None:
        """Go on without a broken plugin.

        :raises PluginError: if it was asked for by name.
        """
        plugin = self.manager.get_plugin(name)
        if plugin is not None:
            self.manager.unregister(plugin)
        if name in self._asked:
            raise PluginError(name, why)
        self.failures[name] = why
        self.warn(f"plugin {name} is left out: {why}")

    def _register(self, name: str, plugin: Any, source: str) -> None:
        needed = getattr(plugin, NEEDED_VERSION, API_VERSION)
        if needed != API_VERSION:
            raise PluginError(name, f"needs hook interface {needed}; this one is {API_VERSION}")
        _validate(name, plugin)
        self.manager.register(plugin, name)
        unknown = sorted(set(self._unknown(plugin)))
        if unknown:
            self.manager.unregister(plugin)
            near = get_close_matches(unknown[0], _KNOWN, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise PluginError(name, f"implements an unknown hook {unknown[0]}{hint}")
        self._sources[name] = source
        if self.traffic is not None:
            self._listen(plugin, self.traffic)

    def _listen(self, plugin: Any, tell: Callable[[str], None]) -> None:
        """Have every call of a hook of *plugin* told."""
        for caller in self.manager.get_hookcallers(plugin) or ():
            for impl in caller.get_hookimpls():
                if impl.plugin is plugin:
                    impl.function = traced(impl, caller.name, tell)  # type: ignore[misc]

    def _unknown(self, plugin: Any) -> Iterable[str]:
        for caller in self.manager.get_hookcallers(plugin) or ():
            if caller.has_spec() or caller.name in _KNOWN or caller.name.startswith(REPL_PREFIX):
                continue
            if any(i.plugin is plugin and not i.optionalhook for i in caller.get_hookimpls()):
                yield caller.name

    # What they contribute.

    def policy(self, name: str) -> Policy:
        """A new policy of that name, loading no more plugins than are needed to find it.

        Of several plugins that offer one, those are meant that the user named, and of these
        the one that has the policy's name.

        :raises PluginError: if no plugin offers it, several do, or its class fails.
        """
        offers = self._offers(name)
        if not offers and self.autoload and name in self.entries():
            self.load(name)
            offers = self._offers(name)
        if not offers:
            self.load_all()
            offers = self._offers(name)
        if not offers:
            near = get_close_matches(name, [policy for _, policy, _ in self._policies()], 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise PluginError(name, f"no plugin offers a policy of this name{hint}")
        owner = self._owner(name, list(offers))
        try:
            made = offers[owner]()
        except Exception as error:
            raise PluginError(owner, f"policy {name}: {describe(error)}") from error
        if not isinstance(made, Policy):
            raise PluginError(owner, f"policy {name}: is a {type(made).__name__} and no Policy")
        return made

    def _owner(self, policy: str, offering: list[str]) -> str:
        """The one of the plugins *offering* a policy that is meant.

        :raises PluginError: if that is not clear.
        """
        meant = [plugin for plugin in offering if plugin in self._asked] or offering
        if policy in meant:
            return policy
        if len(meant) > 1:
            why = f"offers policy {policy}, and so does plugin {meant[0]}"
            raise PluginError(meant[1], f"{why}; keep one out with -p no:NAME")
        return meant[0]

    def _offers(self, name: str) -> dict[str, Callable[[], object]]:
        """Who offers a policy of that name, each with what makes one."""
        return {plugin: make for plugin, policy, make in self._policies() if policy == name}

    def _policies(self) -> list[tuple[str, str, Callable[[], object]]]:
        """Every policy offered by the plugins that are loaded: plugin, name, what makes one."""
        return [
            (plugin, name, make)
            for plugin, policies in self.contributions("xce_policies")
            for name, make in policies.items()
        ]

    def contributions(self, hook: str) -> list[tuple[str, Any]]:
        """What each plugin gives for a hook that collects, in order of the plugins' names.

        A plugin that fails is left out altogether.

        :raises PluginError: if one fails that was asked for by name.
        """
        found = []
        for impl in list(getattr(self.manager.hook, hook).get_hookimpls()):
            try:
                answer = impl.function()
                if answer is not None:
                    found.append((impl.plugin_name, _collected(hook, answer)))
            except Exception as error:
                self._leave_out(impl.plugin_name, f"{hook}: {describe(error)}")
        return sorted(found, key=lambda pair: pair[0])

    # Listing.

    def found(self) -> list[Found]:
        """Every plugin that is loaded, or installed and broken, by name."""
        provided = self._provided()
        rows = [
            self._row(name, plugin, provided.get(name, []))
            for name, plugin in self.manager.list_name_plugin()
            if plugin is not None
        ]
        rows += [
            Found(name, "entry point", self._version(name), (), why)
            for name, why in self.failures.items()
        ]
        return sorted(rows, key=lambda row: row.name)

    def _version(self, name: str) -> str:
        entry = self.entries().get(name)
        return entry.dist.version if entry is not None and entry.dist is not None else ""

    def _row(self, name: str, plugin: Any, provides: list[str]) -> Found:
        source = self._sources.get(name, "")
        version = self._version(name) if source == "entry point" else ""
        hooks = sorted(caller.name for caller in self.manager.get_hookcallers(plugin) or ())
        return Found(name, source, version, tuple(hooks), self._clash(name), tuple(provides))

    def _provided(self) -> dict[str, list[str]]:
        """What each plugin brings to a headless run."""
        provided: dict[str, list[str]] = {}
        for plugin, policy, _ in self._policies():
            provided.setdefault(plugin, []).append(f"policy {policy}")
        for plugin, offered in self.contributions("xce_plan_generators"):
            provided.setdefault(plugin, []).extend(f"plans {each.name}" for each in offered)
        for plugin, offered in self.contributions("xce_workload_readers"):
            provided.setdefault(plugin, []).extend(f"format {each.name}" for each in offered)
        return provided

    def _clash(self, name: str) -> str:
        """Which policy of the plugin can't be had, since another plugin offers it too."""
        for plugin, policy, _ in self._policies():
            others = [other for other in self._offers(policy) if other != name]
            if plugin == name and others and name != policy:
                return f"offers policy {policy}, and so does plugin {others[0]}"
        return ""


def _validate(name: str, plugin: Any) -> None:
    """Hold a plugin against all specifications, also those that are not switched on.

    :raises PluginError: if a hook of it wants an argument that there is not.
    """
    scratch = pluggy.PluginManager(PROJECT)
    for specs in (PolicySpecs, ReaderSpecs, SeamSpecs):
        scratch.add_hookspecs(specs)
    try:
        scratch.register(plugin, name)
    except pluggy.PluginValidationError as error:
        hook = re.search(r"hook '(\w+)'", str(error))
        what = str(error).strip().splitlines()[-1]
        raise PluginError(name, f"{hook[1]}: {what}" if hook else what) from None


def _collected(hook: str, answer: Any) -> Any:
    """*answer* to a hook that collects, if it is of the right kind.

    :raises TypeError: if it is not.
    """
    if hook == "xce_policies":
        if isinstance(answer, Mapping):
            return answer
    elif isinstance(answer, Iterable):
        return list(answer)
    wanted = "policies by name" if hook == "xce_policies" else "a sequence"
    raise TypeError(f"expected {wanted}, found a {type(answer).__name__}")


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist is not None else entry.value


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
