"""How a traced selection ended, as values: a dispatch, a pend, or no decision."""

# Annotations are no texts here: a named tuple would compile each of them when it is made, and
# all of it is loaded at the start.

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

HOSTS_LISTED = 50
"""How many hosts an outcome tells of one by one."""


class Share(NamedTuple):
    """What a dispatch takes of one host, of the cluster, or of the hosts not listed.

    :param amounts: resource and amount.
    :param charges: limit, scope, limited resource, amount.
    """

    amounts: tuple[tuple[str, int], ...]
    charges: tuple[tuple[str, str, str, int], ...]


class Dispatched(NamedTuple):
    """The job starts.

    :param alike: up to :data:`HOSTS_LISTED` hosts; those one after the other that give the same
        stand together, see :func:`together`.
    :param omitted: how many hosts are not listed; *rest* is what they take together.
    """

    reconstructed: bool
    alike: tuple[tuple[tuple[str, ...], Share], ...]
    shared: Share
    omitted: int
    rest: Share

    @property
    def hosts(self) -> Iterator[tuple[str, Share]]:
        """The hosts listed, with what each gives."""
        for names, share in self.alike:
            for name in names:
                yield name, share


def together(
    hosts: Iterable[tuple[str, Share]],
) -> tuple[tuple[tuple[str, ...], Share], ...]:
    """Hosts with what each gives, those one after the other that give the same as one."""
    return tuple(
        (tuple([name for name, _ in alike]), share)
        for share, alike in groupby(hosts, key=itemgetter(1))
    )


class Pended(NamedTuple):
    """The job does not start.

    :param main: the main reason's code.
    :param plain: reasons about no host in particular: code and name.
    :param by_host: code, name, host list, number of hosts, of the first
        :data:`HOSTS_LISTED` hosts.
    :param omitted: how many hosts are not listed.
    :param rest: for each code how many of them it is about.
    """

    main: str
    plain: tuple[tuple[str, str], ...]
    by_host: tuple[tuple[str, str, str, int], ...]
    omitted: int
    rest: tuple[tuple[str, int], ...]


class Undecided(NamedTuple):
    """No decision came out; *cause* is a stable word of the scheduler's."""

    cause: str
    error: str


Ending = Dispatched | Pended | Undecided
