"""`load_job`: from paths to the picture of a job; the only place where finding, reading and joining meet.

Bad data becomes a `Problem` in the picture. Only a path that does not exist or may not be read at all is an exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.job import Job

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from errors_core.diagnosis.signatures import Signature

__all__ = ["Progress", "load_job"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load is: `done` of `total` files (`None`: not known yet), what it does, the picture so far.

    `job` is `None` when there is nothing new to show.
    """

    done: int
    total: int | None
    phase: str
    job: Job | None = None


def load_job(
    *paths: str | os.PathLike[str],
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
    signatures: Sequence[Signature] | None = None,
) -> Job:
    """Return everything found below the paths; raises `InputError` for one that does not exist or may not be read."""
    del executor, progress, signatures
    return Job(inputs=tuple(str(path) for path in paths))
