"""Verdicts of all attempts of a job, and what the attempts of one run tell together.

Owns the comparison across attempts: ranks may move between them, so workers are compared by host and local rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.diagnosis.verdicts import judge
from errors_core.diagnosis.wording import evidence, full_name, home_of

if TYPE_CHECKING:
    from errors_core.job import Attempt, Job, Run, Worker
    from errors_core.verdict import Evidence, Verdict

__all__ = ["compare_attempts", "diagnose", "diagnose_job"]

_AFTERMATH = {
    "port_in_use": "its port was still taken, which an earlier attempt may have left behind",
    "cuda_busy": "its GPU was still taken, which an earlier attempt may have left behind",
    "ckpt_corrupt": "its checkpoint was damaged, and an earlier attempt may have been stopped while saving it",
    "gloo_connect": "its workers did not find each other, as happens when they meet the addresses of dead ones",
    "rdzv_conn": "the launchers did not meet again",
    "rdzv_closed": "the launchers did not meet again",
    "rdzv_timeout": "the launchers did not meet again",
}


def diagnose(attempt: Attempt, *, world_size: int | None = None) -> Verdict:
    """Return the root cause of one attempt with its evidence; opens no file and never raises for odd data.

    `world_size` is the number of workers that were launched, when the run tells it.
    """
    return judge(attempt, world_size)


def diagnose_job(job: Job) -> tuple[tuple[Verdict, ...], ...]:
    """Return the verdicts of all attempts, parallel to `job.runs[i].attempts[j]`."""
    return tuple(tuple(diagnose(attempt, world_size=run.world_size) for attempt in run.attempts) for run in job.runs)


def compare_attempts(run: Run, verdicts: tuple[Verdict, ...] | None = None) -> tuple[Evidence, ...]:
    """Say in sentences what the attempts of one run have in common and where they differ."""
    if len(run.attempts) < 2:
        return ()
    if verdicts is None:
        verdicts = tuple(diagnose(attempt, world_size=run.world_size) for attempt in run.attempts)
    blamed = [_blamed(attempt, verdict) for attempt, verdict in zip(run.attempts, verdicts, strict=True)]
    return (*_first_and_last(run, verdicts), *_moving(run, blamed), *_aftermath(run, verdicts))


def _blamed(attempt: Attempt, verdict: Verdict) -> Worker | None:
    return None if verdict.worker is None else attempt.workers[verdict.worker]


def _first_and_last(run: Run, verdicts: tuple[Verdict, ...]) -> list[Evidence]:
    first, last = verdicts[0], verdicts[-1]
    if first.kind == "none" or (first.cause, first.kind) == (last.cause, last.kind):
        return []
    number = run.attempts[0].number
    return [evidence(f"the first attempt (number {number}) ended in another way: {first.summary}")]


def _moving(run: Run, blamed: list[Worker | None]) -> list[Evidence]:
    """Compare the failures: the same one on the same host points at the host, on moving hosts at code or data."""
    known = [(attempt.number, worker) for attempt, worker in zip(run.attempts, blamed, strict=True) if worker]
    texts = {worker.error.exact for _, worker in known if worker.error is not None}
    if len(known) < 2:
        return []
    homes = {home_of(worker) for _, worker in known}
    same_text = len(texts) == 1 and all(worker.error is not None for _, worker in known)
    several_hosts = len({home_of(worker) for attempt in run.attempts for worker in attempt.workers}) > 1
    if len(homes) == 1 and None not in homes and several_hosts:
        return [
            evidence(f"in {len(known)} attempts the failure came from the same host, {homes.pop()}: suspect that host")
        ]
    where = ", ".join(f"{full_name(worker)} in attempt {number}" for number, worker in known[:4])
    if same_text:
        return [evidence(f"the same error came back ({where}): suspect the code or the data, not a machine")]
    return [evidence(f"the failure moved: {where}")]


def _aftermath(run: Run, verdicts: tuple[Verdict, ...]) -> list[Evidence]:
    return [
        evidence(f"attempt {attempt.number} may only have suffered from the one before: {_AFTERMATH[verdict.cause]}")
        for attempt, verdict in list(zip(run.attempts, verdicts, strict=True))[1:]
        if verdict.cause in _AFTERMATH
    ]
