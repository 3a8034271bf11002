"""How sentences name workers, ranks and texts: plain words for verdicts, evidence and advice.

Owns names and lists alone. It refuses to judge and to format for a terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.job import Place
from errors_core.verdict import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from errors_core.job import Worker

__all__ = [
    "capital",
    "clip",
    "count",
    "evidence",
    "full_name",
    "home_of",
    "join_words",
    "name_of",
    "names_of",
    "place_of_end",
    "place_of_silence",
]

_MOST_NAMED = 6


def evidence(text: str, place: Place | None = None) -> Evidence:
    """Build one sentence of evidence with the place that it points at."""
    return Evidence(capital(text)) if place is None else Evidence(capital(text), place.path, place.line)


def capital(text: str) -> str:
    """Return the sentence with a capital letter in front."""
    return text[:1].upper() + text[1:]


def clip(text: str, width: int = 160) -> str:
    """Return the first line of a text, cut to a width."""
    line = text.strip().split("\n", 1)[0].strip()
    return line if len(line) <= width else f"{line[: width - 1].rstrip()}…"


def count(number: int, noun: str) -> str:
    """Return `1 worker`, `3 workers`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def join_words(words: Sequence[str]) -> str:
    """Return `a`, `a and b` or `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def home_of(worker: Worker) -> str | None:
    """Return the machine of a worker as the data names it: its host, else its node."""
    return worker.host or worker.node


def name_of(worker: Worker) -> str:
    """Name a worker shortly: by its rank, else by node and local rank, else by its process id."""
    if worker.rank is not None:
        return f"rank {worker.rank}"
    if worker.local_rank is not None:
        where = f"{worker.node}/" if worker.node else ""
        return f"worker {where}local rank {worker.local_rank}"
    if worker.pid is not None:
        return f"the worker with pid {worker.pid}"
    return "a worker that the log does not name"


def full_name(worker: Worker) -> str:
    """Name a worker with where it ran: `rank 3 (node1, local rank 1)`."""
    if worker.rank is None:
        return name_of(worker)
    parts = [worker.node or worker.host, None if worker.local_rank is None else f"local rank {worker.local_rank}"]
    known = [part for part in parts if part]
    return f"{name_of(worker)} ({', '.join(known)})" if known else name_of(worker)


def names_of(workers: Iterable[Worker]) -> str:
    """Name several workers: `ranks 0, 1 and 2`, `ranks 0-6 and 8`, or `127 workers` when there are too many to list."""
    listed = list(workers)
    if len(listed) == 1:
        return name_of(listed[0])
    ranks = sorted({worker.rank for worker in listed if worker.rank is not None})
    if len(ranks) != len(listed):
        return _mixed_names(listed)
    spans = _spans(ranks)
    if len(spans) > _MOST_NAMED:
        return count(len(listed), "worker")
    return f"ranks {join_words(spans)}"


def place_of_end(worker: Worker) -> Place | None:
    """Return the place that shows how a worker ended: its exit code, else its own log, else any."""
    for fact in worker.facts:
        if fact.name == "exitcode" and fact.value == worker.exitcode:
            return fact.place
    return worker.sources[0] if worker.sources else None


def place_of_silence(worker: Worker) -> Place | None:
    """Return the place that shows that a worker said nothing: its log, else what shows how it ended."""
    return Place(worker.stderr_log) if worker.stderr_log is not None else place_of_end(worker)


def _mixed_names(workers: list[Worker]) -> str:
    names = list(dict.fromkeys(name_of(worker) for worker in workers))
    if len(names) != len(workers) or len(names) > _MOST_NAMED:
        return count(len(workers), "worker")
    return join_words(names)


def _spans(numbers: list[int]) -> list[str]:
    """Write numbers as spans; two in a row stay two, three or more become `4-9`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return [text for span in spans for text in ([f"{span[0]}-{span[-1]}"] if len(span) > 2 else map(str, span))]
