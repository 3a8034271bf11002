"""What is read again when somebody looks at one worker: its traceback, its error file, the end of its logs.

Owns the second look at files that were read before. A file that changed or vanished since then is said to have.
It refuses to judge and to keep anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from errors_core.error_file import ErrorReport
    from errors_core.job import Problem, Worker

__all__ = ["LogTail", "read_error_report", "read_extra_info", "read_lines_around", "read_log_tail", "read_traceback"]


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
    """Return a worker's traceback in full, `None` when it left none that can still be read."""
    return worker.error.text if worker.error is not None else None


def read_error_report(worker: Worker) -> ErrorReport | Problem | None:
    """Return what a worker's error file says, the `Problem` that keeps it from being read, or `None` without one."""
    del worker
    return None


def read_extra_info(worker: Worker) -> dict[str, Any]:
    """Return what a worker's error file tells beside its message, `{}` if nothing."""
    del worker
    return {}


def read_log_tail(path: str, max_lines: int = 200, max_bytes: int = 65536) -> LogTail:
    """Return the last lines of a log, at most so many lines and bytes."""
    del max_lines, max_bytes
    return LogTail(path)


def read_lines_around(path: str, line: int, before: int = 20, after: int = 20) -> LogTail:
    """Return the lines of a log around one of them (counted from 1)."""
    del line, before, after
    return LogTail(path)
