"""The list of all runs and attempts to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.choice import Choice
from inspector.presentation.lines import Line, line
from inspector.presentation.words import UNKNOWN, count, title_of, worker_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.job import Attempt, Job

__all__ = ["attempt_lines"]


def attempt_lines(job: Job) -> Iterator[tuple[Line, Choice | None]]:
    """Yield the newest run first, its last attempt first; a run's own line cannot be chosen."""
    for number in reversed(range(len(job.runs))):
        run = job.runs[number]
        size = f"  {count(len(run.nodes), 'node')}" if run.nodes else ""
        yield line(("run ", "dim"), (run.run_id or UNKNOWN, "title"), (size, "dim")), None
        for index in reversed(range(len(run.attempts))):
            yield _attempt_line(run.attempts[index]), Choice(number, index)


def _attempt_line(attempt: Attempt) -> Line:
    failed = [worker for worker in attempt.workers if worker.failed]
    size = f"  {count(len(attempt.workers), 'worker')}, {len(failed):,} failed"
    timed = [(worker.timestamp, number) for number, worker in enumerate(failed) if worker.timestamp is not None]
    if not timed:
        return line(f"  attempt {attempt.number}", size)
    first = failed[min(timed)[1]]
    return line(f"  attempt {attempt.number}", size, (f"; first {worker_words(first)}: {title_of(first) or ''}", "dim"))
