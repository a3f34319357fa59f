"""What a plugin that reads a workload format offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO, Protocol

from xce_core.model.cluster import Cluster
from xce_core.sim.workload import Workload


class WorkloadReader(Protocol):
    """A format that ``--sim`` can read besides recordings.

    :ivar name: the format's name.
    :ivar options: names of the options it takes, each with what it does in a line.
    """

    name: str
    options: Mapping[str, str]

    def recognises(self, path: str, beginning: bytes) -> bool:
        """Whether the input is of this format.

        :param path: its name; ``-`` for standard input.
        :param beginning: its first bytes; of compressed input, of what it expands to.
        """
        ...

    def open(
        self, source: BinaryIO, path: str, cluster: Cluster | None, options: Mapping[str, str]
    ) -> Workload:
        """The input as a workload.

        :param cluster: the cluster the user gave; None to take it from the input.
        :raises InputError: if the input, or an option's value, is at fault.
        """
        ...

    def check(
        self, source: BinaryIO, path: str, cluster: Cluster | None, options: Mapping[str, str]
    ) -> list[str]:
        """What is in the input, what would be repaired and what refused; lines to print.

        :raises InputError: if the input can't be read at all.
        """
        ...
