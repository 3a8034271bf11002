"""What is read again when somebody looks at one worker: its traceback, its error file, parts of its logs.

Owns the second look at files that were read before. A file that changed or vanished since then is said to have.
It refuses to judge and to keep anything. Paths are spelled as in `errors_core.job.Place`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from errors_core.archives import open_path
from errors_core.error_file import MAX_BYTES, ErrorReport, parse_error_file
from errors_core.exceptions import ErrorFileError
from errors_core.job import Problem
from errors_core.readers.error_sightings import cut_message
from errors_core.sources import SourceError, open_regular
from errors_core.standard_input import STANDARD_INPUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.job import Worker
    from errors_core.sources import Source

__all__ = ["LogTail", "read_error_report", "read_extra_info", "read_lines_around", "read_log_tail", "read_traceback"]

_LONGEST_LINE = 16 * 1024  # bytes; the rest of a longer line is left out
_CHUNK = 1 << 20
_COUNTED = 1 << 28  # bytes of a log whose lines are counted to say which ones are shown


@dataclass(frozen=True, slots=True, eq=False)
class LogTail(Sequence[str]):
    """Some lines of a log, without line ends; as a sequence it is these lines.

    `first_line` is the number of the first one, counted from 1 (`None`: the log is too long to count). `truncated`
    says that lines before it were left out; `problem` why there are none or not all of them.
    """

    path: str
    lines: tuple[str, ...] = ()
    first_line: int | None = None
    truncated: bool = False
    problem: str | None = None

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self.lines[index]


def read_traceback(worker: Worker) -> str | None:
    """Return a worker's traceback in full, `None` when it left none.

    One that stood in an error file is read again; when that file vanished or holds another report since then, the text
    says so instead.
    """
    error = worker.error
    if error is None:
        return None
    if error.text is not None:
        return error.text
    report = _read_report(error.place.path)
    if isinstance(report, Problem):
        return f"The traceback cannot be read again: {report.path}: {report.problem}"
    if not _is_same(report, worker):
        return f"The traceback cannot be read again: {error.place.path}: it changed since the job was read"
    return report.traceback if report.traceback and not report.recorder_frames else report.message or report.traceback


def read_error_report(worker: Worker) -> ErrorReport | Problem | None:
    """Return what a worker's error file says, the `Problem` that keeps it from being read, or `None` without one."""
    return None if worker.error_file is None else _read_report(worker.error_file)


def read_extra_info(worker: Worker) -> dict[str, Any]:
    """Return what a worker's error file tells beside its message, `{}` if nothing."""
    report = read_error_report(worker)
    return report.extra_info if isinstance(report, ErrorReport) else {}


def read_log_tail(path: str, max_lines: int = 200, max_bytes: int = 65536) -> LogTail:
    """Return the last lines of a log, at most so many lines and bytes."""
    first_line, problem = 1, None
    try:
        data = _end_of_huge(path, max_bytes)
        is_huge = data is not None
        if data is None:
            with open_path(path) as source:
                first_line, data = _end_of(source, max_bytes)
                problem = source.problem
    except SourceError as error:
        return LogTail(path, problem=str(error))
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    shown = lines[max(0, len(lines) - max_lines) :]
    first_line += len(lines) - len(shown)
    number = None if is_huge or not shown else first_line
    return LogTail(path, _texts(shown), number, bool(shown) and (is_huge or first_line > 1), problem)


def read_lines_around(path: str, line: int, before: int = 20, after: int = 20) -> LogTail:
    """Return the lines of a log around one of them (counted from 1)."""
    first_line = max(1, line - before)
    try:
        with open_path(path) as source:
            shown = list(islice(_lines(source), first_line - 1, max(0, line + after)))
            problem = source.problem
    except SourceError as error:
        return LogTail(path, problem=str(error))
    if problem is None and len(shown) <= line - first_line:
        problem = f"it has no line {line} any more"
    return LogTail(path, _texts(shown), first_line if shown else None, bool(shown) and first_line > 1, problem)


def _read_report(path: str) -> ErrorReport | Problem:
    try:
        with open_path(path) as source:
            data = source.read(MAX_BYTES)
            problem = source.problem
        return parse_error_file(data)
    except SourceError as error:
        return Problem(path, str(error))
    except ErrorFileError as error:
        return error.partial or Problem(path, problem or error.problem)


def _is_same(report: ErrorReport, worker: Worker) -> bool:
    """Tell whether a report is still the one that the worker's failure was read from."""
    if worker.timestamp_source == "error_file" and report.timestamp != worker.timestamp:
        return False
    return worker.failure is None or cut_message(report.message) == worker.failure.message


def _end_of_huge(path: str, max_bytes: int) -> bytes | None:
    """Return the end of a plain file that is too long to count its lines, `None` for any other."""
    if path == STANDARD_INPUT or not os.path.isfile(path):  # noqa: PTH113 - paths are texts here
        return None
    with open_regular(path) as raw:
        size = raw.seek(0, os.SEEK_END)
        raw.seek(0)
        if size <= _COUNTED or raw.read(2) == b"\x1f\x8b":
            return None
        raw.seek(size - max_bytes)
        data = raw.read(max_bytes)
    return data[data.find(b"\n") + 1 :]


def _end_of(source: Source, max_bytes: int) -> tuple[int, bytes]:
    """Return the number of a line and all bytes from there to the end, hardly more than `max_bytes`."""
    kept: deque[bytes] = deque()
    size, first_line = 0, 1
    while chunk := source.read1(_CHUNK):
        kept.append(chunk)
        size += len(chunk)
        while size - len(kept[0]) >= max_bytes:
            dropped = kept.popleft()
            size -= len(dropped)
            first_line += dropped.count(b"\n")
    data = b"".join(kept)
    if len(data) > max_bytes:
        cut = data.find(b"\n", len(data) - max_bytes - 1) + 1
        cut = cut if 0 < cut < len(data) else len(data) - max_bytes
        first_line += data.count(b"\n", 0, cut)
        data = data[cut:]
    return first_line, data


def _lines(source: Source) -> Iterator[bytes]:
    """Yield lines without line ends, each cut to what anybody reads."""
    while line := source.readline(_LONGEST_LINE):
        yield line.removesuffix(b"\n")
        while line and not line.endswith(b"\n"):
            line = source.readline(_CHUNK)


def _texts(lines: list[bytes]) -> tuple[str, ...]:
    return tuple(line.removesuffix(b"\r")[:_LONGEST_LINE].decode("utf-8", "replace") for line in lines)
