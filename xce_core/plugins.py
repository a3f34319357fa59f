"""Finding, loading and registering plugins; switching the seam specifications on."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from xce_core.hook_rules import Rules
from xce_core.hookspecs import PROJECT, PolicySpecs, ReaderSpecs, SeamSpecs
from xce_core.installed import READERS, Installed
from xce_core.model.syntax import of_type
from xce_core.sched.faults import FAULTS, describe
from xce_core.sched.policy import Policy
from xce_core.suggestions import did_you_mean


class PluginError(Exception):
    """A plugin that was asked for by name can't be used.

    :param name: as the user named it.
    """

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"plugin {name}: {why}")
        self.name = name
        self.why = why


@dataclass(slots=True)
class Plugins:
    """The plugins of one run.

    :param autoload: whether installed plugins are looked for where nobody named them.
    :param blocked: names of plugins that must not be loaded.
    :param warn: told, in a line, of a broken plugin that nobody asked for.
    :param traffic: told, in a line, of each call of a hook; None not to listen.
    :ivar failures: the plugins that were left out, and why.
    :ivar sources: where each that is loaded comes from: ``entry point``, ``module``, ``file``.
    """

    autoload: bool = True
    blocked: frozenset[str] = frozenset()
    warn: Callable[[str], None] = lambda text: None
    traffic: Callable[[str], None] | None = None
    manager: pluggy.PluginManager = field(default_factory=lambda: pluggy.PluginManager(PROJECT))
    failures: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)
    _rules: Rules = field(default_factory=Rules)
    _installed: Installed | None = None

    def __post_init__(self) -> None:
        self.manager.add_hookspecs(PolicySpecs)
        self.manager.add_hookspecs(ReaderSpecs)

    @property
    def installed(self) -> Installed:
        """The plugins that could be loaded, those blocked left out."""
        if self._installed is None:
            self._installed = Installed(self.blocked)
        return self._installed

    def switch_on(self, repl: type) -> None:
        """Register the specifications of the seams and those of a REPL.

        Only the interactive simulator does, before it loads what is installed.

        :raises PluginError: if a plugin that is loaded breaks them.
        """
        self._rules.add(repl)
        for name, plugin in self.manager.list_name_plugin():
            self._hold(name, plugin)
        self.manager.add_hookspecs(SeamSpecs)
        self.manager.add_hookspecs(repl)

    # Loading.

    def load(self, name: str) -> None:
        """Load the plugin that the user named: installed, a module, or a Python file.

        :raises PluginError: if it can't be loaded or breaks the rules.
        """
        try:
            if name.endswith(".py") or "/" in name:
                self._ask_for(Path(name).stem, lambda: _from_file(name), "file")
            elif name in self.installed.plugins:
                self._asked.add(name)
                self.load_entry(name)
            elif name not in self.blocked:
                self._ask_for(name, lambda: importlib.import_module(name), "module")
        except PluginError:
            raise
        except FAULTS as error:
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
        if bringing := self.installed.bringing(name):
            raise PluginError(name, f"is brought by more than one of: {', '.join(bringing)}")
        plugin = self.installed.plugins[name][0].load()
        if name in self.installed.readers and (more := self._rules.beside(plugin, ReaderSpecs)):
            why = f"is declared in the group {READERS}, but implements {more} as well"
            raise PluginError(name, f"{why}; take it out of that group")
        self._register(name, plugin, "entry point")

    def load_readers(self) -> None:
        """Load the installed plugins that say that they read a format.

        :raises PluginError: if one fails.
        """
        for name in self.installed.plugins:
            if self.autoload and name in self.installed.readers:
                self.load(name)

    def load_all(self, readers: bool = True) -> None:
        """Load every installed plugin; a broken one is named in a warning and left out.

        :param readers: whether also those that do no more than read formats.
        """
        if not self.autoload:
            return
        for name in self.installed.plugins:
            if name in self.failures or (name in self.installed.readers and not readers):
                continue
            try:
                self.load_entry(name)
            except FAULTS as error:
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
        self._hold(name, plugin)
        self.manager.register(plugin, name)
        self.sources[name] = source
        if self.traffic is not None:
            self._listen(plugin, self.traffic)

    def _hold(self, name: str, plugin: Any) -> None:
        """Hold a plugin against the rules.

        :raises PluginError: if it breaks one.
        """
        if fault := self._rules.fault(name, plugin):
            raise PluginError(name, fault)

    def _listen(self, plugin: Any, tell: Callable[[str], None]) -> None:
        """Have every call of a hook of *plugin* told."""
        from xce_core.hook_traffic import traced

        for caller in self.manager.get_hookcallers(plugin) or ():
            for impl in caller.get_hookimpls():
                if impl.plugin is plugin:
                    impl.function = traced(impl, caller.name, tell)  # type: ignore[misc]

    # What they contribute.

    def policy(self, name: str) -> Policy:
        """A new policy of that name, loading no more plugins than are needed to find it.

        Of several plugins that offer one, those are meant that the user named, and of these
        the one that has the policy's name.

        :raises PluginError: if no plugin offers it, several do, or its class fails.
        """
        offers = self.offers(name)
        if not offers and self.autoload and name in self.installed.plugins:
            self.load(name)
            offers = self.offers(name)
        if not offers:
            self.load_all()
            offers = self.offers(name)
        if not offers:
            hint = did_you_mean(name, [policy for _, policy, _ in self.policies()])
            raise PluginError(name, f"no plugin offers a policy of this name{hint}")
        owner = self._owner(name, list(offers))
        try:
            made = offers[owner]()
        except FAULTS as error:
            raise PluginError(owner, f"policy {name}: {describe(error)}") from error
        if not isinstance(made, Policy):
            raise PluginError(owner, f"policy {name}: expected a Policy, found {of_type(made)}")
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

    def offers(self, name: str) -> dict[str, Callable[[], object]]:
        """Who offers a policy of that name, each with what makes one."""
        return {plugin: make for plugin, policy, make in self.policies() if policy == name}

    def policies(self) -> list[tuple[str, str, Callable[[], object]]]:
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
            except FAULTS as error:
                self._leave_out(impl.plugin_name, f"{hook}: {describe(error)}")
        return sorted(found, key=lambda pair: pair[0])


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
    raise TypeError(f"expected {wanted}, found {of_type(answer)}")


def split_names(names: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """The plugins asked for, and those that must not be loaded (given as ``no:NAME``)."""
    wanted = [name for name in names if not name.startswith("no:")]
    return wanted, frozenset(name[3:] for name in names if name.startswith("no:"))


def _from_file(path: str) -> ModuleType:
    """The module in a Python file.

    :raises PluginError: if there is no such file.
    """
    from importlib.util import module_from_spec, spec_from_file_location

    if not Path(path).is_file():
        raise PluginError(path, "there is no such file")
    name = f"xce_plugin_{Path(path).stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(path, "it is no Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
