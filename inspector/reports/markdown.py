"""The Markdown report: for a ticket or a chat, the same answer as the text report in tables and code blocks.

Owns the document. Text of the job goes through `inspector.presentation.markdown_text`, so that nothing in it becomes
HTML, a link, an image or a mention. It refuses to print.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.markdown_text import code, fence, prose, table_row
from inspector.presentation.rank_table import RankTable
from inspector.presentation.times import format_offset
from inspector.presentation.words import (
    STATES,
    UNKNOWN,
    attempt_words,
    exit_words,
    place_words,
    ranks_words,
    title_of,
    where_words,
)
from inspector.reports.outline import Outline, files_of, looked_at, rows_to_show, title_of_rows
from inspector.reports.quotes import find_quotes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.job import Attempt, Job, Problem
    from errors_core.verdict import Evidence, Group
    from inspector.presentation.answer import Answer, Verdicts
    from inspector.presentation.choice import Choice
    from inspector.reports.outline import Shown
    from inspector.reports.quotes import DetailsReader, Quote

__all__ = ["format_markdown"]


def format_markdown(job: Job, verdicts: Verdicts, *, choice: Choice | None, details: DetailsReader) -> Iterator[str]:
    """Yield the report in lines: the chosen attempt first, then all the others, then what is damaged."""
    outline = Outline(job, verdicts, choice)
    answer, first = outline.answer(), outline.first()
    if answer is None or first is None:
        yield f"Nothing was found that a job leaves behind: {looked_at(job)}."
    else:
        yield from _answer(answer)
        yield from _attempt(first, details)
    for shown in outline.others():
        yield from ("", "---", "", f"# Also there: {prose(attempt_words(shown.run, shown.attempt))}", "")
        yield from _answer(shown.answer)
        yield from _attempt(shown, details)
    yield from _problems(job.problems)


def _answer(answer: Answer) -> Iterator[str]:
    yield f"**Verdict:** {prose(answer.sentence)}"
    yield ""
    yield table_row(["", ""])
    yield table_row(["---", "---"])
    for fact in answer.facts:
        value = code(fact.value, in_table=True) if fact.literal else prose(fact.value, in_table=True)
        yield table_row([fact.label, value])
    for section in answer.sections:
        yield from ("", f"## {section.title}", "")
        mark = "1." if section.numbered else "-"
        yield from (f"{mark} {_point(point)}" for point in section.points)


def _point(point: Evidence) -> str:
    text = prose(point.text)
    return text if point.path is None else f"{text} ({code(place_words(point.path, point.line))})"


def _attempt(shown: Shown, details: DetailsReader) -> Iterator[str]:
    table = RankTable(shown.attempt, shown.verdict)
    failed = rows_to_show(table)
    yield from _groups(shown.attempt, shown.verdict.groups)
    if failed:
        yield from ("", f"## {title_of_rows(table)}", "")
        yield table_row(["rank", "where", "local rank", "after", "exit", "state", "message", "files"])
        yield table_row(["---:", "---", "---:", "---:", "---", "---", "---", "---"])
        yield from (_worker_row(table, index) for index in failed)
    unharmed = sorted(set(range(len(table))).difference(failed))
    if unharmed:
        yield from ("", f"Ended well: {prose(ranks_words(shown.attempt, unharmed))}")
    for quote in find_quotes(table, failed, details):
        yield from _quote(shown.attempt, quote)


def _groups(attempt: Attempt, groups: Sequence[Group]) -> Iterator[str]:
    if groups:
        yield from ("", "## Groups of the same failure", "")
        yield table_row(["group", "workers", "ranks", "state", "failure"])
        yield table_row(["---:", "---:", "---", "---", "---"])
    for group in groups:
        ranks, title = ranks_words(attempt, group.workers), code(group.title, in_table=True)
        numbers = [str(group.number), f"{len(group.workers):,}"]
        yield table_row([*numbers, prose(ranks, in_table=True), STATES[group.state], title])


def _worker_row(table: RankTable, index: int) -> str:
    worker = table.workers[index]
    local = UNKNOWN if worker.local_rank is None else str(worker.local_rank)
    cells = [
        UNKNOWN if worker.rank is None else str(worker.rank),
        prose(where_words(worker), in_table=True),
        local,
        format_offset(table.delay(index)),
        exit_words(worker.exitcode),
        table.state_word(index),
        code(title_of(worker) or "", in_table=True),
        ", ".join(code(path, in_table=True) for path in files_of(worker)) or UNKNOWN,
    ]
    return table_row(cells)


def _quote(attempt: Attempt, quote: Quote) -> Iterator[str]:
    yield from ("", f"## {prose(quote.title(attempt))}", "")
    if quote.path is not None:
        yield from (code(quote.path), "")
    yield from fence(quote.text)
    for sentence, different in quote.sharers(attempt):
        yield from ("", prose(sentence))
        if different:
            yield ""
            yield from fence("\n".join(different))


def _problems(problems: Sequence[Problem]) -> Iterator[str]:
    if problems:
        yield from ("", "## Problems with the data", "")
    for problem in problems:
        yield f"- {prose(problem.problem)} ({code(place_words(problem.path, problem.line))})"
