"""Whether a verdict is right: `right`, `unsure` (honest, but it could have been told), `wrong`, `falsely sure`."""

from __future__ import annotations

from typing import Literal

from errors_core.diagnosis import diagnose
from errors_core.job import Attempt
from errors_core.load import load_job
from errors_core.verdict import Verdict
from tests.evaluation.cases import Case

__all__ = ["Outcome", "judge_case", "score"]

Outcome = Literal["right", "unsure", "wrong", "falsely sure"]


def judge_case(case: Case) -> tuple[Attempt, Verdict]:
    """Load a case and return the attempt in question with its verdict."""
    job = load_job(*case.paths)
    if not job.runs:
        return Attempt(), diagnose(Attempt())
    run = job.runs[-1]
    attempts = {attempt.number: attempt for attempt in run.attempts}
    attempt = attempts[case.attempt] if case.attempt is not None else run.attempts[-1]
    return attempt, diagnose(attempt, world_size=run.world_size)


def score(case: Case, attempt: Attempt, verdict: Verdict) -> Outcome:
    """Compare a verdict with the label."""
    if _agrees(case, attempt, verdict):
        return "right"
    if verdict.confidence == "unsure":
        return "right" if case.expected == "unknown" else "unsure"
    if case.expected == "unknown" and verdict.confidence == "probable" and case.collection == "reports":
        return "right"  # nobody knows what happened there; a guess that calls itself one is no mistake
    return "falsely sure" if verdict.confidence == "sure" else "wrong"


def _agrees(case: Case, attempt: Attempt, verdict: Verdict) -> bool:
    """Tell whether the verdict is the label's; a rank that the data does not show is its local rank on one node."""
    blamed = attempt.workers[verdict.worker] if verdict.worker is not None else None
    if case.expected == "ranks":
        if blamed is None:
            return verdict.named_rank in case.ranks
        return (blamed.local_rank if blamed.rank is None else blamed.rank) in case.ranks
    if case.expected == "nobody":
        return verdict.kind in ("external", "none") or (verdict.kind == "unknown" and blamed is None)
    if case.expected == "all":
        return verdict.kind == "common"
    return False
