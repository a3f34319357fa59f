"""Decisions and allocations as fields of a recording: read and checked."""

from __future__ import annotations

from typing import Any

from xce_core.model.decisions import Allocation, Placement
from xce_core.model.reasons import Reason, ReasonCode, Reasons, reason_set
from xce_core.sim import fields
from xce_core.sim.events import Recorded
from xce_core.sim.fields import FieldError, Table, list_of, unknown
from xce_core.sim.host_lists import HostLists
from xce_core.sim.job_lists import job_id, unfold_jobs
from xce_core.sim.requirement_fields import PRIMARIES_LIMIT, TASKS_LIMIT

_NUMBER = fields.integer(1, PRIMARIES_LIMIT)


def _code(value: object) -> ReasonCode:
    try:
        return ReasonCode[fields.text(value)]
    except KeyError:
        raise unknown("reason", fields.text(value), ReasonCode.__members__) from None


class DecisionReader:
    """Reads allocations, and the lines of decisions."""

    def __init__(self, hosts: HostLists) -> None:
        self._placement = Table(
            {
                "hosts": hosts.mask,
                "tasks": fields.integer(1, TASKS_LIMIT),
                "member": _NUMBER,
                "first": fields.flag,
            },
            ["hosts", "tasks"],
        )
        placements = {"alternative": _NUMBER, "hosts": list_of(self._read_placement, least=1)}
        self._allocation = Table(placements, ["hosts"])
        self._dispatch = Table(
            {
                "type": fields.anything,
                "job": job_id,
                **placements,
                "reconstructed": fields.flag,
            },
            ["job", "hosts"],
        )
        self._reason = Table(
            {"code": _code, "name": fields.text, "hosts": hosts.mask}, ["code"]
        )
        self._pend = Table(
            {
                "type": fields.anything,
                "job": job_id,
                "jobs": unfold_jobs,
                "main": _code,
                "reasons": list_of(self._read_reason),
            }
        )

    def allocation(self, value: object) -> Allocation:
        """What a running job holds."""
        return _allocation(self._allocation(value))

    def dispatch(self, value: dict[str, Any], line: int) -> Recorded:
        """A dispatch as the recording has it."""
        found = self._dispatch(value)
        return Recorded(
            found["job"], _allocation(found), None, found.get("reconstructed", False), line
        )

    def pends(self, value: dict[str, Any], line: int) -> list[Recorded]:
        """Pends with the same reasons, in the order of the decisions."""
        found = self._pend(value)
        if ("job" in found) == ("jobs" in found):
            raise FieldError("expected either job or jobs")
        jobs = found["jobs"] if "jobs" in found else (found["job"],)
        reasons = _reasons(found)
        return [Recorded(job, None, reasons, False, line) for job in jobs]

    def _read_placement(self, value: object) -> Placement:
        found = self._placement(value)
        return Placement(
            found["hosts"], found["tasks"], found.get("member", 1) - 1, found.get("first", False)
        )

    def _read_reason(self, value: object) -> Reason:
        found = self._reason(value)
        return Reason(found["code"], found.get("name", ""), found.get("hosts", 0))


def _allocation(found: dict[str, Any]) -> Allocation:
    return Allocation(found["hosts"], found.get("alternative", 1) - 1)


def _reasons(found: dict[str, Any]) -> Reasons:
    entries = list(found.get("reasons", ()))
    main = found.get("main")
    if main is None:
        if not entries:
            raise FieldError("missing", "main")
        main = entries[0].code
    return reason_set(main, entries)
