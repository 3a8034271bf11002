"""The one-line bars: header, state of the list, tabs of the panes, hints, progress. Each is a left and a right end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.lines import Line, Piece, line
from inspector.presentation.panes import PANES
from inspector.presentation.words import UNKNOWN, count, of_all, where_words, worker_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.job import Job
    from inspector.presentation.filter_query import FilterQuery
    from inspector.presentation.glyphs import Glyphs
    from inspector.presentation.shown_attempt import ShownAttempt

__all__ = [
    "format_hints",
    "format_job",
    "format_list_state",
    "format_progress",
    "format_tabs",
    "format_worker",
    "nothing_lines",
]

_PROGRAM = Piece("elastic-inspect", "title")


def format_job(inputs: Sequence[str], shown: ShownAttempt | None) -> tuple[Line, Line]:
    """Return which run and attempt is shown, and how large it is."""
    if shown is None:
        return line(_PROGRAM, "  ", ", ".join(inputs)), ()
    runs, attempts, workers = shown.job.runs, shown.run.attempts, shown.attempt.workers
    of_runs = f" ({of_all(shown.choice.run + 1, len(runs))})" if len(runs) > 1 else ""
    of_attempts = f" ({of_all(shown.choice.attempt + 1, len(attempts))})" if len(attempts) > 1 else ""
    nodes = f" on {count(len(shown.run.nodes), 'node')}" if shown.run.nodes else ""
    failed = sum(worker.failed for worker in workers)
    return (
        line(
            _PROGRAM,
            ("  run ", "dim"),
            f"{shown.run.run_id or UNKNOWN}{of_runs}",
            ("  attempt ", "dim"),
            f"{shown.attempt.number}{of_attempts}",
        ),
        line(f"{count(len(workers), 'worker')}{nodes}, {failed:,} failed"),
    )


def format_list_state(shown: int, total: int, query: FilterQuery, hidden: Sequence[str]) -> Line:
    """Return what the list leaves out: rows by the filter, columns for want of room."""
    parts: list[Piece] = []
    if query:
        parts += [Piece(f"/{query}", "key"), Piece(f"  {of_all(shown, total)}", "strong")]
    if hidden:
        parts.append(Piece(f"{'  ' if parts else ''}no room for: {', '.join(hidden)}", "dim"))
    return tuple(parts)


def format_tabs(active: str, *, short: bool = False) -> Line:
    """Return the names of the panes with their keys."""
    parts: list[Piece] = []
    for number, pane in enumerate(PANES, 1):
        title = pane.short if short else pane.title
        if pane.name == active:
            parts.append(Piece(f" {number} {title} ", "active"))
        else:
            parts += [Piece(f" {number}", "key"), Piece(f" {title} ")]
    return tuple(parts)


def format_worker(shown: ShownAttempt, index: int) -> Line:
    """Return whose pane it is; the first piece alone will do where there is no room."""
    worker = shown.attempt.workers[index]
    return line(worker_words(worker), (f" on {where_words(worker)}", "dim"))


def format_hints(hints: Sequence[tuple[str, str]]) -> Line:
    """Return keys and what they do."""
    parts: list[Piece] = []
    for key, does in hints:
        parts += [Piece(f"{'  ' if parts else ''}{key}", "key"), Piece(f" {does}")]
    return tuple(parts)


def format_progress(done: int, total: int | None, phase: str, width: int, glyphs: Glyphs) -> Line:
    """Return a bar and the numbers behind it; `total` is `None` or 0 while it is not known."""
    if not total:
        return line(f"{phase}: {done:,}")
    filled = min(done, total) * width // total
    bar = glyphs.done * filled + glyphs.to_do * (width - filled)
    return line((bar, "good"), f"  {of_all(done, total)}  {100 * done // total} %  ", (phase, "dim"))


def nothing_lines(job: Job) -> tuple[Line, ...]:
    """Return what is shown when no run was found: what was looked at, and what would help."""
    where, read = ", ".join(job.inputs), count(job.files_read, "file")
    problems = f", {count(len(job.problems), 'problem')}" if job.problems else ""
    return (
        line(("NOTHING FOUND", "title"), f"  No trace of a job below {where}: {read} read{problems}."),
        line(("check  ", "label"), "give it torchrun's --log-dir, error files, or the launcher's output"),
        *(line(("       ", "label"), (f"{p.path}: {p.problem}", "warning")) for p in job.problems[:1]),
    )
