"""One attempt in the text report: groups, the table of its workers, what they said, where it was read.

Owns the layout of these sections. It refuses to leave a failed worker out: a table that is cut says `32 of 340` and
is shown whole at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.lines import line
from inspector.presentation.rank_columns import format_header, format_row, plan_columns
from inspector.presentation.rank_table import STATE_WORDS, RankTable
from inspector.presentation.words import STATES, count, of_all, ranks_words, worker_words
from inspector.reports.outline import evidence_files, files_of, rows_to_show, title_of_rows
from inspector.reports.text_quotes import quote_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.job import Attempt
    from errors_core.verdict import Group, Verdict
    from inspector.presentation.lines import Line
    from inspector.reports.page import Page
    from inspector.reports.quotes import DetailsReader

__all__ = ["attempt_sections"]

_ROWS = 32
_GROUPS = 24
_MEANINGS = {
    "echo": "only reports a lost or late peer",
    "ended_by_launcher": "stopped by the launcher",
    "silent": "left no message",
    "origin": "failed for a reason of its own",
}


def attempt_sections(page: Page, attempt: Attempt, verdict: Verdict, details: DetailsReader) -> Iterator[Line]:
    """Yield everything about one attempt but its verdict."""
    table = RankTable(attempt, verdict)
    failed = rows_to_show(table)
    yield from _groups(page, attempt, verdict.groups)
    yield from _ranks(page, table, failed)
    yield from quote_sections(page, table, failed, details)
    yield from _files(page, table, failed)
    if len(failed) > _ROWS:
        yield from page.heading(f"Every worker that failed ({len(failed):,})")
        yield from _table(page, table, failed)


def _groups(page: Page, attempt: Attempt, groups: Sequence[Group]) -> Iterator[Line]:
    if not groups:
        return
    yield from page.heading("Groups of the same failure")
    for group in groups[:_GROUPS]:
        ranks = ranks_words(attempt, group.workers)
        first = f"  {group.number}. "
        text = f"{count(len(group.workers), 'worker')} ({ranks}), {STATES[group.state]}: {group.title}"
        yield from page.paragraph(text, indent=" " * len(first), first=first)
    if len(groups) > _GROUPS:
        yield line(f"  {of_all(_GROUPS, len(groups))} groups; the JSON report has them all")


def _ranks(page: Page, table: RankTable, failed: Sequence[int]) -> Iterator[Line]:
    if failed:
        total = f" ({of_all(_ROWS, len(failed))}, the whole table is below)" if len(failed) > _ROWS else ""
        yield from page.heading(f"{title_of_rows(table)}{total}")
        yield from _table(page, table, failed[:_ROWS])
        yield from _legend(table, failed)
    unharmed = sorted(set(range(len(table))).difference(failed))
    if unharmed:
        yield from page.paragraph(f"Ended well: {ranks_words(table.attempt, unharmed)}.", indent="    ", first="   ")


def _table(page: Page, table: RankTable, indices: Sequence[int]) -> Iterator[Line]:
    plan = plan_columns(table, page.width)
    yield format_header(plan, "cause", page.glyphs)
    for index in indices:
        yield format_row(table, index, plan, page.glyphs)


def _legend(table: RankTable, failed: Sequence[int]) -> Iterator[Line]:
    present = {table.state(index) for index in failed}
    for state, meaning in _MEANINGS.items():
        if state in present:
            yield line((f"   {STATE_WORDS[state]}: {meaning}", "dim"))


def _files(page: Page, table: RankTable, failed: Sequence[int]) -> Iterator[Line]:
    shown: set[str] = set()
    if failed:
        yield from page.heading("Files")
    for index in failed:
        worker = table.workers[index]
        paths = files_of(worker)
        shown.update(paths)
        yield line(f"  {page.safe(worker_words(worker))}", "" if paths else ": no file of its own was found")
        yield from (page.path(path, indent="    ") for path in paths)
    others = [path for path in evidence_files(table.verdict) if path not in shown]
    if others:
        yield line("  also named above")
        yield from (page.path(path, indent="    ") for path in others)
