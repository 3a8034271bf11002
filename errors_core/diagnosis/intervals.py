"""When a worker failed: an interval instead of a point, and which of two failures came first, if that can be said.

Owns the clock rules: a report's second says when the exception reached the recorder, a launcher's second when it
noticed the death, and clocks of two hosts may differ. File times are no evidence here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.wording import home_of
from errors_core.verdict import FirstFailure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.job import Worker

__all__ = ["came_before", "failed_at", "first_failure", "stopped_at"]

_NOTICED_LATE = 1.1  # seconds: the launcher looks every tenth of a second, and a busy machine adds to it
_SKEW = 1.1  # seconds: how far the clocks of two hosts may stand apart without anybody noticing
_TOLD = ("error_file", "launcher_log")


def failed_at(worker: Worker) -> tuple[float, float] | None:
    """Return the earliest and latest moment (seconds since the epoch) of a worker's failure, `None` if unknown."""
    if worker.timestamp is None or worker.timestamp_source not in _TOLD:
        return None
    if worker.timestamp_source == "error_file":
        exact = None if worker.timestamp_ns is None else worker.timestamp_ns / 1e9
        return (worker.timestamp, worker.timestamp + 1.0) if exact is None else (exact, exact)
    return worker.timestamp - _NOTICED_LATE, worker.timestamp + 1.0


def stopped_at(worker: Worker) -> float | None:
    """Return when the launcher first sent a worker a signal, `None` if it did not or the time is not known."""
    times = [closing.time for closing in worker.closings if closing.time is not None]
    return min(times, default=None)


def came_before(first: Worker, second: Worker) -> bool | None:
    """Tell whether one failure came before another; `None` when the intervals overlap or are not known."""
    one, two = failed_at(first), failed_at(second)
    if one is None or two is None:
        return None
    skew = 0.0 if home_of(first) == home_of(second) else _SKEW
    if one[1] + skew <= two[0]:
        return True
    return False if two[1] + skew <= one[0] else None


def first_failure(workers: Sequence[Worker]) -> FirstFailure | None:
    """Return the failure with the smallest recorded time, and those of the same second."""
    timed = [(w.timestamp, i) for i, w in enumerate(workers) if w.timestamp is not None and w.failed]
    told = [(time, i) for time, i in timed if workers[i].timestamp_source in (*_TOLD, None)]
    if not told:
        return None
    smallest = min(time for time, _ in told)
    tied = [index for time, index in told if time == smallest]
    exact = [workers[index].timestamp_ns for index in tied]
    if all(value is not None for value in exact):
        tied.sort(key=lambda index: workers[index].timestamp_ns or 0)
        tied = [i for i in tied if workers[i].timestamp_ns == workers[tied[0]].timestamp_ns]
    return FirstFailure(tied[0], tuple(tied[1:]))
