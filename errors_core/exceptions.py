"""Our own exceptions.

    ErrorsCoreError
    └── ErrorFileError (also a ValueError)    an error file that cannot be read

`ChildFailedError` and `SignalException` are no mistakes of ours but events of a job: they live in
`errors_core.child_failed` and `errors_core.signals`.
"""

from __future__ import annotations

__all__ = ["ErrorFileError", "ErrorsCoreError"]


class ErrorsCoreError(Exception):
    """The root of this package's own exceptions."""


class ErrorFileError(ErrorsCoreError, ValueError):
    """An error file cannot be read: `problem` says what is wrong, `path` which file (`None`: bytes without a name)."""

    def __init__(self, problem: str, path: str | None = None) -> None:
        super().__init__(problem, path)
        self.problem = problem
        self.path = path

    def __str__(self) -> str:
        return self.problem if self.path is None else f"{self.path}: {self.problem}"
