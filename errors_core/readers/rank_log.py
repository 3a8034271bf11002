"""What one rank wrote into a log: its last error, its hits, how far it got.

Owns the choice among several tracebacks and crashes. It refuses to split a log by ranks (that is `worker_log`).
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from errors_core.job import Place
from errors_core.readers.crashes import CrashFinder
from errors_core.readers.hits import HitCollector
from errors_core.readers.steps import parse_step
from errors_core.sightings import Sighting
from errors_core.tracebacks.spans import TracebackFinder
from errors_core.tracebacks.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from errors_core.job import ErrorSummary
    from errors_core.prefixes import Stripped
    from errors_core.readers.scanner import Patterned
    from errors_core.tracebacks.model import TracebackSpan

__all__ = ["RankLog"]

_MARKS = ("rank", "local_rank", "role", "host", "pid")
_FAR = 80  # lines between a traceback and a crash from which on the one did not lead to the other


class RankLog:
    """Takes the lines of one rank, in order."""

    def __init__(
        self, path: str, signatures: Sequence[Patterned], is_echo: Callable[[str], bool] | None = None
    ) -> None:
        self._path = path
        self._is_echo = is_echo
        self._tracebacks = TracebackFinder()
        self._crashes = CrashFinder()
        self._collector = HitCollector(path, signatures)
        self._last: TracebackSpan | None = None
        self._last_of_thread: TracebackSpan | None = None
        self._marks: dict[str, set[Any]] = {name: set() for name in _MARKS}
        self._step: int | None = None
        self._step_line = 0
        self._time: float | None = None

    @property
    def tells_something(self) -> bool:
        """Whether anything in it speaks of a failure."""
        self._close()
        return bool(self._last or self._last_of_thread or self._crashes.last or self._collector.hits())

    def feed(self, number: int, line: Stripped) -> None:
        """Take one line."""
        for name, values in self._marks.items():
            value = getattr(line, name)
            if value is not None:
                values.add(value)
        self._time = line.time if line.time is not None else self._time
        self._collector.feed(number, line.text, line.time)
        self._crashes.feed(number, line.text)
        self._keep(self._tracebacks.feed(number, line.text, line.source or line.level))
        if not self._tracebacks.took_last:
            self._note_step(number, line.text)

    def skip(self) -> None:
        """Note that lines were passed over: nothing goes on behind them."""
        self._keep(self._tracebacks.close())
        self._crashes.close()

    def join(self, other: RankLog) -> None:
        """Take over what another log of the same process holds."""
        for log in (self, other):
            log._close()
        self._last = _later(self._last, other._last)
        self._last_of_thread = _later(self._last_of_thread, other._last_of_thread)
        self._crashes.last = self._crashes.last or other._crashes.last
        self._collector.join(other._collector)
        for name, values in other._marks.items():
            self._marks[name] |= values
        if other._step is not None and other._step_line > self._step_line:
            self._step, self._step_line = other._step, other._step_line
        self._time = max((time for time in (self._time, other._time) if time is not None), default=None)

    def sighting(self) -> Sighting:
        """Return what the lines say about the worker."""
        self._close()
        error = self._error()
        name = PurePosixPath(self._path).name
        marks: dict[str, Any] = {key: values.copy().pop() for key, values in self._marks.items() if len(values) == 1}
        return Sighting(
            source="worker_log",
            place=error.place if error is not None else Place(self._path),
            error=error,
            hits=self._collector.hits(),
            stdout_log=self._path if "stdout" in name else None,
            stderr_log=self._path if "stderr" in name else None,
            last_step=self._step,
            last_log_time=self._time,
            **marks,
        )

    def _close(self) -> None:
        self._keep(self._tracebacks.close())
        self._crashes.close()

    def _keep(self, spans: Iterable[TracebackSpan]) -> None:
        for span in spans:
            if span.ignored:
                continue
            if span.leading is not None and span.leading.startswith("Exception in thread"):
                self._last_of_thread = span
            else:
                self._last = span

    def _note_step(self, number: int, text: str) -> None:
        step = parse_step(text)
        if step is not None:
            self._step, self._step_line = step, number

    def _error(self) -> ErrorSummary | None:
        """Return the error that ended the worker, as far as its log shows.

        A traceback behind which training went on did not end it. A crash counts when no traceback led to it.
        """
        span = self._last or self._last_of_thread
        if span is not None and self._step_line > span.last_line:
            span = None
        crash = self._crashes.last
        if crash is not None and (span is None or crash.line - span.last_line > _FAR):
            return crash.summary(self._path)
        if span is None:
            return None
        return summarise(span.text, Place(self._path, span.first_line), keep_text=True, is_echo=self._is_echo)


def _later(one: TracebackSpan | None, other: TracebackSpan | None) -> TracebackSpan | None:
    return max((span for span in (one, other) if span is not None), key=lambda span: span.first_line, default=None)
