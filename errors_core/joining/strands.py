"""`Strand`: all that one log, run directory or directory of loose files shows, and the marks that tell it from others.

Owns what can be said of such a source as a whole: its times, its workers' ranks, the error files that it names.
It refuses to compare strands (that is `errors_core.joining.agents` and `errors_core.joining.runs`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from errors_core.job import Event
    from errors_core.sightings import Sighting

__all__ = ["Strand", "StrandKind"]

StrandKind = Literal["run_directory", "loose", "log"]

_NAMED_DIRECTORY = re.compile(r"([^/]+)/attempt_\d{1,9}/\d{1,9}/[^/]+$")


@dataclass(eq=False)
class Strand:
    """One source: a run's log directory on one node, loose files of one directory, or what one launcher wrote to a log.

    `parts` is its absolute path (of a log: without suffix), `name` the path as it is shown. `shift` is what its numbers
    of attempts lack, when it begins in the middle of a run.
    """

    kind: StrandKind
    parts: tuple[str, ...]
    name: str
    run_id: str | None = None
    shift: int = 0
    sightings: list[Sighting] = field(default_factory=list)
    events: list[tuple[int | None, Event]] = field(default_factory=list)

    def fresh(self) -> Strand:
        """Return a strand with the same content, that has not been compared with any other yet."""
        return Strand(self.kind, self.parts, self.name, self.run_id, 0, self.sightings, self.events)

    @cached_property
    def floating(self) -> bool:
        """Whether it tells of workers and of no launcher: a scheduler's or kernel's log, workers' text, dumps."""
        if self.kind == "log":
            return not any(_is_launchers(sighting) for sighting in self.sightings)
        return self.kind == "loose" and all(sighting.source == "flight_recorder" for sighting in self.sightings)

    @cached_property
    def named_directory(self) -> str | None:
        """The name of the run directory that the error files in a launcher's log lie in."""
        found = [match[1] for s in self.sightings if s.error_file and (match := _NAMED_DIRECTORY.search(s.error_file))]
        return Counter(found).most_common(1)[0][0] if found else None

    @cached_property
    def attempts(self) -> frozenset[int]:
        """The attempts that it shows."""
        return frozenset(seen.attempt for seen in self.sightings if seen.attempt is not None)

    @cached_property
    def local_ranks(self) -> frozenset[int]:
        """The local ranks that it shows, in any attempt."""
        return frozenset(seen.local_rank for seen in self.sightings if seen.local_rank is not None)

    @cached_property
    def ranks(self) -> frozenset[tuple[int, int]]:
        """Pairs of attempt and global rank that it shows."""
        return frozenset((seen.attempt or 0, seen.rank) for seen in self.sightings if seen.rank is not None)

    @cached_property
    def bases(self) -> dict[int, int]:
        """The global rank of local rank 0, by attempt, where workers show both numbers: torch deals them in a row."""
        local: dict[tuple[int, int], int] = {}
        for seen in self.sightings:
            if seen.rank is not None and seen.local_rank is not None:
                local.setdefault((seen.attempt or 0, seen.local_rank), seen.rank)
        found: dict[int, set[int]] = {}
        for (attempt, local_rank), rank in local.items():
            found.setdefault(attempt, set()).add(rank - local_rank)
        return {attempt: bases.pop() for attempt, bases in found.items() if len(bases) == 1}

    @cached_property
    def hosts(self) -> frozenset[str]:
        """The hosts that it names for its workers."""
        return frozenset(seen.host for seen in self.sightings if seen.host and seen.source != "scheduler_log")

    @cached_property
    def pids(self) -> dict[int, tuple[int | None, int | None]]:
        """Attempt and local rank by process id."""
        return {s.pid: (s.attempt, s.local_rank) for s in self.sightings if s.pid is not None}

    @cached_property
    def recorded(self) -> tuple[float, float] | None:
        """First and last time in its error files, seconds since the epoch."""
        return _span([s.timestamp for s in self.sightings if s.timestamp and s.timestamp_source == "error_file"])

    @cached_property
    def logged(self) -> tuple[float, float] | None:
        """First and last time in its logs: of a time zone that is not known, taken as UTC."""
        times: list[float | None] = [s.timestamp for s in self.sightings if s.timestamp_source == "launcher_log"]
        times += [closing.time for seen in self.sightings for closing in seen.closings]
        times += [seen.last_log_time for seen in self.sightings]
        times += [event.time for _, event in self.events]
        return _span(times)


def _is_launchers(seen: Sighting) -> bool:
    return seen.source == "launcher_log" and seen.pid is not None and (seen.exitcode is not None or bool(seen.closings))


def _span(times: list[float | None] | list[int]) -> tuple[float, float] | None:
    known = [time for time in times if time]
    return (min(known), max(known)) if known else None
