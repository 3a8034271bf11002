"""Streams of worker text → sightings and events, each with its launcher and attempt.

Owns the judgement whose a traceback is: a worker's that a prefix names, the launcher's own, or nobody's. An unsigned
traceback becomes a sighting whose marks (rank, local rank, pid, host) are all `None`, so that joining can give it to
the only worker that it fits; a process index that the text itself names is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from errors_core.diagnosis.signatures import match
from errors_core.job import Event, Hit, Place
from errors_core.log_times import YearlessTime
from errors_core.readers.scan import find_hits
from errors_core.sightings import Sighting
from errors_core.tracebacks import summarise
from errors_core.tracebacks.summary import CUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.diagnosis.signatures import Signature
    from errors_core.job import ErrorSummary
    from errors_core.readers.launches import Launch, Launches
    from errors_core.readers.worker_text import Stream
    from errors_core.sightings import Reading
    from errors_core.tracebacks import TracebackSpan

__all__ = ["EVENT_KINDS", "WorkerSightings", "is_launcher_frame", "is_launcher_traceback"]

_LAUNCHER_FRAME = re.compile(
    r"torch[/\\]distributed[/\\](?:run|launch|launcher[/\\]api)\.py"
    r"|torch[/\\]distributed[/\\]elastic[/\\](?:agent|rendezvous)[/\\]"
    r"|accelerate[/\\]commands[/\\]|deepspeed[/\\]launcher[/\\]|bin[/\\](?:torchrun|accelerate|deepspeed)\b"
)
_LAUNCHER_END = re.compile(r"^(?:\w+\.)*(?:ChildFailedError|SignalException|ProcessExitedException)\b", re.MULTILINE)
_SPAWNED = re.compile(r"-- Process (?P<local_rank>\d{1,9}) terminated with the following error:")
_RAY = re.compile(r"\(pid=(?P<pid>\d{1,9}), ip=(?P<host>[\w.:-]+)")
_AGENT_RUNS = re.compile(r"elastic[/\\]agent[/\\]server|launch_agent")
EVENT_KINDS = {
    "rdzv_conn": "rendezvous",
    "rdzv_closed": "rendezvous",
    "rdzv_timeout": "rendezvous",
    "rdzv_dead": "rendezvous",
    "port_in_use": "port",
}
_SAID_ELSEWHERE = frozenset(
    {
        *("child_failed", "launcher_first", "launcher_sigterm", "launcher_forced", "launcher_ext", "signal_exc"),
        *("subproc", "spawn", "lightning", "deepspeed_kill", "deepspeed_rc", "sigterm", "sigkill", "py_exception"),
    }
)
_SAID_OTHERWISE = re.compile(
    r"(?:ChildFailedError|SignalException|ProcessExitedException|CalledProcessError)$|^" + re.escape(CUT)
)
_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt)(?::|$)")
_CODE = re.compile(r"\s*(?:raise|return|except|assert)\b")
_MAX_NOTES = 200


def is_launcher_frame(text: str) -> bool:
    """Tell whether a line names a file of a launcher."""
    return _LAUNCHER_FRAME.search(text) is not None


def is_launcher_traceback(text: str) -> bool:
    """Tell whether a traceback is the launcher's own: its frames run through torchrun, or it ends as only that does."""
    return _LAUNCHER_FRAME.search(text) is not None or _LAUNCHER_END.search(text) is not None


@dataclass(slots=True, eq=False)
class _Part:
    """What a stream holds of one attempt of one launcher."""

    launch: Launch | None
    attempt: int | None
    line: int
    spans: list[TracebackSpan] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)

    @property
    def first_line(self) -> int:
        """Where what it tells begins."""
        lines = [span.first_line for span in self.spans] + [hit.place.line or self.line for hit in self.hits]
        return min(lines, default=self.line)


