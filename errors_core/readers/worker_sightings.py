"""Streams of worker text → sightings and events, each with its launcher and attempt.

Owns the judgement whose a traceback is: a worker's that a prefix names, the launcher's own, or nobody's. An unsigned
traceback becomes a sighting whose marks (rank, local rank, pid, host) are all `None`, so that joining can give it to
the only worker that it fits; a process that the text itself names is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from errors_core.job import Event, Place
from errors_core.readers.launcher_tracebacks import EVENT_KINDS, build_launcher_event, is_launcher_traceback
from errors_core.sightings import Sighting
from errors_core.tracebacks import summarise
from errors_core.tracebacks.summary import CUT

if TYPE_CHECKING:
    from errors_core.job import ErrorSummary, Hit
    from errors_core.readers.judge import Judge
    from errors_core.readers.launch import Launch
    from errors_core.readers.launches import Launches
    from errors_core.readers.rank_log import RankLog
    from errors_core.readers.worker_text import Stream
    from errors_core.sightings import Reading
    from errors_core.tracebacks import TracebackSpan

__all__ = ["WorkerSightings"]

_SPAWNED = re.compile(r"-- Process (?P<local_rank>\d{1,9}) terminated with the following error:")
_RAY = re.compile(r"\(pid=(?P<pid>\d{1,9}), ip=(?P<host>[\w.:-]+)")
_SAID_ELSEWHERE = frozenset(
    {
        *("child_failed", "launcher_first", "launcher_sigterm", "launcher_forced", "launcher_ext", "signal_exc"),
        *("spawn", "lightning", "deepspeed_kill", "deepspeed_rc", "sigterm", "sigkill", "py_exception"),
    }
)
_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt)(?::|$)")
_CODE = re.compile(r"\s*(?:raise|return|except|assert)\b")
_MAX_NOTES = 200


@dataclass(slots=True, eq=False)
class _Part:
    """What a stream holds of one attempt of one launcher. `rank` is set when the text is one worker's after all."""

    launch: Launch | None
    attempt: int | None
    line: int
    rank: int | None = None
    logs: list[RankLog] = field(default_factory=list)
    spans: list[TracebackSpan] = field(default_factory=list)
    crashes: list[ErrorSummary] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)


