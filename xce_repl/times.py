"""Times as the REPL shows and reads them, in the time zone that is set."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo

from xce_core.model.jobs import Seconds, canonical_seconds
from xce_core.suggestions import did_you_mean
from xce_repl.interface import CommandError
from xce_repl.names import brief

DAY = 86400
_EPOCH = date(1970, 1, 1)
_SECONDS = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,6})?", re.ASCII)
_CLOCK = r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?"
_DATE_TIME = re.compile(rf"([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})(?:[ T]{_CLOCK})?", re.ASCII)
_CLOCK_ONLY = re.compile(_CLOCK, re.ASCII)
_LATER = re.compile(r"\+(?:([0-9]{1,10})|([0-9]{1,8}):([0-9]{2}):([0-9]{2}))", re.ASCII)


_SIXTY = [f"{number:02}" for number in range(60)]
_MINUTES = [f"{hour:02}:{minute}" for hour in range(24) for minute in _SIXTY]


class UnknownZone(CommandError):
    """There is no time zone of the name."""

    def __init__(self, name: str) -> None:
        from zoneinfo import available_timezones

        hint = did_you_mean(name, sorted(available_timezones()))
        found = brief(name) or "nothing"
        super().__init__(f"expected a time zone such as UTC or Europe/Paris, found {found}{hint}")


class Clock:
    """Turns seconds into text and back.

    :ivar zone: the name of the time zone.
    """

    def __init__(self) -> None:
        self.zone = "UTC"
        self._zone: tzinfo | None = None
        self._day: int | None = None
        self._date = ""

    def set_zone(self, name: str) -> None:
        """Show times in another zone.

        :raises UnknownZone: if there is no such zone.
        """
        if name in ("UTC", "utc"):
            self.zone, self._zone = "UTC", None
            return
        from zoneinfo import ZoneInfo

        try:
            self._zone = ZoneInfo(name)
        except Exception:  # of many kinds, all of them about the name
            raise UnknownZone(name) from None
        self.zone = name

    def text(self, time: Seconds) -> str:
        """``2026-10-07 10:00:01``; the plain number for a time beyond the calendar."""
        if self._zone is None and time.__class__ is int and time // DAY == self._day:
            second = time % DAY  # the usual case, and there are many lines in a long log
            return f"{self._date} {_MINUTES[second // 60]}:{_SIXTY[second % 60]}"
        whole = int(time // 1)
        try:
            text = self._utc(whole) if self._zone is None else self._local(whole)
        except (OverflowError, ValueError, OSError):
            return f"{time} s"
        return text + fraction(time - whole) if time != whole else text

    def _utc(self, whole: int) -> str:
        day, second = divmod(whole, DAY)
        if day != self._day:
            self._date = (_EPOCH + timedelta(day)).isoformat()
            self._day = day
        return f"{self._date} {_MINUTES[second // 60]}:{_SIXTY[second % 60]}"

    def _local(self, whole: int) -> str:
        return f"{datetime.fromtimestamp(whole, self._zone):%Y-%m-%d %H:%M:%S}"

    def span(self, first: Seconds, last: Seconds) -> str:
        """From *first* to *last*, the date once if it is the same."""
        begin, end = self.text(first), self.text(last)
        same = begin[:11] == end[:11] and len(end) > 11  # the date and a blank
        return f"{begin} .. {end[11:] if same else end}"

    def parse(self, text: str, now: Seconds) -> Seconds:
        """The time that *text* says.

        Seconds, a date with or without a time of day, a time of day (the next after *now*),
        or a distance from *now*: ``+90``, ``+1:30:00``.

        :raises CommandError: if it says no time.
        """
        try:
            time = self._parsed(text, now)
        except (OverflowError, ValueError):
            time = None
        if time is None:
            what = "a time such as 1700000000, 2026-10-07 10:00:01, 10:00:01 or +1:30:00"
            raise CommandError(f"expected {what}, found {brief(text) or 'nothing'}")
        return time

    def _parsed(self, text: str, now: Seconds) -> Seconds | None:
        if _SECONDS.fullmatch(text):
            return canonical_seconds(float(text)) if "." in text else int(text)
        if match := _LATER.fullmatch(text):
            plain, hours, minutes, seconds = match.groups()
            ahead = int(plain) if plain else _of_day(hours, minutes, seconds)
            return canonical_seconds(now + ahead)
        if match := _DATE_TIME.fullmatch(text):
            year, month, day, *clock = match.groups()
            return self._moment(date(int(year), int(month), int(day)), _of_day(*clock))
        if match := _CLOCK_ONLY.fullmatch(text):
            today = datetime.fromtimestamp(int(now // 1), self._zone or timezone.utc).date()
            second = _of_day(*match.groups())
            time = self._moment(today, second)
            return time if time > now else self._moment(today + timedelta(1), second)
        return None

    def _moment(self, day: date, second: int) -> int:
        if second >= DAY:
            raise ValueError(second)
        zone = self._zone or timezone.utc
        clock = (second // 3600, second // 60 % 60, second % 60)
        return int(datetime(day.year, day.month, day.day, *clock, tzinfo=zone).timestamp())


def _of_day(hours: str | None, minutes: str | None, seconds: str | None) -> int:
    if int(minutes or 0) > 59 or int(seconds or 0) > 59:
        raise ValueError(minutes)
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)


def fraction(part: float) -> str:
    """The digits after the point, with it; empty for a whole number."""
    return f"{part:.6f}"[1:].rstrip("0").rstrip(".")


def duration_text(seconds: Seconds) -> str:
    """A duration as hours, minutes and seconds: ``1:02:03``."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    whole = int(seconds // 1)
    clock = f"{sign}{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
    return clock + fraction(seconds - whole)
