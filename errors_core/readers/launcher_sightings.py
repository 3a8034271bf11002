"""What one launcher said → sightings and events.

Owns the meaning of each kind of finding and of each entry of a summary, once it is known which attempt they are about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.job import Closing, Event, Place
from errors_core.log_times import YearlessTime
from errors_core.readers.agent_records import parse_worker_event
from errors_core.readers.launch import parse_run_place
from errors_core.readers.other_launchers import parse_signal
from errors_core.readers.summary_sightings import fill_from_entry, fill_from_report
from errors_core.sightings import Sighting
from errors_core.signals import signal_name

if TYPE_CHECKING:
    from errors_core.error_report import ErrorReport
    from errors_core.readers.agent_records import Rendezvous
    from errors_core.readers.judge import Judge
    from errors_core.readers.launch import Launch
    from errors_core.readers.launcher_lines import Finding
    from errors_core.readers.log_lines import LogLine
    from errors_core.readers.summary_entries import Entry
    from errors_core.sightings import Reading

__all__ = ["LauncherSightings", "parse_run_directory"]

_MARKS_ALONE = frozenset({"parent", "no_error_file", "no_error_file_tuple", "notice"})
_EVENT_KINDS = {
    "death": "launcher_signal",
    "signal_exception": "launcher_signal",
    "restart": "restart",
    "membership": "restart",
    "usage": "usage",
}
_SIGNATURES = {"death": "launcher_ext", "signal_exception": "signal_exc"}
_RUN_DIRECTORY = re.compile(r"(?:^|/)(?P<run_id>[^/\s]+)_[a-z0-9_]{6,8}/?$")


class LauncherSightings:
    """Adds to a reading what the launchers of one log said."""

    def __init__(self, reading: Reading, path: str, judge: Judge, year: int | None) -> None:
        self._reading = reading
        self._path = path
        self._judge = judge
        self._year = year

    def add(self, launch: Launch) -> None:
        """Add one launcher."""
        for finding in launch.findings:
            if finding.kind in ("closing", "forced"):
                self._add_closing(launch, finding)
            elif finding.kind == "failed":
                self._add_failed(launch, finding)
            elif finding.kind == "worker_event":
                self._add_worker_event(launch, finding)
            elif finding.kind in _MARKS_ALONE:
                self._reading.sightings.append(self._sighting(launch, finding))
            elif finding.kind in _EVENT_KINDS:
                self._add_event(launch, finding)
        if launch.block is not None:
            for entry in launch.block.entries:
                self._add_entry(launch, entry)

    def add_rendezvous(self, launch: Launch, result: Rendezvous) -> None:
        """Add the workers that a rendezvous told this node to start."""
        ranks, local_ranks = result.numbers("global_ranks"), result.numbers("local_ranks")
        sizes, groups = result.numbers("global_world_sizes"), result.numbers("group_rank")
        for local_rank, rank in zip(local_ranks, ranks, strict=False):
            seen = self._blank(launch, result.line.number)
            seen.rank, seen.local_rank = rank, local_rank
            seen.world_size = sizes[0] if sizes else None
            seen.group_rank = groups[0] if groups else None
            self._reading.sightings.append(seen)

    def add_report(self, line: LogLine, attempt: int | None, report: ErrorReport) -> None:
        """Add a report that a worker printed because no error file was arranged."""
        place = Place(self._path, line.number)
        seen = Sighting(source="launcher_log", place=place, launcher=self._path, attempt=attempt)
        seen.rank, seen.local_rank, seen.host = line.marks.rank, line.marks.local_rank, line.marks.host
        fill_from_report(seen, report, self._judge)
        self._reading.sightings.append(seen)

    def time(self, finding: Finding) -> float | None:
        """Return the line's own time, seconds since the epoch."""
        marks = finding.line.marks
        if marks.time is None and isinstance(marks.yearless, YearlessTime) and self._year is not None:
            return marks.yearless.in_year(self._year)
        return marks.time

    # --- single lines

    def _blank(self, launch: Launch, line: int) -> Sighting:
        return Sighting(
            source="launcher_log",
            place=Place(self._path, line),
            run_id=launch.run_id,
            launcher=launch.name,
            attempt=launch.attempt_at(line),
        )

    def _sighting(self, launch: Launch, finding: Finding) -> Sighting:
        """Return a sighting with the marks that the line holds."""
        seen = self._blank(launch, finding.line.number)
        seen.host = finding.line.marks.host
        seen.local_rank, seen.pid, seen.exitcode = map(finding.number, ("local_rank", "pid", "exitcode"))
        place = parse_run_place(finding.values.get("error_file"))
        if place is not None:
            seen.run_id, seen.attempt, seen.local_rank = place.run_id or seen.run_id, place.attempt, place.local_rank
        if finding.kind == "parent":
            seen.error_file = finding.values["error_file"]
        return seen

    def _add_closing(self, launch: Launch, finding: Finding) -> None:
        signal = parse_signal(finding.values.get("signal"))
        if signal is not None:
            seen = self._sighting(launch, finding)
            forced = finding.kind == "forced"
            seen.closings = (Closing(signal, seen.place, forced=forced, time=self.time(finding)),)
            self._reading.sightings.append(seen)

    def _add_failed(self, launch: Launch, finding: Finding) -> None:
        """Add the line that names an attempt's first failure; without a summary it is the launcher's pick."""
        seen = self._sighting(launch, finding)
        if launch.block is None or seen.pid not in launch.block.pids:
            time = self.time(finding)
            if time is not None:
                seen.timestamp, seen.timestamp_source = int(time), "launcher_log"
            seen.launcher_root = True
            self._add_pick(seen, finding.line.text.strip())
        self._reading.sightings.append(seen)

    def _add_worker_event(self, launch: Launch, finding: Finding) -> None:
        event = parse_worker_event(finding.line.text)
        if event is None:
            return
        seen = self._sighting(launch, finding)
        seen.rank, seen.local_rank, seen.group_rank = event.rank, event.local_rank, event.group_rank
        seen.world_size, seen.pid, seen.host, seen.role = event.world_size, event.pid, event.host, event.role
        seen.run_id = event.run_id or seen.run_id
        if event.restarts is not None:
            seen.attempt = event.restarts
        if event.status == "SUCCEEDED":
            seen.exitcode = 0
        if event.report is not None:
            fill_from_report(seen, event.report, self._judge)
        self._reading.sightings.append(seen)

    def _add_event(self, launch: Launch, finding: Finding) -> None:
        line = finding.line.number
        fields = dict(finding.values)
        signal = parse_signal(fields.get("signal"))
        if signal is not None:
            fields["signal"] = signal_name(-signal) or str(signal)
        if finding.kind == "signal_exception" and any(found.kind == "death" for found in launch.findings):
            return
        event = Event(
            kind=_EVENT_KINDS[finding.kind],
            text=finding.line.text.strip()[:500],
            place=Place(self._path, line),
            time=self.time(finding),
            fields=tuple(fields.items()),
            signature=_SIGNATURES.get(finding.kind),
        )
        self._reading.events.append((launch.attempt_at(line), event))

    def _add_entry(self, launch: Launch, entry: Entry) -> None:
        seen = self._blank(launch, entry.line)
        seen.attempt = launch.block_attempt()
        fill_from_entry(seen, entry, self._judge)
        self._reading.sightings.append(seen)
        if entry.root:
            where = f"rank {seen.rank} (local_rank: {seen.local_rank})"
            self._add_pick(seen, f"Root Cause: {where}, exitcode {seen.exitcode}")

    def _add_pick(self, seen: Sighting, text: str) -> None:
        marks = {"rank": seen.rank, "local_rank": seen.local_rank, "host": seen.host, "pid": seen.pid}
        fields = tuple((name, str(value)) for name, value in marks.items() if value is not None)
        self._reading.events.append((seen.attempt, Event("launcher_pick", text[:500], seen.place, fields=fields)))


def parse_run_directory(path: str) -> str | None:
    """Return the run id in the name of a run's log directory, `<run id>_<random>`."""
    match = _RUN_DIRECTORY.search(path)
    return match["run_id"] if match is not None else None