class WorkerSightings:
    """Adds to a reading what the streams of one log hold."""

    def __init__(self, reading: Reading, path: str, signatures: Sequence[Signature], launches: Launches) -> None:
        self._reading = reading
        self._path = path
        self._signatures = signatures
        self._launches = launches
        self._year: int | None = None
        self._notes: set[tuple[str | None, str]] = set()

    def add(self, stream: Stream, year: int | None, *, tasks_are_ranks: bool) -> None:
        """Add one stream; `year` completes times that have none."""
        self._year = year
        if tasks_are_ranks and stream.rank is None and stream.context.task is not None:
            stream.rank = stream.context.task
        hits = self._timed(stream, find_hits(stream.texts, self._path, self._signatures))
        for part in self._by_attempt(stream, hits):
            if stream.of_worker:
                self._add_worker(stream, part)
            else:
                self._add_unsigned(stream, part)

    # --- one worker's text

    def _add_worker(self, stream: Stream, part: _Part) -> None:
        sighting = self._sighting(part, part.first_line)
        sighting.rank, sighting.local_rank = stream.rank, stream.local_rank
        sighting.role, sighting.host, sighting.pid = stream.role, stream.host, stream.pid
        sighting.error = self._telling(part.spans)
        sighting.hits = tuple(part.hits)
        times = [time for number in stream.times if (time := self._time(stream, number)) is not None]
        sighting.last_log_time = max(times, default=None)
        self._reading.sightings.append(sighting)

    def _telling(self, spans: list[TracebackSpan]) -> ErrorSummary | None:
        """Return the traceback that ended the worker: the last one that Python did not go on after."""
        for span in sorted(spans, key=lambda span: (span.leading is None, span.last_line), reverse=True):
            if not span.ignored and not is_launcher_traceback(span.text):
                summary = self._summarise(span)
                if summary is not None:
                    return summary
        return None

    # --- text that nobody signed

    def _add_unsigned(self, stream: Stream, part: _Part) -> None:
        rest = part.hits
        for span in part.spans:
            within = [hit for hit in rest if span.first_line <= (hit.place.line or 0) <= span.last_line]
            rest = [hit for hit in rest if hit not in within]
            if _SPAWNED.search(span.text) is None and is_launcher_traceback(span.text):
                self._add_launcher_traceback(span, part)
            elif not span.ignored:
                self._add_traceback(stream, span, part, within)
        by_line: dict[int | None, list[Hit]] = {}
        for hit in rest:
            by_line.setdefault(hit.place.line, []).append(hit)
        for hits in by_line.values():
            self._add_line(part, hits)

    def _add_traceback(self, stream: Stream, span: TracebackSpan, part: _Part, hits: list[Hit]) -> None:
        error = self._summarise(span)
        if error is None or (error.link.type == CUT and (error.link.frame is None or not error.link.frame.own)):
            return
        sighting = self._sighting(part, span.first_line)
        spawned, ray = _SPAWNED.search(span.text), _RAY.search(span.text)
        if spawned is not None:
            sighting.local_rank, sighting.exitcode = int(spawned["local_rank"]), 1
        elif ray is not None:
            sighting.pid, sighting.host = int(ray["pid"]), ray["host"]
        elif stream.writer is not None and all(other.writer != stream.writer for other in self._launches.all):
            sighting.pid = stream.pid
        sighting.error, sighting.hits = error, tuple(hits)
        self._reading.sightings.append(sighting)

    def _add_launcher_traceback(self, span: TracebackSpan, part: _Part) -> None:
        """Say why the launcher itself ended, unless its other lines do."""
        error = self._summarise(span)
        if error is None or _SAID_OTHERWISE.search(error.links[-1].type):
            return
        last = error.links[-1]
        place = Place(self._path, span.last_line)
        if last.type == "KeyboardInterrupt":
            if part.launch is None or not any(found.kind == "death" for found in part.launch.findings):
                self._event(Event("launcher_signal", last.title, place, fields=(("signal", "SIGINT"),)), part.attempt)
            return
        signature = match(last.title, self._signatures)
        name = signature.id if signature is not None else None
        kind = EVENT_KINDS.get(name or "", "note" if _AGENT_RUNS.search(span.text) else "usage")
        self._event(Event(kind, last.title[:500], place, signature=name), part.attempt)

    def _add_line(self, part: _Part, hits: list[Hit]) -> None:
        """Add one line that matches signatures: as an exception whose traceback is lost, or as an event."""
        text = hits[0].text
        best = match(text, self._signatures)
        hit = next((hit for hit in hits if best is not None and hit.signature == best.id), hits[0])
        if _CODE.match(text):
            return
        kind = EVENT_KINDS.get(hit.signature, "note")
        if kind == "note" and _EXCEPTION.match(text) and self._add_bare_exception(part, hits):
            return
        if hit.signature not in _SAID_ELSEWHERE:
            event = Event(kind, text, hit.place, time=hit.time, fields=hit.fields, signature=hit.signature)
            self._event(event, part.attempt)

    def _add_bare_exception(self, part: _Part, hits: list[Hit]) -> bool:
        text, place = hits[0].text, hits[0].place
        error = summarise(text, place, keep_text=True, message=text, is_echo=self._is_echo)
        if error is None or _SAID_OTHERWISE.search(error.links[-1].type):
            return False
        seen = {known.error.links[-1].title for known in self._reading.sightings if known.error is not None}
        if error.links[-1].title not in seen:
            sighting = self._sighting(part, place.line)
            sighting.error, sighting.hits = error, tuple(hits)
            self._reading.sightings.append(sighting)
        return True

    # --- helpers

    def _by_attempt(self, stream: Stream, hits: tuple[Hit, ...]) -> list[_Part]:
        """Return the stream parted by launcher and attempt; one that says nothing of note still shows its worker."""
        parts: dict[tuple[str | None, int | None], _Part] = {}

        def part(line: int) -> _Part:
            launch = self._launches.at(stream.context, line, stream.rank)
            attempt = launch.attempt_at(line) if launch is not None else None
            key = (launch.name if launch is not None else None, attempt)
            return parts.setdefault(key, _Part(launch, attempt, line))

        if stream.of_worker:
            numbers = [number for number, _ in stream.texts]
            ends = [end for launch in self._launches.all for end in launch.ends]
            for index in {0, *(bisect_right(numbers, end) for end in ends)}:
                if index < len(numbers):
                    part(numbers[index])
        for span in stream.spans:
            part(span.first_line).spans.append(span)
        for hit in hits:
            part(hit.place.line or 0).hits.append(hit)
        return list(parts.values())

    def _sighting(self, part: _Part, line: int | None) -> Sighting:
        return Sighting(
            source="launcher_log",
            place=Place(self._path, line),
            run_id=part.launch.run_id if part.launch is not None else None,
            launcher=part.launch.name if part.launch is not None else self._path,
            attempt=part.attempt,
        )

    def _summarise(self, span: TracebackSpan) -> ErrorSummary | None:
        return summarise(span.text, Place(self._path, span.first_line), keep_text=True, is_echo=self._is_echo)

    def _is_echo(self, title: str) -> bool:
        found = match(title, self._signatures)
        return found is not None and found.role == "echo"

    def _event(self, event: Event, attempt: int | None) -> None:
        key = (event.signature, event.text)
        if key not in self._notes and len(self._notes) < _MAX_NOTES:
            self._notes.add(key)
            self._reading.events.append((attempt, event))

    def _time(self, stream: Stream, number: int | None) -> float | None:
        time = stream.times.get(number or 0)
        if isinstance(time, YearlessTime):
            return time.in_year(self._year) if self._year is not None else None
        return time

    def _timed(self, stream: Stream, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        if not stream.times:
            return hits
        return tuple(replace(hit, time=self._time(stream, hit.place.line)) for hit in hits)
