"""What workers wrote into the launcher's output, told apart by who wrote it and searched for tracebacks.

Owns the streams: one for each worker that a prefix names, one for each process whose logger gives its number, one for
text that nobody signed. It refuses to judge what a stream holds (that is `worker_sightings`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errors_core.tracebacks.spans import TracebackFinder

if TYPE_CHECKING:
    from errors_core.log_times import YearlessTime
    from errors_core.readers.log_lines import Context, LogLine
    from errors_core.tracebacks import TracebackSpan

__all__ = ["Stream", "WorkerText"]

_RANK_IN_TEXT = re.compile(r"\[(?:PG (?:ID )?0 (?:PG GUID 0(?:\(default_pg\))? )?)?Rank (?P<rank>\d{1,9})\]")


@dataclass(slots=True, eq=False)
class Stream:
    """The lines of one writer: `rank` to `pid` as its prefixes tell; all `None`: nobody signed them.

    `writer` is the number in glog's prefix. `texts` are the lines (number, text without prefixes), `times` the
    times of those that have one.
    """

    context: Context
    rank: int | None = None
    local_rank: int | None = None
    role: str | None = None
    host: str | None = None
    pid: int | None = None
    writer: int | None = None
    texts: list[tuple[int, str]] = field(default_factory=list)
    times: dict[int, float | YearlessTime] = field(default_factory=dict)
    spans: list[TracebackSpan] = field(default_factory=list)
    finder: TracebackFinder = field(default_factory=TracebackFinder)

    @property
    def of_worker(self) -> bool:
        """Whether a prefix names the worker."""
        return self.rank is not None or self.local_rank is not None or (self.pid is not None and self.writer is None)

    def add(self, line: LogLine) -> None:
        """Append a line."""
        marks = line.marks
        self.texts.append((line.number, marks.text))
        self.spans += self.finder.feed(line.number, marks.text, marks.source)
        time = marks.time if marks.time is not None else marks.yearless
        if time is not None:
            self.times[line.number] = time
        self.role = self.role or marks.role
        self.host = self.host or marks.host


class WorkerText:
    """Fed with all lines that are not the launcher's, it keeps one stream for each writer."""

    def __init__(self) -> None:
        self.streams: list[Stream] = []
        self._by_rank: dict[tuple[Context, int], Stream] = {}
        self._by_local: dict[tuple[Context, int], Stream] = {}
        self._others: dict[tuple[Context, int | None, int | None], Stream] = {}

    def add(self, line: LogLine) -> None:
        """Take the next line."""
        marks = line.marks
        rank = marks.rank
        if rank is None and marks.local_rank is None and "Rank " in marks.text:
            named = _RANK_IN_TEXT.match(marks.text)
            rank = int(named["rank"]) if named is not None else None
        if rank is None and marks.local_rank is None:
            self._unranked(line).add(line)
        else:
            self._ranked(line.context, rank, marks.local_rank).add(line)

    def interrupt(self, line: LogLine) -> None:
        """Say that the launcher or somebody else wrote this line: it may end an unsigned traceback."""
        for stream in self._unsigned_of(line.context):
            if stream.finder.busy:
                stream.spans += stream.finder.feed(line.number, line.marks.text, line.marks.source)

    def end(self, context: Context) -> None:
        """Say that the launcher's last words began: no unsigned traceback goes on behind them."""
        for stream in self._unsigned_of(context):
            stream.spans += stream.finder.close()

    def close(self) -> None:
        """End the tracebacks that are still open."""
        for stream in self.streams:
            stream.spans += stream.finder.close()

    def _unsigned_of(self, context: Context) -> list[Stream]:
        return [stream for (home, _, _), stream in self._others.items() if home == context]

    def _unranked(self, line: LogLine) -> Stream:
        marks = line.marks
        writer = marks.writer
        pid = marks.pid
        key = (line.context, pid, writer)
        if key not in self._others:
            self._others[key] = Stream(line.context, pid=pid, writer=writer)
            self.streams.append(self._others[key])
        return self._others[key]

    def _ranked(self, context: Context, rank: int | None, local_rank: int | None) -> Stream:
        """Return the stream of a worker; a line with both ranks tells that the two that have one each are the same."""
        known = self._by_local.get((context, local_rank)) if local_rank is not None else None
        if known is not None and None not in (rank, known.rank) and known.rank != rank:
            known = None  # after a restart the ranks may be dealt anew
        if known is None and rank is not None:
            known = self._by_rank.get((context, rank))
            if known is not None and None not in (local_rank, known.local_rank) and known.local_rank != local_rank:
                known = None
        if known is None:
            known = Stream(context)
            self.streams.append(known)
        if rank is not None:
            known.rank = rank
            self._by_rank[context, rank] = known
        if local_rank is not None:
            known.local_rank = local_rank
            self._by_local[context, local_rank] = known
        return known
