"""The labelled jobs of tests/data: right wherever the evidence can tell, and never falsely sure."""

from __future__ import annotations

import pytest

from tests.evaluation.cases import Case, all_cases
from tests.evaluation.scoring import judge_case, score

# Evidence that names a cause and no worker: tracebacks that nobody signed, ranks that are named and left nothing.
CANNOT_TELL = {
    "versions/torch19/keyerror.log",
    "versions/torch19/restart.log",
    "versions/torch112/keyerror.log",
    "versions/torch112/restart.log",
    "versions/torch213/restart.log",
    "reports/120",
    "reports/132",
}


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.title)
def test_the_verdict_about_a_labelled_job_is_right(case: Case) -> None:
    attempt, verdict = judge_case(case)
    outcome = score(case, attempt, verdict)
    assert outcome == ("unsure" if case.title in CANNOT_TELL else "right"), verdict.summary


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.title)
def test_a_verdict_is_complete(case: Case) -> None:
    attempt, verdict = judge_case(case)
    assert verdict.summary.endswith(".")
    assert "\n" not in verdict.summary
    assert len(verdict.states) == len(attempt.workers)
    assert verdict.kind == "none" or verdict.evidence
    if verdict.confidence != "sure" and verdict.kind != "none":
        assert verdict.against or verdict.missing
    numbers = [group.number for group in verdict.groups]
    assert numbers == list(range(1, len(numbers) + 1))
    grouped = [index for group in verdict.groups for index in group.workers]
    assert len(grouped) == len(set(grouped))
