"""Times in words: when something was recorded, and how long after the first failure.

Times of day are shown in UTC and say so: the job's time zone is not known, and the inspector's own says nothing
about the job. It refuses to read the clock.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from inspector.presentation.words import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from errors_core.job import TimestampSource

__all__ = ["SOURCES", "format_offset", "format_time"]

SOURCES: Mapping[TimestampSource, str] = {
    "error_file": "from the error file",
    "launcher_log": "from the launcher's log",
    "file_time": "from the file's own time, which copying changes",
    "observed": "when the launcher saw it",
}


def format_time(seconds: float | None) -> str:
    """Return seconds since the epoch as `2026-12-01 12:00:00 UTC`, as a number where no calendar has them."""
    if seconds is None:
        return UNKNOWN
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError, OSError):
        return f"{seconds} s"


def format_offset(seconds: float | None) -> str:
    """Return a signed distance in time in at most 8 characters: `+0.25 s`, `+12 s`, `+3 min`, `+2 h`, `-1 d`."""
    if seconds is None:
        return UNKNOWN
    if isinstance(seconds, float) and not seconds.is_integer() and abs(seconds) < 10:
        return f"{seconds:+.2f} s"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if abs(seconds) >= 2 * size:
            return f"{int(seconds / size):+d} {unit}"
    return f"{seconds:+.0f} s"
