"""Our own exceptions.

    ErrorsCoreError
    ├── ErrorFileError (also a ValueError)    an error file that cannot be read
    └── InputError (also an OSError)          a path given by the user that does not exist or may not be read

`ChildFailedError` and `SignalException` are no mistakes of ours but events of a job: they live in
`errors_core.child_failed` and `errors_core.signals`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.error_report import ErrorReport

__all__ = ["ErrorFileError", "ErrorsCoreError", "InputError"]


class ErrorsCoreError(Exception):
    """The root of this package's own exceptions."""


class ErrorFileError(ErrorsCoreError, ValueError):
    """An error file cannot be read: `problem` says what is wrong, `path` which file (`None`: bytes without a name).

    `partial` is what a truncated file told before its end, if that was anything.
    """

    def __init__(self, problem: str, path: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path
        self.partial: ErrorReport | None = None

    def __str__(self) -> str:
        return self.problem if self.path is None else f"{self.path}: {self.problem}"


class InputError(ErrorsCoreError, OSError):
    """A path that was asked for does not exist or may not be read; `filename` and `strerror` say which and why."""
