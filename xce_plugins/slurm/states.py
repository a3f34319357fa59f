"""What the words of the State column mean."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from xce_core.model.jobs import JobState


class Standing(IntEnum):
    """Where a row leaves its job."""

    OVER = 0
    RUNNING = 1
    WAITING = 2


class Meaning(NamedTuple):
    """Where a state leaves the job, and what became of one that is over."""

    standing: Standing
    outcome: JobState
    known: bool = True


_WORDS = {
    **dict.fromkeys(("COMPLETED",), Meaning(Standing.OVER, JobState.DONE)),
    **dict.fromkeys(
        "BOOT_FAIL FAILED LAUNCH_FAILED NODE_FAIL OUT_OF_MEMORY RECONFIG_FAIL".split(),
        Meaning(Standing.OVER, JobState.FAILED),
    ),
    # The last three end an attempt; if no later row goes on, the job is over.
    **dict.fromkeys(
        "CANCELLED DEADLINE PREEMPTED REVOKED TIMEOUT REQUEUED REQUEUE_FED RESIZING".split(),
        Meaning(Standing.OVER, JobState.KILLED),
    ),
    **dict.fromkeys(
        "COMPLETING CONFIGURING POWER_UP_NODE RUNNING SIGNALING STAGE_OUT STOPPED SUSPENDED"
        " UPDATE_DB".split(),
        Meaning(Standing.RUNNING, JobState.DONE),
    ),
    **dict.fromkeys(
        "PENDING REQUEUE_HOLD RESV_DEL_HOLD SPECIAL_EXIT".split(),
        Meaning(Standing.WAITING, JobState.KILLED),
    ),
}
_UNKNOWN = Meaning(Standing.OVER, JobState.DONE, known=False)


def state_word(text: str) -> str:
    """``CANCELLED`` for ``CANCELLED by 1001`` and for ``CANCELLED+``."""
    return text.split(" ", 1)[0].rstrip("+").upper()


def meaning_of(word: str) -> Meaning:
    """What *word* says; one that is not known counts as over and done."""
    return _WORDS.get(word, _UNKNOWN)
