"""`WorkerDetails`: what was read again about one worker because somebody looks at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from errors_core.details import LogTail
    from errors_core.job import Problem

__all__ = ["WorkerDetails"]


@dataclass(frozen=True, slots=True)
class WorkerDetails:
    """Traceback, error file and logs of one worker.

    `traceback` is `None` when the worker left none; `extra_info` is what its error file says beside the message,
    `problem` what keeps that from being read. `logs` are pairs of `stdout` or `stderr` and the log's end.
    """

    traceback: str | None = None
    extra_info: Mapping[str, Any] = field(default_factory=dict)
    problem: Problem | None = None
    logs: tuple[tuple[str, LogTail], ...] = ()
