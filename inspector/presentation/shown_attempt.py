"""`ShownAttempt`: the attempt that is on the screen, with its verdict and its table of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.choice import Choice
from inspector.presentation.evidence_text import format_answer, format_groups
from inspector.presentation.rank_table import RankTable

if TYPE_CHECKING:
    from errors_core.job import Attempt, Job, Run, Worker
    from errors_core.verdict import Verdict
    from inspector.presentation.lines import Line

__all__ = ["ShownAttempt", "find_same_attempt", "find_same_worker", "show_attempt"]


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    """What every view of one attempt reads. `verdict` is `None` while the job is still being read.

    `answer` and `groups` are the verdict in lines: the same for every worker, and long work for 100,000 of them.
    """

    job: Job
    choice: Choice
    verdict: Verdict | None
    table: RankTable
    answer: tuple[Line, ...] = ()
    groups: tuple[Line, ...] = ()

    @property
    def run(self) -> Run:
        """The run that is shown."""
        return self.job.runs[self.choice.run]

    @property
    def attempt(self) -> Attempt:
        """The attempt that is shown."""
        return self.run.attempts[self.choice.attempt]


def show_attempt(job: Job, choice: Choice, verdict: Verdict | None) -> ShownAttempt:
    """Do in a thread all that the first look would have to wait for."""
    run = job.runs[choice.run]
    attempt = run.attempts[choice.attempt]
    table = RankTable(attempt, verdict)
    table.prepare()
    if verdict is None:
        return ShownAttempt(job, choice, None, table)
    answer, groups = tuple(format_answer(run, attempt, verdict)), tuple(format_groups(attempt, verdict))
    return ShownAttempt(job, choice, verdict, table, answer, groups)


def find_same_attempt(before: ShownAttempt, job: Job) -> Choice | None:
    """Return where the attempt that was shown is in a job that was read again."""
    for number, run in reversed(list(enumerate(job.runs))):
        if run.run_id == before.run.run_id and run.nodes == before.run.nodes:
            numbers = [attempt.number for attempt in run.attempts]
            if before.attempt.number in numbers:
                return Choice(number, numbers.index(before.attempt.number))
    return None


def find_same_worker(before: Worker, attempt: Attempt) -> int | None:
    """Return where a worker is in an attempt that was read again."""
    wanted = (before.node, before.local_rank, before.rank)
    same = (index for index, w in enumerate(attempt.workers) if (w.node, w.local_rank, w.rank) == wanted)
    return next(same, None)
