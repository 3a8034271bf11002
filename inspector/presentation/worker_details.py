"""`WorkerDetails`: what was read again about one worker because somebody looks at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from errors_core.job import Problem

__all__ = ["LogTail", "WorkerDetails"]


@dataclass(frozen=True, slots=True)
class LogTail:
    """The end of one log, without line ends; `whole`: nothing stands before it; `name` is `stdout` or `stderr`."""

    name: str
    path: str
    lines: tuple[str, ...]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class WorkerDetails:
    """Traceback, error file and logs of one worker; `problems` say what could not be read.

    `traceback` is `None` when the worker left none; `extra_info` is what its error file says beside the message.
    """

    traceback: str | None = None
    extra_info: Mapping[str, Any] = field(default_factory=dict)
    logs: tuple[LogTail, ...] = ()
    problems: tuple[Problem, ...] = ()
