"""`ProcessFailure`: one worker that ended badly, as its agent sees it or as the picture of a job holds it.

Owns the record and its words. It judges nothing, and it makes up no time and no host for a summary.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errors_core.error_file import ErrorReport, read_error_file
from errors_core.error_report import report_from_data
from errors_core.exceptions import ErrorFileError
from errors_core.signals import signal_name

if TYPE_CHECKING:
    from errors_core.job import TimestampSource

__all__ = ["NOT_AVAILABLE", "ProcessFailure"]

NOT_AVAILABLE = "<N/A>"
_NO_DATA = "<NONE>"


@dataclass(slots=True)
class ProcessFailure:
    """The failure of one worker; its constructor is the agent's view at the moment of death.

    When `error_file` is a file it is read, and raises `ErrorFileError` when that fails. Without one `error_file`
    becomes `<N/A>` and `timestamp` (seconds since the epoch) the time of the call; `timestamp` 0 means unknown.
    `message` is the file's message: text, or the dict of shape A. The keyword-only fields are `None` when unknown.
    Two failures are equal when all fields but `error_file_data` are, so that comparing summaries opens no file.
    """

    local_rank: int | None
    pid: int | None
    exitcode: int | None
    error_file: str | None = None
    error_file_data: dict[str, Any] | None = field(default=None, repr=False, compare=False)
    message: str | dict[str, Any] = ""
    timestamp: int = 0
    rank: int | None = field(default=None, kw_only=True)
    host: str | None = field(default=None, kw_only=True)
    role: str | None = field(default=None, kw_only=True)
    run_id: str | None = field(default=None, kw_only=True)
    attempt: int | None = field(default=None, kw_only=True)
    node: str | None = field(default=None, kw_only=True)
    timestamp_ns: int | None = field(default=None, kw_only=True)
    timestamp_source: TimestampSource | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.error_file and Path(self.error_file).is_file():
            self.error_file = os.fspath(self.error_file)
            self._take_over(read_error_file(self.error_file))
        else:
            self._do_without_file()
        if not self.message:
            self.message = _words_for(self)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - reached only for the one field that a summary leaves unset
        """Read `error_file_data` of a summary from its file, on first access."""
        if name != "error_file_data":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.error_file_data = _data_of(self.error_file)
        return self.error_file_data

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        """Return what is set, so that sending a summary to another process opens no file."""
        state = {}
        for name in self.__slots__:
            with suppress(AttributeError):
                state[name] = object.__getattribute__(self, name)
        return None, state

    @classmethod
    def summary(
        cls,
        *,
        local_rank: int | None = None,
        pid: int | None = None,
        exitcode: int | None = None,
        error_file: str | None = None,
        message: str | None = None,
        timestamp: int | None = None,
        rank: int | None = None,
        host: str | None = None,
        role: str | None = None,
        run_id: str | None = None,
        attempt: int | None = None,
        node: str | None = None,
        timestamp_ns: int | None = None,
        timestamp_source: TimestampSource | None = None,
    ) -> ProcessFailure:
        """Return a failure for the picture of a job: it opens no file until `error_file_data` is asked for."""
        failure = cls.__new__(cls)
        failure.local_rank, failure.pid, failure.exitcode = local_rank, pid, exitcode
        failure.error_file = error_file or NOT_AVAILABLE
        failure.timestamp, failure.timestamp_ns = timestamp or 0, timestamp_ns
        failure.timestamp_source = timestamp_source
        failure.rank, failure.host, failure.role = rank, host, role
        failure.run_id, failure.attempt, failure.node = run_id, attempt, node
        failure.message = message or ("" if error_file else _words_for(failure))
        return failure

    @property
    def exit_code(self) -> int | None:
        """The exit code; negative is a signal."""
        return self.exitcode

    @property
    def extra_info(self) -> dict[str, Any]:
        """What the error file tells beside its message, `{}` if nothing."""
        try:
            return report_from_data(self.error_file_data or {}).extra_info
        except ErrorFileError:
            return {}

    def signal_name(self) -> str:
        """Return the name of the signal that ended the worker, or `<N/A>`."""
        return (signal_name(self.exitcode) if self.exitcode is not None else None) or NOT_AVAILABLE

    def timestamp_isoformat(self) -> str:
        """Return the local time as `YYYY-MM-DD_HH:MM:SS`, or `<N/A>` when it is unknown or no calendar has it."""
        try:
            moment = datetime.fromtimestamp(self.timestamp, tz=UTC).astimezone() if self.timestamp else None
        except (OverflowError, OSError, ValueError):
            moment = None
        return f"{moment:%Y-%m-%d_%H:%M:%S}" if moment else NOT_AVAILABLE

    def _take_over(self, report: ErrorReport) -> None:
        """Take the facts of the error file; what the caller said of the worker itself stays."""
        message = report.data["message"]
        self.error_file_data = report.data
        self.message = message if isinstance(message, str | dict) else report.message
        if report.timestamp is not None:
            self.timestamp, self.timestamp_source = report.timestamp, "error_file"
        self.timestamp_ns = self.timestamp_ns if self.timestamp_ns is not None else report.timestamp_ns
        self.rank = self.rank if self.rank is not None else report.rank
        self.attempt = self.attempt if self.attempt is not None else report.restart_count
        self.host = self.host or report.hostname
        self.role = self.role or report.role
        self.run_id = self.run_id or report.run_id

    def _do_without_file(self) -> None:
        self.error_file = NOT_AVAILABLE
        if self.error_file_data is None:
            self.error_file_data = {"message": _NO_DATA}
        if not self.timestamp:
            self.timestamp = int(time.time())
            self.timestamp_source = "observed"


def _data_of(error_file: str | None) -> dict[str, Any]:
    """Return the JSON of an error file, or what stands for none."""
    if error_file and error_file != NOT_AVAILABLE:
        try:
            return read_error_file(error_file).data
        except ErrorFileError:
            pass  # it went away or is a member of an archive; who shows the file itself says what is wrong
    return {"message": _NO_DATA}


def _words_for(failure: ProcessFailure) -> str:
    """Return the message for a worker that left none."""
    pid = "unknown" if failure.pid is None else failure.pid
    rank = failure.local_rank if failure.rank is None else failure.rank
    who = f"Worker rank {'unknown' if rank is None else rank} (pid {pid})"
    if failure.exitcode is None:
        return f"{who} left neither an exit code nor an error report"
    if failure.exitcode < 0:
        return f"Signal {-failure.exitcode} ({failure.signal_name()}) received by PID {pid}"
    return f"{who} exited with exit code {failure.exitcode} without an error report"
