"""Which run and which attempt a person asked for.

Owns the default (the newest run, its last attempt) and the words for a wish that cannot be met. It refuses to guess
between two runs that both fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.words import UNKNOWN, count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.job import Job

__all__ = ["Choice", "ChoiceError", "choose"]

_LISTED = 8


class Choice(NamedTuple):
    """Indices into `job.runs` and into that run's `attempts`."""

    run: int
    attempt: int


class ChoiceError(ValueError):
    """There is no such run or attempt, or more than one; the text lists what there is."""


def choose(job: Job, run_id: str | None = None, number: int | None = None) -> Choice | None:
    """Return the wanted run (by its id or the only start of one that fits) and attempt; `None`: no run was found.

    Raises `ChoiceError` when the job has no such run or attempt.
    """
    tried = [index for index, run in enumerate(job.runs) if run.attempts]
    if not tried:
        if run_id is not None or number is not None:
            raise ChoiceError("no run was found")
        return None
    run = tried[-1] if run_id is None else _find_run(job, run_id, tried)
    numbers = [attempt.number for attempt in job.runs[run].attempts]
    if number is None:
        return Choice(run, len(numbers) - 1)
    if number not in numbers:
        name = job.runs[run].run_id or UNKNOWN
        raise ChoiceError(f"run {name} has no attempt {number}; it has {_listed([str(n) for n in numbers])}")
    return Choice(run, numbers.index(number))


def _find_run(job: Job, run_id: str, tried: Sequence[int]) -> int:
    names = {index: job.runs[index].run_id or "" for index in tried}
    exact = [index for index, name in names.items() if name == run_id]
    if exact:
        return exact[-1]
    fitting = [index for index, name in names.items() if name.startswith(run_id)]
    if len(fitting) == 1:
        return fitting[0]
    known = _listed([name or UNKNOWN for name in names.values()])
    if fitting:
        raise ChoiceError(f"{count(len(fitting), 'run')} start with {run_id!r}; there are {known}")
    raise ChoiceError(f"no run {run_id!r}; there is {known}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(names[-_LISTED:]) + more
