"""The Log pane: the ends of a worker's logs, the lines that matched a message signature marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.lines import Line, line
from inspector.presentation.words import count, place_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.details import LogTail
    from errors_core.job import Worker
    from inspector.presentation.worker_details import WorkerDetails

__all__ = ["format_logs"]


def format_logs(worker: Worker, details: WorkerDetails) -> Iterator[Line]:
    """Yield stdout, then stderr: the pane opens at its end, where the last words are."""
    if not details.logs:
        yield line(("No log of this worker was found.", "strong"))
        yield line("torchrun keeps them when it is started with --log-dir DIR --redirects 3 (or --tee 3).")
        yield from _hits(worker)
        return
    told = {(hit.place.path, hit.place.line) for hit in worker.hits}
    for number, (name, log) in enumerate(details.logs):
        if number:
            yield ()
        yield from _title(name, log)
        for offset, row in enumerate(log.lines):
            hit = log.first_line is not None and (log.path, log.first_line + offset) in told
            yield line((row, "warning") if hit else row)


def _title(name: str, log: LogTail) -> Iterator[Line]:
    lines = count(len(log.lines), "line")
    how_much = "empty" if not log.lines and not log.problem else f"the last {lines}" if log.truncated else lines
    yield line((name, "title"), (f"  {how_much}  {log.path}", "dim"))
    if log.problem is not None:
        yield line(("  - ", "dim"), (log.problem, "warning"))


def _hits(worker: Worker) -> Iterator[Line]:
    """Yield what other logs say about this worker."""
    if worker.hits:
        yield ()
        yield line(("Lines about it elsewhere", "title"))
    for hit in worker.hits:
        yield line(f"  {hit.text}", (f"  {place_words(hit.place.path, hit.place.line)}", "dim"))
