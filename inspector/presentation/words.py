"""Words for values of the picture: who a worker is, how it ended, what part it played, how sure the verdict is.

Owns the wording that every view shares. It refuses to judge: what it says stands in the Job or the Verdict. Text of
the job passes through as it is; `inspector.presentation.safe_text` makes it safe where it is shown.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from errors_core.signals import signal_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from errors_core.job import Attempt, Run, Worker
    from errors_core.verdict import Confidence, State

__all__ = [
    "CONFIDENCE",
    "STATES",
    "UNKNOWN",
    "attempt_words",
    "confidence_words",
    "count",
    "exit_words",
    "message_of",
    "of_all",
    "place_words",
    "ranges",
    "ranks_words",
    "title_of",
    "where_words",
    "worker_words",
]

UNKNOWN = "—"

STATES: Mapping[State, str] = {
    "origin": "origin",
    "echo": "echo",
    "ended_by_launcher": "ended by launcher",
    "silent": "silent",
    "ok": "ok",
    "unknown": "unknown",
}

CONFIDENCE: Mapping[Confidence, str] = {
    "sure": "sure",
    "probable": "probable, not certain",
    "unsure": "unsure: the evidence does not decide",
}


def confidence_words(confidence: Confidence) -> str:
    """Return how far the verdict can be trusted, in words."""
    return CONFIDENCE[confidence]


def count(number: int, noun: str) -> str:
    """Return `1 worker`, `2 workers`, `1,024 workers`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def of_all(shown: int, total: int) -> str:
    """Return `12 of 340`: how a capped list says that it is one."""
    return f"{shown:,} of {total:,}"


def worker_words(worker: Worker) -> str:
    """Return the shortest name of a worker that its data allows: its rank, else local rank and node, else its pid."""
    if worker.rank is not None:
        return f"rank {worker.rank}"
    if worker.local_rank is not None:
        node = worker.node or worker.host
        return f"local rank {worker.local_rank} on {node}" if node else f"local rank {worker.local_rank}"
    return f"pid {worker.pid}" if worker.pid is not None else "a worker of unknown rank"


def where_words(worker: Worker) -> str:
    """Return the node and, where it has another name, the host: `node1 (gpu-node-02)`."""
    if worker.node and worker.host and worker.node != worker.host:
        return f"{worker.node} ({worker.host})"
    return worker.node or worker.host or UNKNOWN


def exit_words(exitcode: int | None) -> str:
    """Return `SIGKILL` for a death by a signal, else `exit 1`; `—` when it is not known."""
    if exitcode is None:
        return UNKNOWN
    return signal_name(exitcode) or f"exit {exitcode}"


def message_of(worker: Worker) -> str | None:
    """Return the text of the failure as its source gives it, or `None` when the worker left none."""
    if worker.failure is not None:
        message = worker.failure.message
        text = message.get("message") if isinstance(message, dict) else message
        if text is not None and str(text).strip():
            return str(text)
    return None if worker.error is None else worker.error.links[-1].title


def title_of(worker: Worker) -> str | None:
    """Return one line that tells most about the failure, or `None` when the worker left no message."""
    if worker.error is not None:
        return worker.error.link.title
    message = message_of(worker)
    return None if message is None else message.strip().split("\n", 1)[0]


def place_words(path: str, line: int | None) -> str:
    """Return `path:12`, or the path alone when the whole file is meant."""
    return path if line is None else f"{path}:{line}"


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers in order with runs of three and more joined: `0, 1, 5-12`."""
    return ", ".join(text for text, _ in _ranges(numbers))


def _ranges(numbers: Iterable[int]) -> list[tuple[str, int]]:
    """Return the parts of `ranges`, each with how many numbers it stands for."""
    found = sorted(set(numbers))
    runs = [[n for _, n in run] for _, run in groupby(enumerate(found), lambda pair: pair[1] - pair[0])]
    parts: list[tuple[str, int]] = []
    for run in runs:
        parts += [(f"{run[0]}-{run[-1]}", len(run))] if len(run) > 2 else [(str(number), 1) for number in run]
    return parts


def ranks_words(attempt: Attempt, indices: Iterable[int], *, parts: int = 16) -> str:
    """Return `rank 3`, `ranks 0-2, 5`; workers whose rank is not known are named by local rank, node by node.

    At most so many `parts` are named; the rest is counted.
    """
    workers = [attempt.workers[index] for index in indices]
    known = _ranges(worker.rank for worker in workers if worker.rank is not None)
    named = known + _unranked([worker for worker in workers if worker.rank is None])
    shown = [text for text, _ in named[:parts]]
    if known:
        shown[0] = f"{'rank' if sum(number for _, number in known) == 1 else 'ranks'} {shown[0]}"
    left = sum(number for _, number in named[parts:])
    return ", ".join(shown) + (f" and {left:,} more" if left else "")


def _unranked(workers: Iterable[Worker]) -> list[tuple[str, int]]:
    """Return workers without a rank as `local ranks 0-7 on node3`, each with how many workers it stands for."""
    places: dict[str | None, list[int]] = {}
    alone: list[tuple[str, int]] = []
    for worker in workers:
        if worker.local_rank is None:
            alone.append((worker_words(worker), 1))
        else:
            places.setdefault(worker.node or worker.host, []).append(worker.local_rank)
    found: list[tuple[str, int]] = []
    for place, locals_ in places.items():
        noun = "local rank" if len(locals_) == 1 else "local ranks"
        found.append((f"{noun} {ranges(locals_)}{f' on {place}' if place else ''}", len(locals_)))
    return found + alone


def attempt_words(run: Run, attempt: Attempt) -> str:
    """Return `run job-4471, attempt 0`; a run whose id is not known is `run —`."""
    return f"run {run.run_id or UNKNOWN}, attempt {attempt.number}"
