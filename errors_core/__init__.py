"""Read what a dead distributed job left, find the root cause, and record failures: the public names.

What runs inside a training process (`record` and its kin) is imported at once and costs the standard library alone;
what reads and judges a dead job is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from errors_core.child_failed import ChildFailedError
from errors_core.error_file import ERROR_FILE_ENV
from errors_core.error_handler import ErrorHandler
from errors_core.exceptions import ErrorFileError, ErrorsCoreError, InputError
from errors_core.failure import ProcessFailure
from errors_core.handlers import get_error_handler
from errors_core.recorder import record
from errors_core.signals import SignalException, explain_exitcode

if TYPE_CHECKING:
    from errors_core.diagnosis import diagnose
    from errors_core.job import Attempt, Job, Problem, Run, Worker
    from errors_core.load import load_job
    from errors_core.verdict import Verdict

__all__ = [
    "ERROR_FILE_ENV",
    "Attempt",
    "ChildFailedError",
    "ErrorFileError",
    "ErrorHandler",
    "ErrorsCoreError",
    "InputError",
    "Job",
    "Problem",
    "ProcessFailure",
    "Run",
    "SignalException",
    "Verdict",
    "Worker",
    "diagnose",
    "explain_exitcode",
    "get_error_handler",
    "load_job",
    "record",
]

_LAZY = {
    "Attempt": "errors_core.job",
    "Job": "errors_core.job",
    "Problem": "errors_core.job",
    "Run": "errors_core.job",
    "Verdict": "errors_core.verdict",
    "Worker": "errors_core.job",
    "diagnose": "errors_core.diagnosis",
    "load_job": "errors_core.load",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - each name has its own type
    """Import a name of the reading side when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
