"""The Log pane: the ends of a worker's logs, the lines that matched a message signature marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.lines import Line, line
from inspector.presentation.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.job import Worker
    from inspector.presentation.worker_details import LogTail, WorkerDetails

__all__ = ["format_logs"]


def format_logs(worker: Worker, details: WorkerDetails) -> Iterator[Line]:
    """Yield stdout, then stderr: the pane opens at its end, where the last words are."""
    if not details.logs:
        yield line(("No log of this worker was found.", "strong"))
        yield line("torchrun keeps them when it is started with --log-dir DIR --redirects 3 (or --tee 3).")
        yield from _hits(worker)
        return
    told = {hit.text.strip() for hit in worker.hits}
    for number, log in enumerate(details.logs):
        if number:
            yield ()
        yield _title(log)
        for row in log.lines:
            yield line((row, "warning") if row.strip() in told else row)


def _title(log: LogTail) -> Line:
    how_much = count(len(log.lines), "line") if log.whole else f"the last {count(len(log.lines), 'line')}"
    return line((log.name, "title"), (f"  {how_much}  {log.path}", "dim"))


def _hits(worker: Worker) -> Iterator[Line]:
    """Yield what other logs say about this worker."""
    if worker.hits:
        yield ()
        yield line(("Lines about it elsewhere", "title"))
    for hit in worker.hits:
        place = f"  {hit.place.path}:{hit.place.line}" if hit.place.line else f"  {hit.place.path}"
        yield line(f"  {hit.text}", (place, "dim"))
