"""`Sighting`: what one reader saw of one worker at one place, and `Reading`: all that it saw in one file.

A reader decides nothing: it says which marks (run, attempt, node, rank, pid, …) the place shows and which facts
stand there. `errors_core.joining` puts the sightings of one worker together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.job import Closing, CollectiveProgress, ErrorSummary, Event, Hit, Place, Problem, TimestampSource

__all__ = ["Reading", "Sighting"]


@dataclass(slots=True, kw_only=True)
class Sighting:
    """One worker as one place shows it; every mark and fact that the place does not show is `None` or empty.

    `source` is `error_file`, `directory`, `worker_log`, `launcher_log`, `scheduler_log`, `flight_recorder`
    or `derived` (what follows from other workers' sightings).
    `attempt` is `None` when the source does not tell; `message` is the text of the failure as the source gives it.
    `launcher` names the log that the sighting comes from, so that two launchers' local ranks stay apart.
    The other fields mean what they mean in `errors_core.job.Worker`.
    """

    source: str
    place: Place
    run_id: str | None = None
    attempt: int | None = None
    node: str | None = None
    launcher: str | None = None
    local_rank: int | None = None
    rank: int | None = None
    group_rank: int | None = None
    world_size: int | None = None
    host: str | None = None
    role: str | None = None
    pid: int | None = None
    exitcode: int | None = None
    timestamp: int | None = None
    timestamp_ns: int | None = None
    timestamp_source: TimestampSource | None = None
    message: str | None = None
    error: ErrorSummary | None = None
    hits: tuple[Hit, ...] = ()
    closings: tuple[Closing, ...] = ()
    summary_index: int | None = None
    launcher_root: bool = False
    error_file: str | None = None
    stdout_log: str | None = None
    stderr_log: str | None = None
    last_step: int | None = None
    last_log_time: float | None = None
    collectives: tuple[CollectiveProgress, ...] = ()


@dataclass(slots=True)
class Reading:
    """All that a reader saw in one file. `events` are pairs of the attempt number (`None`: not told) and the event."""

    sightings: list[Sighting] = field(default_factory=list)
    events: list[tuple[int | None, Event]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
