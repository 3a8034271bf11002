"""Dates as log lines write them: text → seconds since the epoch.

Owns the spellings of a point in time. It refuses to guess: a zone that is not written is taken as UTC (so that
differences within one log hold), and a year that is not written is asked for.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DATE", "DAY_FIRST", "SYSLOG_DATE", "YearlessTime", "parse_date", "parse_syslog_date"]

DATE = (
    r"(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T _](?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    r"(?:[.,](?P<fraction>\d{1,9}))?(?P<zone> ?Z\b| ?[+-]\d\d:?\d\d\b| UTC\b)?"
)
"""ISO 8601 and its neighbours: `2024-01-02 03:04:05,678`, `2024-01-02T03:04:05.678Z`, `2024-01-02_03:04:05`."""

DAY_FIRST = (
    r"(?P<month>\d\d)/(?P<day>\d\d)/(?P<year>\d{4}|\d\d)[ -](?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    r"(?:[.,](?P<fraction>\d{1,9}))?"
)
"""American dates of rich and of the usual `datefmt="%m/%d/%Y %H:%M:%S"`: `01/02/2024 03:04:05`."""

SYSLOG_DATE = (
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?(?P<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
    r"[ 0]?(?P<day>\d{1,2}) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    r"(?:\.(?P<fraction>\d{1,9}))?(?: (?P<year>\d{4}))?"
)
"""`Jan  2 03:04:05` of syslog and `Tue Jan  2 03:04:05 2024` of `dmesg -T`."""

_MONTHS = ("", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ZONE = re.compile(r"(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)")


class YearlessTime(NamedTuple):
    """A point in time whose year the log does not write (glog, syslog)."""

    month: int
    day: int
    hour: int
    minute: int
    second: float

    def in_year(self, year: int, zone: timezone = UTC) -> float | None:
        """Return seconds since the epoch; `None` when that year has no such day or the clock no such time."""
        try:
            minute = datetime(year, self.month, self.day, self.hour, self.minute, tzinfo=zone)
        except ValueError:
            return None
        return minute.timestamp() + self.second


def parse_date(groups: Mapping[str, str | None]) -> float | None:
    """Turn the groups of a match of `DATE` or `DAY_FIRST` into seconds since the epoch; `None`: no such day."""
    minute = _minute(groups.get("zone"), *map(groups.get, ("year", "month", "day", "hour", "minute")))
    return minute + _seconds(groups) if minute is not None else None


def parse_syslog_date(groups: Mapping[str, str | None]) -> float | YearlessTime | None:
    """Turn the groups of a match of `SYSLOG_DATE` into seconds since the epoch or a time without a year."""
    yearless = YearlessTime(
        _MONTHS.index(groups.get("name") or ""),
        _number(groups, "day"),
        _number(groups, "hour"),
        _number(groups, "minute"),
        _seconds(groups),
    )
    year = _number(groups, "year")
    return yearless.in_year(year) if year else yearless


@lru_cache(maxsize=256)
def _minute(zone: str | None, *written: str | None) -> float | None:
    """Return when a minute begins: the lines of a log share it with many others."""
    year, month, day, hour, minute = (int(number or 0) for number in written)
    yearless = YearlessTime(month, day, hour, minute, 0)
    return yearless.in_year(year + 2000 if len(written[0] or "") == 2 else year, _zone(zone))


def _number(groups: Mapping[str, str | None], name: str) -> int:
    return int(groups.get(name) or 0)


def _seconds(groups: Mapping[str, str | None]) -> float:
    return float(f"{groups.get('second') or 0}.{groups.get('fraction') or 0}")


def _zone(text: str | None) -> timezone:
    match = _ZONE.search(text or "")
    if match is None:
        return UTC
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
    return timezone(-offset if match["sign"] == "-" else offset) if offset < timedelta(hours=24) else UTC
