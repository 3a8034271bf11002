"""Builders of strands and sightings with what a test needs, and nothing else."""

from __future__ import annotations

from typing import Any

from errors_core.job import Closing, ErrorSummary, Link, Place, Run, Worker
from errors_core.joining import Strand, join_sightings
from errors_core.sightings import Sighting

NOON = 1796126400


def summary(title: str = "ValueError: bad", path: str = "x.log", line: int | None = 1) -> ErrorSummary:
    """A traceback's summary; equal titles have equal fingerprints."""
    kind, _, message = title.partition(": ")
    return ErrorSummary((Link(kind, message),), 0, title, title, Place(path, line), text=f"{title}\n")


def run_directory(path: str, *, run_id: str | None = "job", ranks: int = 2, **marks: Any) -> Strand:
    """A run's log directory with silent workers; `marks` are given to all of them."""
    strand = Strand("run_directory", tuple(path.split("/")), path, run_id)
    for local_rank in range(ranks):
        place = Place(f"{path}/attempt_0/{local_rank}")
        values = {"attempt": 0, "run_id": run_id, "local_rank": local_rank, **marks}
        strand.sightings.append(Sighting(source="directory", place=place, launcher=path, **values))
    return strand


def launcher(path: str, *sightings: Sighting, run_id: str | None = None) -> Strand:
    """A launcher's log; `path` has no suffix."""
    return Strand("log", tuple(path.split("/")), f"{path}.log", run_id, sightings=list(sightings))


def end(path: str, line: int, **marks: Any) -> Sighting:
    """A line of a launcher about one worker."""
    values = {"attempt": 0, **marks}
    return Sighting(source="launcher_log", place=Place(f"{path}.log", line), launcher=f"{path}.log", **values)


def stopped(path: str, line: int, pid: int, **marks: Any) -> Sighting:
    """`Sending process <pid> closing signal SIGTERM`."""
    return end(path, line, pid=pid, closings=(Closing(15, Place(f"{path}.log", line)),), **marks)


def error_file(strand: Strand, local_rank: int, title: str = "ValueError: bad", **marks: Any) -> Sighting:
    """Add an error file to a strand."""
    path = f"{'/'.join(strand.parts)}/attempt_0/{local_rank}/error.json"
    values = {
        "attempt": 0,
        "local_rank": local_rank,
        "timestamp": NOON,
        "timestamp_source": "error_file",
        "message": title,
        "error": summary(title, path, None),
        "error_file": path,
        **marks,
    }
    strand.sightings.append(Sighting(source="error_file", place=Place(path), launcher=strand.name, **values))
    return strand.sightings[-1]


def joined(*strands: Strand, root: str = "top") -> tuple[Run, ...]:
    """Join strands below one input."""
    return join_sightings(strands, [tuple(root.split("/"))])


def workers(*strands: Strand) -> list[Worker]:
    """Join strands that must be one run of one attempt, and return its workers."""
    (run,) = joined(*strands)
    (attempt,) = run.attempts
    return list(attempt.workers)
