"""Times of a dump, which are local, as seconds since 1970."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone, tzinfo

from xce_plugins.slurm.fields import UNKNOWN_WORDS, FieldError, shown

UNKNOWN = -1
"""Stands for a time that is not known."""

_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:Z|([+-]\d\d):?(\d\d))?", re.ASCII
)
_SECONDS = re.compile(r"\d{9,11}", re.ASCII)
_LATEST = 10**11
_HOUR = 3600
_KEPT = 100_000
_ORIGIN = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Clock:
    """Reads times in one zone.

    :param zone: None if it is not known; then *ask* is called for each local time, which
        counts as UTC if it returns.
    :ivar doubtful: how many of the times read since it was last set to 0 stand for two
        moments, since clocks were set back.
    :ivar skipped: how many of them never were, since clocks were set forward.
    """

    def __init__(self, zone: tzinfo | None, ask: Callable[[], None]) -> None:
        self.doubtful = 0
        self.skipped = 0
        self._ask = ask
        self._known = zone is not None
        self._zone = zone or timezone.utc
        self._hours: dict[str, int | None] = {}

    def read(self, text: str, column: str) -> tuple[int, ...]:
        """The moment that *text* says, two if it is doubtful; empty if it is not known.

        :raises FieldError: if it says no time.
        """
        if text in UNKNOWN_WORDS:
            return ()
        base = self._hours.get(text[:13])
        if base is not None and len(text) == 19 and self._known:
            minutes, colon, seconds = text[14:].partition(":")
            if colon and text[13] == ":" and minutes.isdecimal() and seconds.isdecimal():
                past = int(minutes) * 60 + int(seconds)
                if int(minutes) < 60 and int(seconds) < 60:
                    return (base + past,)
        return self._slowly(text, column)

    def _slowly(self, text: str, column: str) -> tuple[int, ...]:
        if _SECONDS.fullmatch(text):
            return (int(text),)
        match = _TIME.fullmatch(text)
        try:
            if match is None:
                raise ValueError
            local = datetime(*map(int, match.groups()[:6]))  # type: ignore[arg-type]
            found = self._moments(text, local, match)
        except (ValueError, OverflowError):
            what = f"expected a time such as 2026-01-31T12:00:00, found {shown(text)}"
            raise FieldError(what, column) from None
        if not all(0 <= moment <= _LATEST for moment in found):
            raise FieldError(f"expected a time of our days, found {shown(text)}", column)
        return found

    def _moments(self, text: str, local: datetime, match: re.Match[str]) -> tuple[int, ...]:
        if len(text) > 19:
            sign = -1 if match[7] and match[7][0] == "-" else 1
            minutes = abs(int(match[7] or 0)) * 60 + int(match[8] or 0)
            offset = timezone(sign * timedelta(minutes=minutes))
            return (_seconds(local.replace(tzinfo=offset)),)
        if not self._known:
            self._ask()
        first, second = (_seconds(local.replace(tzinfo=self._zone, fold=fold)) for fold in (0, 1))
        if first == second:
            self._remember(text[:13], local)
            return (first,)
        if second < first:  # the offsets on both sides of a gap: the time is neither's
            self.skipped += 1
            return (first,)
        self.doubtful += 1
        return first, second

    def _remember(self, hour: str, local: datetime) -> None:
        """Keep what the hour begins with, if no clock is set within it."""
        begin = local.replace(minute=0, second=0, tzinfo=self._zone)
        ends = {
            _seconds(begin.replace(minute=minute, fold=fold)) - minute * 60
            for minute in (0, 15, 30, 45, 59)
            for fold in (0, 1)
        }
        if len(ends) == 1 and len(self._hours) < _KEPT:
            self._hours[hour] = ends.pop()


def _seconds(moment: datetime) -> int:
    span = moment - _ORIGIN
    return span.days * 24 * _HOUR + span.seconds
