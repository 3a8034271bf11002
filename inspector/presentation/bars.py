"""The one-line bars: header, state of the list, tabs of the panes, hints, progress. Each is a left and a right end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.verdict import nothing_found
from inspector.presentation.lines import Line, Piece, line, plain
from inspector.presentation.panes import PANES
from inspector.presentation.safe_text import cell_width, cut, safe_text
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


def format_job(inputs: Sequence[str], shown: ShownAttempt | None, width: int) -> tuple[Line, Line]:
    """Return which run and attempt is shown, and how large it is; what says least goes first when room is scarce."""
    if shown is None:
        return line(_PROGRAM, "  ", ", ".join(inputs)), ()
    where, size, short_size = _run_and_attempt(shown, width // 2), _size(shown), _size(shown, short=True)
    program = line(_PROGRAM, "  ")
    for left, right in (((*program, *where), size), ((*program, *where), short_size), (where, short_size)):
        if cell_width(plain(left)) + cell_width(plain(right)) + 2 <= width:
            return left, right
    return where, ()


def _run_and_attempt(shown: ShownAttempt, room: int) -> Line:
    runs, attempts = shown.job.runs, shown.run.attempts
    of_runs = f" ({of_all(shown.choice.run + 1, len(runs))})" if len(runs) > 1 else ""
    of_attempts = f" ({of_all(shown.choice.attempt + 1, len(attempts))})" if len(attempts) > 1 else ""
    return line(
        ("run ", "dim"),
        f"{cut(safe_text(shown.run.run_id or UNKNOWN), room)}{of_runs}",
        ("  attempt ", "dim"),
        f"{shown.attempt.number}{of_attempts}",
    )


def _size(shown: ShownAttempt, *, short: bool = False) -> Line:
    nodes = f" on {count(len(shown.run.nodes), 'node')}" if shown.run.nodes and not short else ""
    return line(f"{count(len(shown.table), 'worker')}{nodes}, {shown.table.failed:,} failed")


def format_list_state(shown: int, total: int, query: FilterQuery, hidden: Sequence[str]) -> Line:
    """Return what the list leaves out: rows by the filter, else columns for want of room."""
    if query:
        return line((f"/{query}", "key"), (f"  {of_all(shown, total)}", "strong"))
    return line((f"no room for: {', '.join(hidden)}", "dim")) if hidden else ()


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


def format_worker(shown: ShownAttempt, index: int | None, width: int) -> Line:
    """Return whose pane it is, and where that runs if there is room."""
    if index is None:
        return ()
    worker = shown.attempt.workers[index]
    name, where = worker_words(worker), where_words(worker)
    full = name if where == UNKNOWN else f"{name} on {where}"
    return line(f"{full if cell_width(full) < width else name} ")


def format_hints(hints: Sequence[tuple[str, str]]) -> Line:
    """Return keys and what they do."""
    parts: list[Piece] = []
    for key, does in hints:
        parts += [Piece(f"{'  ' if parts else ''}{key}", "key"), Piece(f" {does}")]
    return tuple(parts)


def format_progress(done: int, total: int | None, phase: str, width: int, glyphs: Glyphs) -> Line:
    """Return a bar and the numbers behind it; `total` is `None` or 0 while it is not known."""
    if not total:
        return line(f"{phase}: {done:,}" if done else phase)
    filled = min(done, total) * width // total
    bar = glyphs.done * filled + glyphs.to_do * (width - filled)
    return line((bar, "good"), f"  {of_all(done, total)}  {100 * done // total} %  ", (phase, "dim"))


def nothing_lines(job: Job) -> tuple[Line, ...]:
    """Return what is shown when no run was found: what was looked at, and what would help."""
    found = nothing_found(job)
    where, read = ", ".join(job.inputs), count(job.files_read, "file")
    return (
        line(("NOTHING FOUND", "title"), f"  {found.summary} {read} read below {where}."),
        line(("check     ", "label"), "give it torchrun's --log-dir, error files, or the launcher's output"),
        *(line(("problem   ", "label"), (point.text, "warning")) for point in found.missing),
    )
