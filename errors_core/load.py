"""`load_job`: from paths to the picture of a job; the only place where finding, reading and joining meet.

Bad data becomes a `Problem` in the picture. Only a path that does not exist or may not be read at all is an exception.
"""

from __future__ import annotations

import gc
import os
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from errors_core.evidence import FileReading
from errors_core.finding import find_evidence
from errors_core.gathering import Gathered
from errors_core.reading import read_archive, read_file, read_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from errors_core.diagnosis.signatures import Signature
    from errors_core.finding import Findings
    from errors_core.job import Job

__all__ = ["Progress", "load_job"]

_BATCH = 256  # rank directories
_AHEAD = 64
_INTERVAL = 0.2  # seconds between two calls of `progress`
_PARTIAL_SHARE = 10  # a partial picture is drawn when drawing it takes less than a tenth of the time since the last one


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a load is: `done` of `total` files and rank directories (`None`: not known yet), and what it does.

    `job` is the picture so far, `None` when there is nothing new to show.
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
    """Return everything found below the paths. Raises `InputError` for one that does not exist or may not be read.

    `executor` reads files elsewhere, several at once. `progress` is called now and then, and may raise to stop it all.
    `signatures` replace the built-in ones.
    """
    names = tuple(os.fspath(path) for path in paths)
    table = None if signatures is None else tuple(signatures)
    report = _Reporter(progress, names)
    with _without_cycles():
        report.phase("looking")
        found = find_evidence(names)
        gathered = Gathered(found)
        report.start(gathered, _count(found))
        for count, reading in _read_all(found, table, executor):
            gathered.add(reading)
            report.advance(count)
        report.phase("joining")
        return gathered.job(names)


def _count(found: Findings) -> int:
    return sum(len(ranks.names) for ranks in found.ranks) + len(found.files) + len(found.archives)


def _read_all(
    found: Findings, table: tuple[Signature, ...] | None, executor: Executor | None
) -> Iterator[tuple[int, FileReading]]:
    """Yield what was read, and how many files or rank directories that were."""
    if executor is None:
        yield from ((count, read()) for count, read in _tasks(found, table))
    else:
        yield from _read_elsewhere(_tasks(found, table), executor)
    for archive in found.archives:
        yield from ((0, reading) for reading in read_archive(archive, table))
        yield 1, FileReading()


def _tasks(found: Findings, table: tuple[Signature, ...] | None) -> Iterator[tuple[int, Callable[[], FileReading]]]:
    """Yield what is to be read, in parts that are worth being sent to another process."""
    for ranks in found.ranks:
        for start in range(0, len(ranks.names), _BATCH):
            names = ranks.names[start : start + _BATCH]
            yield len(names), partial(read_ranks, replace(ranks, names=()), names, table)
    for file in found.files:
        yield 1, partial(read_file, file, table)


def _read_elsewhere(
    tasks: Iterator[tuple[int, Callable[[], FileReading]]], executor: Executor
) -> Iterator[tuple[int, FileReading]]:
    """Let the executor read, a bounded number of tasks ahead; the results keep their order."""
    waiting: deque[tuple[int, Future[FileReading]]] = deque()
    try:
        for size, read in tasks:
            waiting.append((size, executor.submit(read)))
            if len(waiting) >= _AHEAD:
                yield _first_of(waiting)
        while waiting:
            yield _first_of(waiting)
    finally:
        for _, future in waiting:
            future.cancel()


def _first_of(waiting: deque[tuple[int, Future[FileReading]]]) -> tuple[int, FileReading]:
    count, future = waiting.popleft()
    return count, future.result()


class _Reporter:
    """Calls `progress` now and then."""

    def __init__(self, progress: Callable[[Progress], None] | None, names: tuple[str, ...]) -> None:
        self._progress = progress
        self._names = names
        self._gathered: Gathered | None = None
        self._done = 0
        self._total: int | None = None
        self._told = time.monotonic()
        self._drawn = self._told
        self._cost = 0.0

    def phase(self, phase: str) -> None:
        """Tell what is done now."""
        if self._progress is not None:
            self._progress(Progress(self._done, self._total, phase))

    def start(self, gathered: Gathered, total: int) -> None:
        """Begin to count."""
        self._gathered, self._total = gathered, total

    def advance(self, count: int) -> None:
        """Count what was read, and tell if it is time to."""
        self._done += count
        if self._progress is None:
            return
        now = time.monotonic()
        if now - self._told >= _INTERVAL:
            self._progress(Progress(self._done, self._total, "reading", self._partial_job(now)))
            self._told = time.monotonic()

    def _partial_job(self, now: float) -> Job | None:
        if self._gathered is None or now - self._drawn < _PARTIAL_SHARE * self._cost:
            return None
        job = self._gathered.job(self._names)
        self._drawn = time.monotonic()
        self._cost = self._drawn - now
        return job


@contextmanager
def _without_cycles() -> Iterator[None]:
    """Keep the collector of reference cycles from searching a growing picture that has none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
