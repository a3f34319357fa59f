"""The cluster as a TOML file."""

from __future__ import annotations

import re
import sys

from xce_core.model.cluster import Cluster
from xce_core.sim.cluster_object import CLUSTER_LIMIT, cluster_of
from xce_core.sim.fields import FieldError
from xce_core.sim.streams import open_input
from xce_core.sim.workload import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_PLACE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)


def load_cluster(path: str) -> Cluster:
    """The cluster of the TOML file at *path*.

    :raises InputError: if it can't be read, or is no proper cluster.
    """
    with open_input(path) as source:
        data = source.read(CLUSTER_LIMIT + 1)
    if len(data) > CLUSTER_LIMIT:
        raise InputError(path, 0, f"expected a file of at most {CLUSTER_LIMIT} bytes")
    try:
        return cluster_of(tomllib.loads(_decoded(data, path)))
    except FieldError as error:
        raise InputError(path, 0, str(error)) from None
    except RecursionError:
        raise InputError(path, 0, "TOML: nested too deeply") from None
    except ValueError as error:  # of tomllib itself, or for a number of thousands of digits
        raise _toml_fault(path, str(error)) from None


def _decoded(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(path, line, "expected text in UTF-8, found another byte") from None


def _toml_fault(path: str, message: str) -> InputError:
    match = _PLACE.fullmatch(message)
    if match is None:
        return InputError(path, 0, f"TOML: {_lower(message)}")
    return InputError(path, int(match[2]), f"TOML: {_lower(match[1])}", int(match[3]))


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
