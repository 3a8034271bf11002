"""What workers wrote into the launcher's output, told apart by who wrote it.

Owns the streams: one for each worker that a prefix names, one for each process whose logger gives its number, one for
text that nobody signed; each in segments, between which an attempt may have ended. It refuses to judge what a
segment holds (that is `worker_sightings`). Memory does not depend on the length of the log.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errors_core.readers.crashes import CrashFinder
from errors_core.readers.hits import HitCollector
from errors_core.readers.rank_log import RankLog
from errors_core.tracebacks.spans import TracebackFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from errors_core.diagnosis.signatures import Signature
    from errors_core.log_times import YearlessTime
    from errors_core.readers.log_lines import Context, LogLine
    from errors_core.tracebacks import TracebackSpan

__all__ = ["Stream", "UnsignedText", "WorkerText"]

_RANK_IN_TEXT = re.compile(r"\[(?:PG (?:ID )?0 (?:PG GUID 0(?:\(default_pg\))? )?)?Rank (?P<rank>\d{1,9})\]")
_MAX_SPANS = 200  # of one segment: so many of the first tracebacks, and as many of the last


class UnsignedText:
    """Text that no prefix gives to a worker: its tracebacks, crashes and hits."""

    def __init__(self, path: str, signatures: Sequence[Signature]) -> None:
        self.finder = TracebackFinder()
        self.crashes = CrashFinder()
        self.collector = HitCollector(path, signatures)
        self._first: list[TracebackSpan] = []
        self._last: deque[TracebackSpan] = deque(maxlen=_MAX_SPANS)

    @property
    def spans(self) -> list[TracebackSpan]:
        """The tracebacks, in their order."""
        return [*self._first, *self._last]

    def feed(self, line: LogLine) -> None:
        """Take one line."""
        self.collector.feed(line.number, line.text, line.marks.time)
        self.crashes.feed(line.number, line.text)
        self._keep(self.finder.feed(line.number, line.text, _logger(line)))

    def interrupt(self, line: LogLine) -> None:
        """Say that somebody else wrote this line: it may end a traceback."""
        self._keep(self.finder.feed(line.number, line.text, _logger(line)))

    def skip(self) -> None:
        """Note that nothing goes on behind the lines so far."""
        self._keep(self.finder.close())
        self.crashes.close()

    def _keep(self, spans: Iterable[TracebackSpan]) -> None:
        for span in spans:
            (self._first if len(self._first) < _MAX_SPANS else self._last).append(span)


@dataclass(slots=True, eq=False)
class Stream:
    """One writer: `rank`, `local_rank` and `pid` as prefixes tell; all `None`: nobody signed the text.

    `writer` is the number in glog's prefix. `signed` and `unsigned` are its segments, each with the line where it
    begins. `yearless` are the times of lines that write no year.
    """

    context: Context
    rank: int | None = None
    local_rank: int | None = None
    pid: int | None = None
    writer: int | None = None
    signed: list[tuple[int, RankLog]] = field(default_factory=list)
    unsigned: list[tuple[int, UnsignedText]] = field(default_factory=list)
    yearless: dict[int, YearlessTime] = field(default_factory=dict)
    segment: int = -1

    @property
    def of_worker(self) -> bool:
        """Whether a prefix names the worker."""
        return self.rank is not None or self.local_rank is not None or (self.pid is not None and self.writer is None)


class WorkerText:
    """Fed with all lines that are not the launcher's, it keeps one stream for each writer."""

    def __init__(self, path: str, signatures: Sequence[Signature], is_echo: Callable[[str], bool]) -> None:
        self.streams: list[Stream] = []
        self._path = path
        self._signatures = signatures
        self._is_echo = is_echo
        self._by_rank: dict[tuple[Context, int], Stream] = {}
        self._by_local: dict[tuple[Context, int], Stream] = {}
        self._others: dict[tuple[Context, int | None, int | None], Stream] = {}
        self._segment: dict[Context, int] = {}

    def add(self, line: LogLine) -> None:
        """Take the next line."""
        marks = line.marks
        rank = marks.rank
        if rank is None and marks.local_rank is None and "Rank " in marks.text:
            named = _RANK_IN_TEXT.match(marks.text)
            rank = int(named["rank"]) if named is not None else None
        unranked = rank is None and marks.local_rank is None
        stream = self._unranked(line) if unranked else self._ranked(line.context, rank, marks.local_rank)
        self._open_segment(stream, line.number)
        if marks.yearless is not None:
            stream.yearless[line.number] = marks.yearless
        if stream.of_worker:
            stream.signed[-1][1].feed(line.number, marks)
        else:
            stream.unsigned[-1][1].feed(line)

    def interrupt(self, line: LogLine) -> None:
        """Say that the launcher or somebody else wrote this line: it may end an unsigned traceback."""
        for text in self._unsigned_of(line.context):
            text.interrupt(line)

    def end_tracebacks(self, context: Context) -> None:
        """Say that the launcher's last words began: no unsigned traceback goes on behind them."""
        for text in self._unsigned_of(context):
            text.skip()

    def end_segment(self, context: Context) -> None:
        """Say that an attempt may have ended."""
        self._segment[context] = self._segment.get(context, 0) + 1

    def skip(self) -> None:
        """Say that lines were passed over, or that the log ended."""
        for stream in self.streams:
            for _, log in stream.signed:
                log.skip()
            for _, text in stream.unsigned:
                text.skip()

    def _open_segment(self, stream: Stream, line: int) -> None:
        segment = self._segment.get(stream.context, 0)
        if stream.segment == segment:
            return
        stream.segment = segment
        if stream.of_worker:
            stream.signed.append((line, RankLog(self._path, self._signatures, self._is_echo)))
        else:
            stream.unsigned.append((line, UnsignedText(self._path, self._signatures)))

    def _unsigned_of(self, context: Context) -> list[UnsignedText]:
        streams = [stream for (home, _, _), stream in self._others.items() if home == context]
        return [text for stream in streams for _, text in stream.unsigned]

    def _unranked(self, line: LogLine) -> Stream:
        marks = line.marks
        key = (line.context, marks.pid, marks.writer)
        if key not in self._others:
            self._others[key] = Stream(line.context, pid=marks.pid, writer=marks.writer)
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


def _logger(line: LogLine) -> str | None:
    return line.marks.source or line.marks.level
