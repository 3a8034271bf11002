"""What to look at first: two or three checks that name the host, the process, the path or the worker.

Owns the step from a cause to something that a person can do. It refuses to judge.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.diagnosis.signatures import signature
from errors_core.diagnosis.wording import full_name, home_of
from errors_core.signals import explain_exitcode

if TYPE_CHECKING:
    from errors_core.job import Frame, Worker

__all__ = ["advise", "advise_silent", "broke_at"]

_MOST = 3
_PATH = re.compile(r"['\"](/[^'\"]+)['\"]")
_HERE = re.compile(r"\b(?:that|this|the) node\b")


def advise(worker: Worker | None, cause: str | None) -> tuple[str, ...]:
    """Return the first checks for a cause, made specific for the worker that shows it."""
    lines: list[str] = []
    frame = _frame(worker)
    if frame is not None and frame.own and cause in (None, "py_exception", "shape", "nan"):
        lines.append(f"Open {frame.path}, line {frame.line}, in {frame.function}.")
    path = _PATH.search(worker.error.link.message) if worker and worker.error else None
    home = home_of(worker) if worker else None
    if path is not None:
        lines.append(f"ls -l {path[1]}{f' on {home}' if home else ''}: is it there, complete and readable?")
    found = signature(cause) if cause else None
    if found is not None and found.id != "sigkill" and not (lines and cause == "py_exception"):
        lines += [_placed(check, home) for check in found.checks]
    if worker is not None and worker.error is None and worker.exitcode:
        meaning = explain_exitcode(worker.exitcode)
        where = f"On {home}: " if home else ""
        lines += [f"{where}{check}" for check in meaning.checks_for(worker.pid)]
    return tuple(dict.fromkeys(lines))[:_MOST]


def advise_silent(worker: Worker) -> tuple[str, ...]:
    """Return what to do about a worker that stopped taking part and said nothing."""
    where = f" on {home_of(worker)}" if home_of(worker) else ""
    lines = (
        f"What was {full_name(worker)} doing? Compare its last log lines with those of the others.",
        f"When it happens again: py-spy dump --pid on that process{where}, before the time limit ends it.",
    )
    if worker.collectives:
        return lines
    return (*lines, "Switch on the flight recorder (TORCH_NCCL_TRACE_BUFFER_SIZE=2000) to see who did not join.")


def broke_at(worker: Worker | None) -> str | None:
    """Return the place in the worker's own code where it broke, as `train.py:26 parse_shard: code`."""
    frame = _frame(worker)
    if frame is None:
        return None
    line = "" if frame.line is None else f":{frame.line}"
    code = f": {frame.source.strip()}" if frame.source else ""
    return f"{frame.path.rsplit('/', 1)[-1]}{line} {frame.function}{code}"


def _frame(worker: Worker | None) -> Frame | None:
    return worker.error.link.frame if worker is not None and worker.error is not None else None


def _placed(check: str, home: str | None) -> str:
    """Name the machine where a check speaks of that node."""
    return _HERE.sub(home, check) if home else check
