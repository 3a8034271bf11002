"""`JobSource`: where the app gets a job, its verdicts and the details of a worker.

Owns all reading for the app. It is called in threads and refuses to know any widget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.job import Problem
from inspector.presentation.worker_details import WorkerDetails

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from errors_core.job import Attempt, Job, Worker
    from errors_core.load import Progress
    from errors_core.verdict import Verdict
    from inspector.presentation.choice import Choice

__all__ = ["JobSource"]


class JobSource:
    """Reads what lies below the paths. Its imports wait until the first frame is painted."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)

    def load(self, progress: Callable[[Progress], None]) -> Job:
        """Read everything; `progress` is told how far it is and may raise to stop it."""
        from errors_core.load import load_job  # noqa: PLC0415 - the first frame does not wait for the readers

        return load_job(*self.paths, progress=progress)

    def diagnose(self, attempt: Attempt) -> Verdict:
        """Judge one attempt."""
        from errors_core.diagnosis import diagnose  # noqa: PLC0415 - the first frame does not wait for the signatures

        return diagnose(attempt)

    def read_details(self, worker: Worker) -> WorkerDetails:
        """Read traceback, error file and logs of one worker again."""
        from errors_core import details  # noqa: PLC0415 - needed when somebody looks, not before

        report = details.read_error_report(worker)
        logs = [(name, path) for name, path in (("stdout", worker.stdout_log), ("stderr", worker.stderr_log)) if path]
        return WorkerDetails(
            traceback=details.read_traceback(worker),
            extra_info=details.read_extra_info(worker),
            problem=report if isinstance(report, Problem) else None,
            logs=tuple((name, details.read_log_tail(path)) for name, path in logs),
        )

    def report(self, job: Job, choice: Choice | None) -> str:
        """Return the whole text report."""
        from errors_core import details  # noqa: PLC0415 - needed when somebody asks, not before
        from inspector.reports.text import format_text  # noqa: PLC0415 - needed when somebody asks, not before

        verdicts = [[self.diagnose(attempt) for attempt in run.attempts] for run in job.runs]
        return "\n".join(format_text(job, verdicts, choice=choice, details=details)) + "\n"
