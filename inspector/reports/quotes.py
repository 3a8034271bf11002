"""What failed workers said, each thing once: tracebacks and messages in full, with all workers that said the same.

Owns the folding. What is folded is equal line by line, or differs in lines that are kept beside it; beyond
`COMPARED` workers with one fingerprint the rest is named as alike without being read. It refuses to shorten a text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from errors_core.failure import ProcessFailure
from inspector.presentation.words import message_of, place_words, ranks_words, worker_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from errors_core.job import Attempt, Worker
    from inspector.presentation.rank_table import RankTable

__all__ = ["COMPARED", "LOG_LINES", "DetailsReader", "Quote", "find_quotes"]

COMPARED = 32
LOG_LINES = 40


class DetailsReader(Protocol):
    """What is read again when somebody looks: `errors_core.details`, or what a test puts in its place."""

    def read_traceback(self, worker: Worker, /) -> str | None:
        """Return a worker's traceback in full, or `None` when it left none."""

    def read_extra_info(self, worker: Worker, /) -> Mapping[str, Any]:
        """Return what the error file tells beside its message."""

    def read_log_tail(self, path: str, /) -> Sequence[str]:
        """Return the last lines of a log."""


@dataclass(slots=True)
class Quote:
    """One text and where it stands. Numbers are indices into `attempt.workers`; `worker` is the one whose text it is.

    `same` said it word for word, `variants` but for these lines of theirs, `alike` have the same fingerprint and
    were not compared.
    """

    kind: Literal["traceback", "message", "log"]
    worker: int
    text: str
    path: str | None
    same: list[int] = field(default_factory=list)
    variants: list[tuple[int, list[str]]] = field(default_factory=list)
    alike: list[int] = field(default_factory=list)

    def title(self, attempt: Attempt) -> str:
        """Return what is quoted, in words."""
        who = worker_words(attempt.workers[self.worker])
        return {
            "traceback": f"Traceback of {who}",
            "message": f"Message of {who}",
            "log": f"No traceback of {who} was found: the last lines of its log",
        }[self.kind]

    def sharers(self, attempt: Attempt) -> Iterator[tuple[str, list[str]]]:
        """Yield sentences about who said the same, each with the lines that differ."""
        if self.same:
            yield f"The same on {ranks_words(attempt, self.same)}.", []
        if self.alike:
            yield f"The same but for numbers and addresses on {ranks_words(attempt, self.alike)} (by fingerprint).", []
        for index, different in self.variants:
            yield f"The same on {worker_words(attempt.workers[index])} but for:", different


def find_quotes(table: RankTable, order: Sequence[int], details: DetailsReader) -> Iterator[Quote]:
    """Yield what the workers of `order` said: the root cause first, then in that order.

    Each worker takes part in exactly one quote or none. The root cause and the candidates of an unsure verdict show
    the end of their log when they left nothing else.
    """
    workers, verdict = table.workers, table.verdict
    wanted = [] if table.root is None else [table.root]
    if verdict is not None and verdict.confidence == "unsure":
        wanted += [index for index in verdict.candidates if index not in wanted]
    rest = set(wanted)
    waiting: dict[str, list[int]] = {}
    for index in [*wanted, *(index for index in order if index not in rest)]:
        key = _key(workers[index]) or (f"log {index}" if index in rest else None)
        if key is not None:
            waiting.setdefault(key, []).append(index)
    for key, indices in waiting.items():
        yield from (
            _end_of_log(workers, indices[0], details) if key.startswith("log ") else _fold(workers, indices, details)
        )


def _fold(workers: Sequence[Worker], indices: Sequence[int], details: DetailsReader) -> Iterator[Quote]:
    quotes: list[Quote] = []
    for index in indices[:COMPARED]:
        mine = _quote(workers, index, details)
        if not any(_joins(quote, mine) for quote in quotes):
            quotes.append(mine)
    quotes[0].alike.extend(indices[COMPARED:])
    yield from quotes


def _joins(quote: Quote, other: Quote) -> bool:
    """Put a worker to a quote when its text is the same but for some lines."""
    known, said = quote.text.splitlines(), other.text.splitlines()
    if known == said:
        quote.same.append(other.worker)
        return True
    if len(known) != len(said):
        return False
    different = [mine for theirs, mine in zip(known, said, strict=True) if theirs != mine]
    if 2 * len(different) > len(said) > 2:
        return False
    quote.variants.append((other.worker, different))
    return True


def _key(worker: Worker) -> str | None:
    if worker.error is not None:
        return f"traceback {worker.error.exact}"
    message = message_of(worker)
    return None if message is None or worker.failure is None or _is_made_up(worker.failure) else f"message {message}"


def _is_made_up(failure: ProcessFailure) -> bool:
    """Whether the message is what `ProcessFailure` says for a worker that left none."""
    empty = ProcessFailure.summary(
        local_rank=failure.local_rank, pid=failure.pid, exitcode=failure.exitcode, rank=failure.rank
    )
    return failure.message == empty.message


def _quote(workers: Sequence[Worker], index: int, details: DetailsReader) -> Quote:
    worker = workers[index]
    if worker.error is None:
        return Quote("message", index, message_of(worker) or "", worker.error_file)
    path = place_words(worker.error.place.path, worker.error.place.line)
    text = details.read_traceback(worker)
    if text is not None and text.strip():
        return Quote("traceback", index, text, path)
    return Quote("message", index, message_of(worker) or "", path)


def _end_of_log(workers: Sequence[Worker], index: int, details: DetailsReader) -> Iterator[Quote]:
    for path in (workers[index].stderr_log, workers[index].stdout_log):
        tail = details.read_log_tail(path)[-LOG_LINES:] if path else ()
        if tail:
            yield Quote("log", index, "\n".join(tail), path)
            return
