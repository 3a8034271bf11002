"""`Answer`: a verdict put into the words and the order that every report shows.

Owns the order (the sentence, how sure, who and where, what to check, why, what speaks against it) and which facts
stand beside it: what a tired person needs comes first. It refuses to judge and to lay out: the verdict judges, a
report lays out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from errors_core.verdict import Evidence, Verdict
from inspector.presentation.times import SOURCES, format_time
from inspector.presentation.words import (
    UNKNOWN,
    confidence_words,
    count,
    exit_words,
    of_all,
    ranks_words,
    where_words,
    worker_words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.job import Attempt, Run
    from errors_core.verdict import LauncherSays

__all__ = ["Answer", "Fact", "Section", "Verdicts", "answer_of", "attempts_in_short", "blamed_words"]

_ATTEMPTS = 8

Verdicts: TypeAlias = Sequence[Sequence[Verdict]]
"""One verdict for each attempt of each run, parallel to `job.runs` and to their `attempts`."""


class Fact(NamedTuple):
    """A label and its value, one line; `literal`: the value is code and no sentence."""

    label: str
    value: str
    literal: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Sentences under one title; `numbered` when their order is an order of doing."""

    title: str
    points: tuple[Evidence, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The verdict in words."""

    sentence: str
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]

    @property
    def checks(self) -> Section | None:
        """What to check first, if the verdict says."""
        return next((section for section in self.sections if section.numbered), None)


def answer_of(run: Run, attempt: Attempt, verdict: Verdict) -> Answer:
    """Put the verdict about one attempt into words; its text is the job's own and not yet safe to print."""
    sections = (
        Section("Check first", tuple(Evidence(advice) for advice in verdict.advice), numbered=True),
        Section("Why", verdict.evidence),
        Section("Against it", verdict.against),
        Section("Missing", verdict.missing),
        Section("The launcher says", _launcher_points(attempt, verdict.launcher_says)),
    )
    return Answer(
        _sentence(verdict),
        tuple(_facts(run, attempt, verdict)),
        tuple(section for section in sections if section.points),
    )


def _sentence(verdict: Verdict) -> str:
    """Return the verdict's sentence; one that cannot decide also says what is not in the data."""
    if verdict.confidence != "unsure" or not verdict.missing:
        return verdict.summary
    missing = verdict.missing[0].text.rstrip(".")
    return f"{verdict.summary} Not in the data: {missing[:1].lower()}{missing[1:]}."


def _facts(run: Run, attempt: Attempt, verdict: Verdict) -> Iterator[Fact]:
    if verdict.kind != "none":
        yield Fact("Confidence", confidence_words(verdict.confidence))
    yield from _who(attempt, verdict)
    if verdict.broke_at:
        yield Fact("Broke at", verdict.broke_at, literal=True)
    first = verdict.first_failure
    if first is not None:
        worker = attempt.workers[first.worker]
        source = f" ({SOURCES[worker.timestamp_source]})" if worker.timestamp_source else ""
        tied = f", at the same time as {ranks_words(attempt, first.tied_with, parts=4)}" if first.tied_with else ""
        yield Fact("First failure", f"{worker_words(worker)}, {format_time(worker.timestamp)}{source}{tied}")
    yield Fact("Job", _job_words(run, attempt))


def _who(attempt: Attempt, verdict: Verdict) -> Iterator[Fact]:
    if verdict.confidence == "unsure" and verdict.candidates:
        yield Fact("Candidates", ranks_words(attempt, verdict.candidates))
    elif verdict.kind in {"common", "node"} and verdict.candidates:
        yield Fact("Workers", f"{ranks_words(attempt, verdict.candidates)} ({len(verdict.candidates):,})")
    elif verdict.worker is not None:
        worker = attempt.workers[verdict.worker]
        pid = f", pid {worker.pid}" if worker.pid is not None else ""
        code = f", {exit_words(worker.exitcode)}" if worker.exitcode is not None else ""
        yield Fact("Worker", f"{worker_words(worker)} on {where_words(worker)}{pid}{code}")


def _job_words(run: Run, attempt: Attempt) -> str:
    failed = sum(worker.failed for worker in attempt.workers)
    of_several = f", one of {len(run.attempts):,}" if len(run.attempts) > 1 else ""
    nodes = f" on {count(len(run.nodes), 'node')}" if run.nodes else ""
    known = f"{count(len(attempt.workers), 'worker')}{nodes}, {failed:,} failed"
    size = run.world_size
    if size is not None and size != len(attempt.workers):
        known += f" (world size {size:,})"
    return f"run {run.run_id or UNKNOWN}, attempt {attempt.number}{of_several}: {known}"


def _launcher_points(attempt: Attempt, says: LauncherSays | None) -> tuple[Evidence, ...]:
    if says is None:
        return ()
    where = f" on {says.node}" if says.node else ""
    if says.rank is not None:
        pick = f"rank {says.rank}{where}"
    elif says.local_rank is not None:
        pick = f"local rank {says.local_rank}{where}"
    else:
        pick = f"a worker{where}" if attempt.workers else "nothing about a worker"
    if says.why_different is None:
        return (Evidence(f"{pick}, as this report does"),)
    return (Evidence(f"{pick}. Why this differs: {says.why_different}"),)


def blamed_words(attempt: Attempt, verdict: Verdict) -> str:
    """Return in the fewest words whom the verdict blames: `rank 3`, `ranks 0-7`, `nobody`."""
    if verdict.candidates and (verdict.confidence == "unsure" or verdict.kind in {"common", "node"}):
        words = ranks_words(attempt, verdict.candidates, parts=4)
        return f"{words}?" if verdict.confidence == "unsure" else words
    if verdict.worker is not None:
        return worker_words(attempt.workers[verdict.worker])
    return {"none": "no failure", "external": "stopped from outside"}.get(verdict.kind, "no worker")


def attempts_in_short(run: Run, verdicts: Sequence[Verdict], shown: int) -> str:
    """Return one line naming the verdict of the last attempts: `0: rank 1; 1: rank 0; 2: rank 3 (this one)`."""
    said = [
        f"{attempt.number}: {blamed_words(attempt, verdict)}{' (this one)' if index == shown else ''}"
        for index, (attempt, verdict) in enumerate(zip(run.attempts, verdicts, strict=True))
    ]
    capped = f"; the last {of_all(_ATTEMPTS, len(said))}" if len(said) > _ATTEMPTS else ""
    return "; ".join(said[-_ATTEMPTS:]) + capped
