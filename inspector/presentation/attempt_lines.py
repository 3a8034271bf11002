"""The list of all runs and attempts to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.choice import Choice
from inspector.presentation.lines import Line, line
from inspector.presentation.words import UNKNOWN, count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.job import Job

__all__ = ["attempt_lines"]


def attempt_lines(job: Job) -> Iterator[tuple[Line, Choice | None]]:
    """Yield the newest run first, its last attempt first; a run's own line cannot be chosen."""
    for number in reversed(range(len(job.runs))):
        run = job.runs[number]
        size = f"  {count(len(run.nodes), 'node')}" if run.nodes else ""
        yield line(("run ", "dim"), (run.run_id or UNKNOWN, "title"), (size, "dim")), None
        for index in reversed(range(len(run.attempts))):
            workers = run.attempts[index].workers
            failed = sum(worker.failed for worker in workers)
            size = f"  {count(len(workers), 'worker')}, {failed:,} failed"
            yield line(f"  attempt {run.attempts[index].number}", size), Choice(number, index)
