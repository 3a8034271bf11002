"""How far a launcher's clock-on-the-wall is from seconds since the epoch.

Owns the estimate: launchers write local time without its zone; where a worker has that time and its error file's,
the difference is the zone's.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from errors_core.joining.drafts import Draft

__all__ = ["estimate_zone"]

_QUARTER = 900
_SLACK = 120  # seconds between the report and the moment at which the launcher noticed the death
_FARTHEST = 14 * 3600


def estimate_zone(drafts: Iterable[Draft]) -> int:
    """Return how many seconds local time is ahead of UTC by most workers that show both; 0 when none does."""
    votes: Counter[int] = Counter()
    for draft in drafts:
        recorded = [s.timestamp for s in draft.sightings if s.timestamp and s.timestamp_source == "error_file"]
        logged = [s.timestamp for s in draft.sightings if s.timestamp and s.timestamp_source == "launcher_log"]
        for time in logged[:4] if recorded else ():
            ahead = time - recorded[0]
            zone = round(ahead / _QUARTER) * _QUARTER
            if abs(ahead - zone) <= _SLACK and abs(zone) <= _FARTHEST:
                votes[zone] += 1
    return votes.most_common(1)[0][0] if votes else 0
