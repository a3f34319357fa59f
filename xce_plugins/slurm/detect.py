"""Whether an input is a dump of ``sacct``, by its name or its first line."""

from __future__ import annotations

from xce_plugins.slurm.columns import header_of

_SUFFIXES = (".slurm", ".sacct")
_COMPRESSED = (".gz", ".zst")


def is_sacct(path: str, beginning: bytes) -> bool:
    """Whether the name ends like a dump's, or the first line is a header with JobID in it.

    :param beginning: the first bytes of the content; a few kilobytes are enough.
    """
    name = path.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    if name.endswith(_SUFFIXES):
        return True
    first = beginning.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").partition(b"\n")[0]
    return header_of(first.rstrip(b"\r").decode("utf-8", "replace")) is not None
