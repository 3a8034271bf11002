"""An error file's report → a sighting of the worker that wrote it.

Owns what of a report the picture of a job keeps. It refuses to parse files (that is `errors_core.error_file`).
"""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING

from errors_core.job import Place
from errors_core.sightings import Sighting
from errors_core.tracebacks import summarise

if TYPE_CHECKING:
    from collections.abc import Callable

    from errors_core.error_report import ErrorReport
    from errors_core.readers.tree import Spot

__all__ = ["LONGEST_MESSAGE", "build_error_sighting", "cut_message"]

LONGEST_MESSAGE = 4096
"""Characters of a failure's message that the picture keeps; the file has the rest."""


def build_error_sighting(report: ErrorReport, path: str, spot: Spot, is_echo: Callable[[str], bool]) -> Sighting:
    """Return what an error file says; where its place names attempt and local rank, these count more than its keys."""
    place = Place(path)
    frames = None if report.recorder_frames else report.traceback
    return Sighting(
        source="error_file",
        place=place,
        run_id=spot.home.run_id or report.run_id,
        attempt=spot.attempt if spot.attempt is not None else report.restart_count,
        launcher=spot.home.key,
        local_rank=spot.local_rank if spot.local_rank is not None else report.local_rank,
        rank=report.rank if report.rank is not None else spot.rank,
        group_rank=report.group_rank,
        world_size=report.world_size,
        host=_shared(report.hostname),
        role=_shared(report.role),
        pid=report.pid,
        exitcode=report.exitcode,
        timestamp=report.timestamp,
        timestamp_ns=report.timestamp_ns,
        timestamp_source="error_file" if report.timestamp is not None else None,
        message=cut_message(report.message),
        error=summarise(frames or "", place, message=report.message, is_echo=is_echo),
        error_file=path,
    )


def cut_message(message: str | None) -> str | None:
    """Cut a message to what the picture keeps; equal ones share their memory."""
    if message is None:
        return None
    return intern(message if len(message) <= LONGEST_MESSAGE else f"{message[: LONGEST_MESSAGE - 1]}…")


def _shared(text: str | None) -> str | None:
    return None if text is None else intern(text)
