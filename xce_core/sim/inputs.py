"""Opening an input: which format it is, and who reads it."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import BinaryIO

from xce_core.model.cluster import Cluster
from xce_core.plugins import PluginError, Plugins
from xce_core.sim.readers import WorkloadReader
from xce_core.sim.recording import looks_like_recording, open_recording
from xce_core.sim.streams import open_input
from xce_core.sim.workload import InputError, OptionError, Workload, option_flag

RECORDING = "recording"
"""The format that needs no plugin."""

_COMPRESSED = (".gz", ".zst")


def open_workload(
    path: str,
    plugins: Plugins,
    cluster: Cluster | None,
    form: str | None,
    options: Mapping[str, str],
    up_to_cut: bool = False,
) -> Workload:
    """The input at *path* (``-`` for standard input) as a workload.

    :param form: the format; None to tell by the content and the name.
    :param options: of the format's reader.
    :param up_to_cut: whether a recording that is cut off in its last line is good up to there.
    :raises InputError: if it can't be opened; OptionError if an option is not known.
    :raises PluginError: if the reader's plugin fails.
    """
    source = open_input(path)
    reader = reader_for(path, source, plugins, form)
    if reader is None:
        refuse_options(options, {})
        return open_recording(source, path, cluster, up_to_cut)
    refuse_options(options, reader.options)
    return reader.open(source, path, cluster, options)


def reader_for(
    path: str, source: BinaryIO, plugins: Plugins, form: str | None
) -> WorkloadReader | None:
    """Who reads *source*; None if it is a recording.

    Without *form* it is told by the first character, then by the name's ending, which is the
    name of an installed plugin (``.swf``), then by asking all that read formats.

    :raises InputError: if nobody reads it; OptionError if nobody reads *form*.
    :raises PluginError: if the reader's plugin fails.
    """
    head = source.peek(4096) if isinstance(source, io.BufferedReader) else b""
    if form == RECORDING or (form is None and (not head.strip() or looks_like_recording(head))):
        return None
    ending = form or ending_of(path)
    if ending in plugins.installed.plugins:
        plugins.load(ending)
    else:
        plugins.load_readers()
    readers = offered_readers(plugins)
    for reader in readers:
        if reader.name == form or (form is None and reader.recognises(path, head)):
            return reader
    known = ", ".join([RECORDING, *(reader.name for reader in readers)])
    if form is not None:
        raise OptionError("--format", f"no plugin reads the format {form}; there are: {known}")
    what = "is no recording (which begins with a JSON object) and of no format known by its name"
    raise InputError(path, 0, f"{what}; name it with --format")


def offered_readers(plugins: Plugins) -> Sequence[WorkloadReader]:
    """All readers of the plugins that are loaded, by plugin name.

    :raises PluginError: if two read formats of one name.
    """
    readers: dict[str, WorkloadReader] = {}
    for plugin, offered in plugins.contributions("xce_workload_readers"):
        for reader in offered:
            if reader.name in readers:
                raise PluginError(plugin, f"reads a format {reader.name}, as another plugin does")
            readers[reader.name] = reader
    return list(readers.values())


def ending_of(path: str) -> str:
    """The ending of a file name that tells its format, without that of a compression."""
    name = PurePath(path)
    while name.suffix in _COMPRESSED:
        name = name.with_suffix("")
    return name.suffix[1:]


def refuse_options(options: Mapping[str, str], known: Mapping[str, str]) -> None:
    """Whether a format that has the options *known* takes *options*.

    :raises OptionError: for the first that is not among them.
    """
    for name in options:
        if name not in known:
            there = f"there are: {', '.join(known)}" if known else "it takes none"
            raise OptionError(option_flag(name), f"the format has no such option; {there}")
