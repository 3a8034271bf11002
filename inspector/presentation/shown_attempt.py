"""`ShownAttempt`: the attempt that is on the screen, with its verdict and its table of ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.job import Attempt, Job, Problem, Run
    from errors_core.verdict import Verdict
    from inspector.presentation.choice import Choice
    from inspector.presentation.rank_table import RankTable

__all__ = ["ShownAttempt"]


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    """What every view of one attempt reads. `verdict` is `None` while the job is still being read."""

    job: Job
    choice: Choice
    verdict: Verdict | None
    table: RankTable

    @property
    def run(self) -> Run:
        """The run that is shown."""
        return self.job.runs[self.choice.run]

    @property
    def attempt(self) -> Attempt:
        """The attempt that is shown."""
        return self.run.attempts[self.choice.attempt]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the data of the whole job."""
        return self.job.problems