class WorkerSightings:
    """Adds to a reading what the streams of one log hold."""

    def __init__(self, reading: Reading, path: str, judge: Judge, launches: Launches, year: int | None) -> None:
        self._reading = reading
        self._path = path
        self._judge = judge
        self._launches = launches
        self._year = year
        self._notes: set[tuple[str | None, str]] = set()

    def add(self, stream: Stream, *, tasks_are_ranks: bool) -> None:
        """Add one stream; with `tasks_are_ranks`, what `srun -l` puts in front is the rank."""
        for part in self._parts(stream, tasks_are_ranks=tasks_are_ranks):
            if part.logs:
                self._add_signed(stream, part)
            elif part.rank is not None:
                self._add_task(part)
            else:
                self._add_unsigned(stream, part)

    # --- one worker's text

    def _add_signed(self, stream: Stream, part: _Part) -> None:
        first, *others = part.logs
        for log in others:
            first.join(log)
        seen = first.sighting()
        seen.source, seen.place = "launcher_log", Place(self._path, seen.place.line or part.line)
        seen.rank, seen.local_rank, seen.pid = stream.rank, stream.local_rank, seen.pid or stream.pid
        seen.stdout_log = seen.stderr_log = None
        seen.hits = self._timed(stream, seen.hits)
        seen.last_log_time = self._last_time(stream, seen.last_log_time)
        self._reading.sightings.append(self._placed(seen, part))

    def _add_task(self, part: _Part) -> None:
        seen = self._placed(Sighting(source="launcher_log", place=Place(self._path, part.line), rank=part.rank), part)
        own = [span for span in part.spans if not span.ignored and not is_launcher_traceback(span.text)]
        seen.error = self._summarise(own[-1]) if own else next(iter(part.crashes), None)
        seen.hits = tuple(part.hits)
        self._reading.sightings.append(seen)

    # --- text that nobody signed

    def _add_unsigned(self, stream: Stream, part: _Part) -> None:
        rest = part.hits
        for span in part.spans:
            within = [hit for hit in rest if _stands_in(hit, span)]
            rest = [hit for hit in rest if hit not in within]
            if _SPAWNED.search(span.text) is None and is_launcher_traceback(span.text):
                event = build_launcher_event(span, self._summarise(span), self._path, part.launch, self._judge)
                if event is not None:
                    self._event(event, part)
            elif not span.ignored:
                self._add_traceback(stream, span, part, within)
        for crash in part.crashes:
            self._reading.sightings.append(self._placed(self._nameless(crash.place.line, crash, ()), part))
        by_line: dict[int | None, list[Hit]] = {}
        for hit in rest:
            by_line.setdefault(hit.place.line, []).append(hit)
        told = {event.place.line for _, event in self._reading.events}
        for line, hits in by_line.items():
            if line not in told:
                self._add_line(part, hits)

    def _add_traceback(self, stream: Stream, span: TracebackSpan, part: _Part, hits: list[Hit]) -> None:
        error = self._summarise(span)
        if error is None or (error.link.type == CUT and (error.link.frame is None or not error.link.frame.own)):
            return
        seen = self._nameless(span.first_line, error, tuple(hits))
        spawned, ray = _SPAWNED.search(span.text), _RAY.search(span.text)
        if spawned is not None:
            seen.local_rank, seen.exitcode = int(spawned["local_rank"]), 1
        elif ray is not None:
            seen.pid, seen.host = int(ray["pid"]), ray["host"]
        elif stream.writer is not None and all(other.writer != stream.writer for other in self._launches.all):
            seen.pid = stream.pid
        self._reading.sightings.append(self._placed(seen, part))

    def _add_line(self, part: _Part, hits: list[Hit]) -> None:
        """Add one line that matches signatures: as an exception whose traceback is lost, or as an event."""
        text = hits[0].text
        if _CODE.match(text):
            return
        name = self._judge.name(text)
        hit = next((hit for hit in hits if hit.signature == name), hits[0])
        kind = EVENT_KINDS.get(hit.signature, "note")
        if kind == "note" and _EXCEPTION.match(text):
            self._add_bare_exception(part, hits)
        elif hit.signature not in _SAID_ELSEWHERE:
            event = Event(kind, text, hit.place, time=hit.time, fields=hit.fields, signature=hit.signature)
            self._event(event, part)

    def _add_bare_exception(self, part: _Part, hits: list[Hit]) -> None:
        """Add the last line of a traceback whose frames are lost, unless a whole one says the same."""
        text, place = hits[0].text, hits[0].place
        if is_launcher_traceback(text):
            return
        error = summarise(text, place, keep_text=True, message=text, is_echo=self._judge.is_echo)
        seen = {known.error.links[-1].title for known in self._reading.sightings if known.error is not None}
        if error is not None and error.links[-1].title not in seen:
            self._reading.sightings.append(self._placed(self._nameless(place.line, error, tuple(hits)), part))

    # --- helpers

    def _parts(self, stream: Stream, *, tasks_are_ranks: bool) -> list[_Part]:
        """Return what a stream holds, parted by launcher and attempt."""
        parts: dict[tuple[str | None, int | None], _Part] = {}
        task = stream.context.task if tasks_are_ranks and not stream.of_worker else None

        def part(line: int) -> _Part:
            launch = self._launches.at(stream.context, line, stream.rank)
            attempt = launch.attempt_at(line) if launch is not None else None
            key = (launch.name if launch is not None else None, attempt)
            return parts.setdefault(key, _Part(launch, attempt, line, task))

        for line, log in stream.signed:
            part(line).logs.append(log)
        for line, text in stream.unsigned:
            for span in text.spans:
                part(span.first_line).spans.append(span)
            for hit in self._timed(stream, text.collector.hits()):
                part(hit.place.line or line).hits.append(hit)
            if text.crashes.last is not None:
                part(text.crashes.last.line).crashes.append(text.crashes.last.summary(self._path))
            if task is not None:
                part(line)
        return list(parts.values())

    def _placed(self, seen: Sighting, part: _Part) -> Sighting:
        """Say which launcher and attempt a sighting belongs to."""
        seen.launcher = part.launch.name if part.launch is not None else self._path
        seen.run_id = part.launch.run_id if part.launch is not None else None
        seen.attempt = part.attempt
        return seen

    def _nameless(self, line: int | None, error: ErrorSummary, hits: tuple[Hit, ...]) -> Sighting:
        return Sighting(source="launcher_log", place=Place(self._path, line), error=error, hits=hits)

    def _summarise(self, span: TracebackSpan) -> ErrorSummary | None:
        place = Place(self._path, span.first_line)
        return summarise(span.text, place, keep_text=True, is_echo=self._judge.is_echo)

    def _event(self, event: Event, part: _Part) -> None:
        key = (event.signature, event.text)
        if key not in self._notes and len(self._notes) < _MAX_NOTES:
            self._notes.add(key)
            self._reading.events.append((part.attempt, event))

    def _last_time(self, stream: Stream, known: float | None) -> float | None:
        times = [time for number in stream.yearless if (time := self._time(stream, number)) is not None]
        return max([*times, *([known] if known is not None else [])], default=None)

    def _time(self, stream: Stream, line: int | None) -> float | None:
        time = stream.yearless.get(line or 0)
        return time.in_year(self._year) if time is not None and self._year is not None else None

    def _timed(self, stream: Stream, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Give hits the time of their line where that writes no year."""
        if not stream.yearless:
            return hits
        return tuple(hit if hit.time else replace(hit, time=self._time(stream, hit.place.line)) for hit in hits)


def _stands_in(hit: Hit, span: TracebackSpan) -> bool:
    """Tell whether a hit is part of a traceback; of a log in one line, only the words tell."""
    if span.first_line == span.last_line and hit.text.strip()[:80] not in span.text:
        return False
    return span.first_line <= (hit.place.line or 0) <= span.last_line
