"""The list of plugins: what each is, where it comes from, what it brings, what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xce_core.hook_rules import REPL_PREFIX, specified
from xce_core.hookspecs import PolicySpecs, ReaderSpecs, SeamSpecs
from xce_core.plugins import Plugins

_KINDS = {
    "policy": specified(PolicySpecs),
    "reader": specified(ReaderSpecs),
    "watcher": specified(SeamSpecs),
}


@dataclass(frozen=True, slots=True)
class Found:
    """One plugin for the list of plugins.

    :param source: where it comes from: ``entry point``, ``module`` or ``file``.
    :param version: of the distribution that brings it; empty if it is in none.
    :param hooks: the hooks it implements; empty if it is not loaded.
    :param failure: why it, or something in it, can't be used; empty if it can.
    :param provides: what it brings to a headless run, such as ``policy easy``.
    :param loaded: whether its code is there; a broken one's is not.
    """

    name: str
    source: str
    version: str
    hooks: tuple[str, ...]
    failure: str = ""
    provides: tuple[str, ...] = ()
    loaded: bool = True

    @property
    def kind(self) -> str:
        """What it is for, by the hooks it implements."""
        kinds = [word for word, names in _KINDS.items() if any(h in names for h in self.hooks)]
        if any(hook.startswith(REPL_PREFIX) for hook in self.hooks):
            kinds.append("repl")
        return ", ".join(kinds)


def list_plugins(plugins: Plugins) -> list[Found]:
    """Every plugin that is loaded, broken, or installed and looked for, by name."""
    provided = _provided(plugins)
    loaded = {name: plugin for name, plugin in plugins.manager.list_name_plugin() if plugin}
    rows = [_row(plugins, name, loaded[name], provided.get(name, [])) for name in loaded]
    rows += [_absent(plugins, name) for name in _known(plugins) if name not in loaded]
    return sorted(rows, key=lambda row: row.name)


def _known(plugins: Plugins) -> set[str]:
    """The plugins that are broken, or might be loaded if there were need."""
    return plugins.failures.keys() | (plugins.installed.plugins if plugins.autoload else {}).keys()


def _absent(plugins: Plugins, name: str) -> Found:
    version, why = plugins.installed.version(name), plugins.failures.get(name, "")
    return Found(name, "entry point", version, (), why, loaded=False)


def _row(plugins: Plugins, name: str, plugin: Any, provides: list[str]) -> Found:
    source = plugins.sources.get(name, "")
    version = plugins.installed.version(name) if source == "entry point" else ""
    hooks = sorted(caller.name for caller in plugins.manager.get_hookcallers(plugin) or ())
    return Found(name, source, version, tuple(hooks), _clash(plugins, name), tuple(provides))


def _provided(plugins: Plugins) -> dict[str, list[str]]:
    """What each plugin brings to a headless run."""
    provided: dict[str, list[str]] = {}
    for plugin, policy, _ in plugins.policies():
        provided.setdefault(plugin, []).append(f"policy {policy}")
    for plugin, offered in plugins.contributions("xce_plan_generators"):
        provided.setdefault(plugin, []).extend(f"plans {each.name}" for each in offered)
    for plugin, offered in plugins.contributions("xce_workload_readers"):
        provided.setdefault(plugin, []).extend(f"format {each.name}" for each in offered)
    return provided


def _clash(plugins: Plugins, name: str) -> str:
    """Which policy of the plugin can't be had, since another plugin offers it too."""
    for plugin, policy, _ in plugins.policies():
        others = [other for other in plugins.offers(policy) if other != name]
        if plugin == name and others and name != policy:
            return f"offers policy {policy}, and so does plugin {others[0]}"
    return ""
