"""`Verdict`: the one answer about one attempt, which every view shows and none computes again.

Built by `errors_core.diagnosis`; the words are those of the JSON report (schema version 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from errors_core.job import Job

__all__ = [
    "Confidence",
    "Evidence",
    "FirstFailure",
    "Group",
    "Kind",
    "LauncherSays",
    "State",
    "Verdict",
    "WorkerState",
    "nothing_found",
]

Kind = Literal["worker", "common", "node", "external", "none", "unknown"]
Confidence = Literal["sure", "probable", "unsure"]
State = Literal["origin", "echo", "ended_by_launcher", "silent", "ok", "unknown"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One sentence and the place that it points at (`None`: it follows from the picture as a whole)."""

    text: str
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LauncherSays:
    """The launcher's own pick. `why_different` is `None` when the verdict agrees with it."""

    rank: int | None
    local_rank: int | None = None
    node: str | None = None
    why_different: str | None = None


@dataclass(frozen=True, slots=True)
class FirstFailure:
    """The smallest recorded time: a fact, no judgement. Numbers are indices into `attempt.workers`."""

    worker: int
    tied_with: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Workers with the same failure. `number` counts from 1; `workers` are indices into `attempt.workers`.

    `differences` names what was masked to make them equal: pairs of worker index and the values, at most 20.
    """

    number: int
    title: str
    workers: tuple[int, ...]
    state: State = "unknown"
    differences: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerState:
    """What part a worker played, and the sentences that say why. `group` is a `Group.number` or `None`."""

    state: State
    reasons: tuple[Evidence, ...] = ()
    group: int | None = None
    echo_of: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Root cause, confidence and evidence for one attempt.

    `worker` is the index into `attempt.workers` of the one to blame (`kind == "worker"`), of the best candidate
    (`unsure`), of the example (`common`, `node`), or `None`. `candidates` are indices: at most three when
    `unsure`, all concerned when
    `common`. `cause` is a signature id or `None`. `states` runs parallel to `attempt.workers`.
    `named_rank` is a rank that the evidence names and of which nothing else was found, so that no index is its own.
    `broke_at` names the place in the worker's own code where it broke, as `train.py:26 parse_shard: code`.
    """

    kind: Kind
    confidence: Confidence
    summary: str
    worker: int | None = None
    candidates: tuple[int, ...] = ()
    named_rank: int | None = None
    cause: str | None = None
    broke_at: str | None = None
    evidence: tuple[Evidence, ...] = ()
    against: tuple[Evidence, ...] = ()
    missing: tuple[Evidence, ...] = ()
    advice: tuple[str, ...] = ()
    launcher_says: LauncherSays | None = None
    first_failure: FirstFailure | None = None
    states: tuple[WorkerState, ...] = ()
    groups: tuple[Group, ...] = ()


def nothing_found(job: Job) -> Verdict:
    """Return the verdict about a job in which no attempt was found: nothing failed, or its files cannot be read."""
    if job.problems:
        first = job.problems[0]
        point = Evidence(f"{first.path}: {first.problem}", first.path, first.line)
        return Verdict(
            kind="unknown", confidence="unsure", summary="Nothing here could be read as evidence.", missing=(point,)
        )
    return Verdict(kind="none", confidence="unsure", summary="Nothing in the data shows a failure.")
