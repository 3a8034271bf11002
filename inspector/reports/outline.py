"""`Outline`: what a report holds and in which order, for every layout alike.

Owns which attempt comes first, what stands beside the answer and how files are listed. It refuses to lay out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from errors_core.diagnosis import compare_attempts
from inspector.presentation.answer import Fact, Section, answer_of, attempts_in_short
from inspector.presentation.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.job import Attempt, Job, Run, Worker
    from errors_core.verdict import Verdict
    from inspector.presentation.answer import Answer, Verdicts
    from inspector.presentation.choice import Choice
    from inspector.presentation.rank_table import RankTable

__all__ = ["Outline", "Shown", "evidence_files", "files_of", "looked_at", "rows_to_show", "title_of_rows"]


class Shown(NamedTuple):
    """One attempt, its run and the verdict about it."""

    run: Run
    attempt: Attempt
    verdict: Verdict

    @property
    def answer(self) -> Answer:
        """The verdict in words."""
        return answer_of(self.run, self.attempt, self.verdict)


@dataclass(frozen=True, slots=True)
class Outline:
    """A job, its verdicts and the attempt that was asked for (`None`: there is no attempt)."""

    job: Job
    verdicts: Verdicts
    choice: Choice | None

    def first(self) -> Shown | None:
        """Return the attempt that was asked for."""
        return None if self.choice is None else self._shown(*self.choice)

    def others(self) -> Iterator[Shown]:
        """Yield all other attempts, the newest first."""
        for run in reversed(range(len(self.job.runs))):
            for attempt in reversed(range(len(self.job.runs[run].attempts))):
                if (run, attempt) != self.choice:
                    yield self._shown(run, attempt)

    def answer(self) -> Answer | None:
        """Return the answer about the attempt that was asked for, with what else was found and read."""
        if self.choice is None:
            return None
        shown = self._shown(*self.choice)
        answer, verdicts = shown.answer, tuple(self.verdicts[self.choice.run])
        facts = [*answer.facts]
        if len(shown.run.attempts) > 1:
            facts.append(Fact("Attempts", attempts_in_short(shown.run, verdicts, self.choice.attempt)))
        if len(self.job.runs) > 1:
            facts.append(Fact("Runs", f"{len(self.job.runs):,} were found; the others follow below"))
        facts.append(Fact("Read", f"{', '.join(self.job.inputs)}: {looked_at(self.job)}"))
        across = Section("Across attempts", compare_attempts(shown.run, verdicts))
        sections = answer.sections if not across.points else (*answer.sections, across)
        return replace(answer, facts=tuple(facts), sections=sections)

    def _shown(self, run: int, attempt: int) -> Shown:
        return Shown(self.job.runs[run], self.job.runs[run].attempts[attempt], self.verdicts[run][attempt])


def looked_at(job: Job) -> str:
    """Return what was read, in numbers: `14 files, 4 workers, 1 problem`."""
    parts = [count(job.files_read, "file"), count(job.workers, "worker")]
    if job.problems:
        parts.append(count(len(job.problems), "problem"))
    return ", ".join(parts)


def files_of(worker: Worker) -> list[str]:
    """Return the paths of a worker's own files, or else of the files that show it."""
    known = [path for path in (worker.error_file, worker.stderr_log, worker.stdout_log) if path]
    return known or list(dict.fromkeys(place.path for place in worker.sources))


def evidence_files(verdict: Verdict | None) -> list[str]:
    """Return the paths of all files that a verdict points at."""
    points = () if verdict is None else (*verdict.evidence, *verdict.against, *verdict.missing)
    return list(dict.fromkeys(point.path for point in points if point.path is not None))


def rows_to_show(table: RankTable) -> list[int]:
    """Return all workers but those that ended well, the most important first."""
    return table.sort("cause", [index for index in range(len(table)) if table.state(index) != "ok"])


def title_of_rows(table: RankTable) -> str:
    """Return what the workers of `rows_to_show` have in common."""
    failed = any(worker.failed for worker in table.workers)
    return "Workers that failed" if failed else "Workers that were stopped or whose end is not known"
