"""What jobs use, from TRES lists and from ReqMem."""

from __future__ import annotations

import re
from typing import NamedTuple

from xce_core.model.amounts import AmountError, AmountKind, parse_amount
from xce_plugins.slurm.fields import FieldError, count, shown

Pairs = tuple[tuple[str, int], ...]

_MEMORY = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([KMGTPE]?)", re.ASCII)
_REQ_MEM = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)([KMGTPE]?)([cn]?)", re.ASCII)
_PER_CPU_BIT = 2**31


class Tres(NamedTuple):
    """A TRES list; 0 or nothing for what it does not name.

    :param memory: bytes, of the whole job.
    :param gres: generic resources by name (``gpu``), of the whole job.
    """

    cpus: int = 0
    nodes: int = 0
    memory: int = 0
    gres: Pairs = ()
    licences: Pairs = ()


def parse_tres(text: str, column: str) -> Tres:
    """What ``billing=64,cpu=64,mem=62.50G,node=8,gres/gpu=2,license/x=1`` says.

    ``gres/gpu:v100=2`` says of which type the pair ``gres/gpu=2`` is; it counts only where
    no entry without a type stands.

    :raises FieldError: for anything else.
    """
    values: dict[str, str] = {}
    for item in text.split(",") if text else ():
        name, equals, value = item.partition("=")
        if not equals:
            raise FieldError(f"expected NAME=VALUE, found {shown(item)}", column)
        values[name.strip()] = value.strip()
    return Tres(
        count(values.get("cpu", ""), column),
        count(values.get("node", ""), column),
        _memory(values.get("mem", ""), column),
        _gres(values, column),
        tuple(
            (name[len("license/") :], count(value, column))
            for name, value in sorted(values.items())
            if name.startswith("license/") and value != "0"
        ),
    )


def _gres(values: dict[str, str], column: str) -> Pairs:
    plain: dict[str, int] = {}
    typed: dict[str, int] = {}
    for name, value in sorted(values.items()):
        if name.startswith("gres/"):
            kind, colon, _ = name[len("gres/") :].partition(":")
            into = typed if colon else plain
            into[kind] = into.get(kind, 0) + _gres_count(value, column)
    return tuple(sorted((name, n) for name, n in {**typed, **plain}.items() if n))


def _gres_count(value: str, column: str) -> int:
    """A number, which may come in steps of 1024 (``200G``)."""
    return count(value, column) if value.isdecimal() else _memory(value, column)


def _memory(text: str, column: str) -> int:
    """Bytes; without a unit they are megabytes, as everywhere in Slurm."""
    if not text:
        return 0
    match = _MEMORY.fullmatch(text)
    if match is None:
        raise FieldError(f"expected an amount such as 24000M, found {shown(text)}", column)
    return _bytes(match[1], match[2], column)


def _bytes(number: str, unit: str, column: str) -> int:
    try:
        return parse_amount(number + (unit or "M"), AmountKind.BYTES)
    except AmountError:
        # 62.51G is no whole number of bytes: two decimals are all that sacct shows.
        whole, _, part = number.partition(".")
        tail = int(part) * _bytes("1", unit, column) // 10 ** len(part) if part else 0
        try:
            return parse_amount(whole + (unit or "M"), AmountKind.BYTES) + tail
        except AmountError as error:
            raise FieldError(str(error), column) from None


def requested_memory(text: str, cpus: int, nodes: int) -> int:
    """Bytes of the whole job that the ReqMem cell *text* says.

    ``3000Mc`` is per CPU, ``48000Mn`` per node and ``4000M`` the total. Some versions mark
    "per CPU" by adding 2**31 megabytes to a value per node. 0 asks for nothing in particular.

    :raises FieldError: for anything else.
    """
    if text in ("", "0", "?"):
        return 0
    match = _REQ_MEM.fullmatch(text)
    if match is None:
        raise FieldError(f"expected an amount such as 3000Mc, found {shown(text)}", "ReqMem")
    number, unit, per = match.groups()
    if number.isdecimal() and int(number) >= _PER_CPU_BIT and unit in ("", "M"):
        number, per = str(int(number) - _PER_CPU_BIT), "c"
    return _bytes(number, unit, "ReqMem") * {"c": cpus, "n": nodes, "": 1}[per]
