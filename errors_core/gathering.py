"""`Gathered`: what was read so far, sorted into strands, and the picture that it gives.

Owns the bookkeeping between reading and joining: which sightings and events of a file belong to which launcher.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.job import Job
from errors_core.joining import Strand, join_sightings

if TYPE_CHECKING:
    from errors_core.evidence import FileReading
    from errors_core.finding import Findings
    from errors_core.job import Event, Problem
    from errors_core.joining.strands import StrandKind
    from errors_core.readers.tree import Home
    from errors_core.sightings import Reading

__all__ = ["Gathered"]


class Gathered:
    """Takes readings in any order; a picture can be drawn at any time."""

    def __init__(self, found: Findings) -> None:
        self._roots = found.roots
        self._problems: list[Problem] = list(found.problems)
        self._strands: dict[tuple[str, str | None], Strand] = {}
        self._files = 0

    def add(self, read: FileReading) -> None:
        """Take what was read in one place."""
        self._files += read.files
        self._problems += read.reading.problems
        if read.home is not None:
            self._add_home(read.home, read.reading)
        elif read.log is not None:
            self._add_log(read.log, read.path, read.reading)

    def job(self, inputs: tuple[str, ...]) -> Job:
        """Return the picture."""
        strands = [strand.fresh() for strand in self._strands.values()]
        return Job(
            inputs=inputs,
            runs=join_sightings(strands, self._roots),
            problems=tuple(dict.fromkeys(self._problems)),
            files_read=self._files,
        )

    def _add_home(self, home: Home, reading: Reading) -> None:
        """Add what workers left; loose files of several runs in one directory are kept apart by the ids they hold."""
        kind: StrandKind = "run_directory" if home.laid_out else "loose"
        for sighting in reading.sightings:
            run_id = home.run_id if home.laid_out else sighting.run_id
            key = (f"{kind} {home.key}", run_id)
            if key not in self._strands:
                self._strands[key] = Strand(kind, home.parts, home.key, run_id)
            self._strands[key].sightings.append(sighting)

    def _add_log(self, parts: tuple[str, ...], path: str, reading: Reading) -> None:
        """Add a log: a strand for each launcher that speaks in it, and one for what cannot be given to any of them."""
        launchers = dict.fromkeys(s.launcher for s in reading.sightings if s.launcher is not None)
        strands = {name: Strand("log", parts, name) for name in launchers}
        rest = next(iter(strands.values())) if len(strands) == 1 else Strand("log", parts, path)
        for sighting in reading.sightings:
            (strands[sighting.launcher] if sighting.launcher is not None else rest).sightings.append(sighting)
        for attempt, event in reading.events:
            _strand_of(event, strands, rest).events.append((attempt, event))
        for strand in {id(strand): strand for strand in (*strands.values(), rest)}.values():
            if strand.sightings or strand.events:
                self._strands[f"log {strand.name}", None] = strand


def _strand_of(event: Event, strands: dict[str, Strand], rest: Strand) -> Strand:
    """Return the launcher that an event of a log with several of them belongs to: by the process that it names."""
    pid = dict(event.fields).get("pid", "")
    if len(strands) < 2 or not pid.isdigit():
        return rest
    numbers = {name: {s.pid for s in strand.sightings} for name, strand in strands.items()}
    return next((strands[name] for name, pids in numbers.items() if int(pid) in pids), rest)
