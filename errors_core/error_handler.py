"""`ErrorHandler`: turns an exception into an error file. The module is the namesake of torch's.

Owns what is written and where. It holds no decorator (that is `errors_core.recorder`) and writes neither the
environment nor the arguments of the process, which may hold secrets.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import signal
import sys
import time
import traceback
from typing import Any

from errors_core.error_file import ERROR_FILE_ENV, read_error_file, write_error_file
from errors_core.signals import exit_status

__all__ = ["ErrorHandler", "logger"]

logger = logging.getLogger(__name__)

# What the agent tells its workers in their environment, and the names under which the error file keeps it.
_MARKS = {
    "rank": "RANK",
    "local_rank": "LOCAL_RANK",
    "group_rank": "GROUP_RANK",
    "role": "ROLE_NAME",
    "world_size": "WORLD_SIZE",
    "restart_count": "TORCHELASTIC_RESTART_COUNT",
    "run_id": "TORCHELASTIC_RUN_ID",
}
_OWN_MODULE = "errors_core.recorder"


class ErrorHandler:
    """Writes the error file of this process; made for subclassing.

    `error_file` is the path to write to; `None` means the one that `TORCHELASTIC_ERROR_FILE` names, if any.
    """

    error_file: str | None = None

    def initialize(self) -> None:
        """Let Python print its frames when native code crashes, unless somebody arranged that already."""
        if not faulthandler.is_enabled():
            faulthandler.enable(all_threads=True)

    def set_entrypoint_fn_name(self, name: str) -> None:
        """Learn the name of the function that is watched; does nothing here."""

    def record_exception(self, e: BaseException) -> None:
        """Write the exception to the error file; raises what `write_error_file` raises.

        Nothing is written when no file is arranged or when it holds a report already.
        """
        path = self._get_error_file_path()
        if path and not write_error_file(path, _report(e)):
            logger.info("%s holds an earlier report, which stays", path)

    def record_success(self) -> None:
        """Learn that the function ended well; does nothing here: an error file exists for failures alone."""

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        """Copy a worker's error file to this process's own, with the exit code that its agent saw (0: none).

        What stands there is replaced, as in torch 2.13. Raises `ErrorFileError` when the worker's cannot be read.
        """
        rootcause_error = read_error_file(rootcause_error_file).data
        if error_code:
            self.override_error_code_in_rootcause_data(rootcause_error_file, rootcause_error, error_code)
        logger.debug("error file %s of the first failure:\n%s", rootcause_error_file, json.dumps(rootcause_error))
        path = self._get_error_file_path()
        if not path:
            logger.info("no error file is arranged here to pass %s on", rootcause_error_file)
        else:
            write_error_file(path, rootcause_error, replace=True)

    def override_error_code_in_rootcause_data(
        self,
        rootcause_error_file: str,  # noqa: ARG002 - part of the contract: subclasses tell files apart by it
        rootcause_error: dict[str, Any],
        error_code: int = 0,
    ) -> None:
        """Set `errorCode` in the data of an error file: inside `message` when that is a dict, else beside it."""
        message = rootcause_error.get("message")
        (message if isinstance(message, dict) else rootcause_error)["errorCode"] = error_code

    def maybe_enrich_signal_failure_message(
        self,
        message: str,
        error_file: str | None,  # noqa: ARG002 - part of the contract: subclasses look beside it
    ) -> str:
        """Return the text to show for a root cause that died by a signal; here it stays as it is."""
        return message

    def _get_error_file_path(self) -> str | None:
        return self.error_file or os.environ.get(ERROR_FILE_ENV) or None


def _report(e: BaseException) -> dict[str, Any]:
    """Return the JSON of shape A, every value in `extraInfo` a text."""
    now = time.time_ns()
    extra_info = {
        "py_callstack": _callstack(e),
        "timestamp": now // 10**9,
        "timestamp_ns": now,
        **{name: os.environ[variable] for name, variable in _MARKS.items() if os.environ.get(variable)},
        "hostname": os.uname().nodename,
        "pid": os.getpid(),
        "exception_type": _type_name(e),
        "signal": _signal_of(e),
        "exitcode": exit_status(e) if isinstance(e, SystemExit) else None,
        "python": ".".join(map(str, sys.version_info[:3])),
        "argv0": next(iter(sys.argv), None),
    }
    known = {name: str(value) for name, value in extra_info.items() if value is not None}
    return {"message": {"message": f"{type(e).__name__}: {_text_of(e)}", "extraInfo": known}}


def _callstack(e: BaseException) -> str:
    """Return the traceback as Python prints it, without the frames of the recorder at its top."""
    frames = e.__traceback__
    while frames and frames.tb_next and frames.tb_frame.f_globals.get("__name__") == _OWN_MODULE:
        frames = frames.tb_next
    try:
        return "".join(traceback.format_exception(type(e), e, frames))
    except Exception:  # noqa: BLE001 - somebody else's exception may fail at any touch; its frames do not
        return "".join(["Traceback (most recent call last):\n", *traceback.format_tb(frames), f"{_type_name(e)}\n"])


def _text_of(e: BaseException) -> str:
    try:
        return str(e)
    except Exception:  # noqa: BLE001 - somebody else's __str__ may raise anything
        return "<exception str() failed>"


def _type_name(e: BaseException) -> str:
    """Return the type as tracebacks print it: with its module unless it is built in."""
    kind = type(e)
    return (
        kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    )


def _signal_of(e: BaseException) -> str | None:
    """Return the signal that the exception stands for."""
    sigval = signal.SIGINT if isinstance(e, KeyboardInterrupt) else vars(e).get("sigval")
    return sigval.name if isinstance(sigval, signal.Signals) else None
