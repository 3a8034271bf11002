"""A launcher's output → a reading: what torchrun (torch 1.8 to now) and its kin printed, and workers in between.

Owns what becomes of everything that `launcher_pass` found in such a file, lines of schedulers and of the kernel
included. It decides nothing: a signed line belongs to the worker that its prefix names; an unsigned traceback becomes
a sighting without any mark (`worker_sightings`), which joining may give to a worker that it fits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from errors_core.job import Event, Place, Problem
from errors_core.readers.judge import Judge
from errors_core.readers.launcher_lines import Finding, parse_launcher_line
from errors_core.readers.launcher_pass import LauncherPass
from errors_core.readers.launcher_sightings import LauncherSightings, parse_run_directory
from errors_core.readers.launcher_tracebacks import EVENT_KINDS
from errors_core.readers.launches import Launches
from errors_core.readers.log_lines import LogLine, LogLines
from errors_core.readers.log_selection import FIRST_LINES, LAST_LINES, select_lines
from errors_core.readers.other_launchers import build_other_event, build_other_sighting
from errors_core.readers.scheduler_log import build_scheduler_event, build_task_sightings
from errors_core.readers.worker_sightings import WorkerSightings
from errors_core.readers.worker_text import WorkerText
from errors_core.sightings import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.diagnosis.signatures import Signature
    from errors_core.readers.agent_records import Dump
    from errors_core.readers.summary_entries import Block

__all__ = ["read_launcher_log"]


def read_launcher_log(stream: BinaryIO, path: str, signatures: Sequence[Signature]) -> Reading:
    """Read what launchers, schedulers and workers wrote into one file."""
    judge = Judge(signatures)
    collected = LauncherPass(WorkerText(path, signatures, judge.is_echo))
    held: LogLine | None = None
    count = 0
    for line in LogLines().parse(select_lines(stream, signatures)):
        if held is not None:
            collected.take(held, line.text)
        held, count = line, count + 1
    if held is not None:
        collected.take(held, "")
    reading = _Builder(collected, path, judge).build()
    if count >= FIRST_LINES + LAST_LINES:
        problem = f"too many lines of note: only the first {FIRST_LINES:,} and the last {LAST_LINES:,} were read"
        reading.problems.append(Problem(path, problem))
    return reading


class _Builder:
    """Turns what was found into a reading."""

    def __init__(self, collected: LauncherPass, path: str, judge: Judge) -> None:
        self._found = collected
        self._path = path
        self._judge = judge
        self._reading = Reading()
        self._launches = Launches()
        self._year = collected.year()
        self._said = LauncherSightings(self._reading, path, judge, self._year)

    def build(self) -> Reading:
        """Return everything, the launchers' words first."""
        self._assign()
        for launch in self._launches.all:
            self._said.add(launch)
        for result in self._found.rendezvous.results:
            starter = self._launches.at(result.line.context, result.line.number, None)
            if starter is not None:
                self._said.add_rendezvous(starter, result)
        self._add_dumps()
        self._add_others()
        self._add_scheduler()
        self._add_text()
        return self._reading

    def _assign(self) -> None:
        """Give findings and summaries to launchers, in the order of the text."""
        spoken: list[tuple[int, Finding | Block]] = [(found.line.number, found) for found in self._found.launcher]
        spoken += [(block.line, block) for block in self._found.blocks() if block.tells]
        spoken += [(found.line.number, found) for found in map(_find_signal, self._found.dumps.dumps) if found]
        for _, said in sorted(spoken, key=lambda item: item[0]):
            if isinstance(said, Finding):
                self._launches.add(said)
            else:
                self._launches.add_block(said)
        self._launches.settle(self._path)
        for launch in self._launches.all:
            for found in launch.findings:
                if found.kind == "log_directory":
                    launch.run_id = parse_run_directory(found.values["directory"])

    def _add_dumps(self) -> None:
        """Add printed reports: a worker's when a prefix names it, else the launcher's own end."""
        for dump in self._found.dumps.dumps:
            report = dump.report()
            if report is None:
                continue
            line = dump.line
            attempt = self._attempt(line)
            if line.of_worker:
                self._said.add_report(line, attempt, report)
                continue
            if _find_signal(dump) is None:
                name = self._judge.name(report.message)
                kind, place = EVENT_KINDS.get(name or "", "note"), Place(self._path, line.number)
                self._reading.events.append((attempt, Event(kind, report.message[:500], place, signature=name)))

    def _add_others(self) -> None:
        for found in self._found.others:
            attempt = self._attempt(found.line)
            seen = build_other_sighting(found, self._path)
            if seen is not None:
                launch = self._launches.at(found.line.context, found.line.number, None)
                seen.launcher, seen.attempt = launch.name if launch is not None else self._path, attempt
                self._reading.sightings.append(seen)
            event = build_other_event(found, self._path, self._said.time(found), self._judge.name(found.line.text))
            if event is not None:
                self._reading.events.append((attempt, event))

    def _add_scheduler(self) -> None:
        for found in self._found.scheduler:
            name = self._judge.name(found.line.text)
            event = build_scheduler_event(found, self._path, self._said.time(found), name)
            self._reading.events.append((self._attempt(found.line), event))
            self._reading.sightings += build_task_sightings(
                found, self._path, name, tasks_are_ranks=self._found.tasks_are_ranks and not self._launches.all
            )

    def _add_text(self) -> None:
        self._found.text.skip()
        workers = WorkerSightings(self._reading, self._path, self._judge, self._launches, self._year)
        for stream in sorted(self._found.text.streams, key=lambda stream: not stream.of_worker):
            workers.add(stream, tasks_are_ranks=self._found.tasks_are_ranks)

    def _attempt(self, line: LogLine) -> int | None:
        launch = self._launches.at(line.context, line.number, line.marks.rank)
        return launch.attempt_at(line.number) if launch is not None else None


def _find_signal(dump: Dump) -> Finding | None:
    """Return that the launcher printed its own end by a signal, if that is what the report says."""
    report = None if dump.line.of_worker else dump.report()
    if report is None:
        return None
    return parse_launcher_line(LogLine(dump.line.number, replace(dump.line.marks, text=report.message)))
