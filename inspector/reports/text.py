"""The text report: plain lines, the answer first and, when the report is longer than a screen, again last.

Owns the layout of the whole; `text_attempt` lays out one attempt. It is the accessible edition of the inspector:
nothing in it depends on colour. It refuses to print.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.glyphs import ASCII, UNICODE
from inspector.presentation.lines import line, plain
from inspector.presentation.words import attempt_words, place_words
from inspector.reports.outline import Outline, looked_at
from inspector.reports.page import Page
from inspector.reports.text_attempt import attempt_sections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.job import Job
    from inspector.presentation.answer import Answer, Verdicts
    from inspector.presentation.choice import Choice
    from inspector.presentation.lines import Line
    from inspector.reports.outline import Shown
    from inspector.reports.quotes import DetailsReader

__all__ = ["format_text", "text_lines"]

_SCREEN = 24


def format_text(
    job: Job,
    verdicts: Verdicts,
    *,
    choice: Choice | None,
    details: DetailsReader,
    width: int = 80,
    ascii_only: bool = False,
) -> Iterator[str]:
    """Yield the report as lines of text; see `text_lines`."""
    lines = text_lines(job, verdicts, choice=choice, details=details, width=width, ascii_only=ascii_only)
    return (plain(parts).rstrip(" ") for parts in lines)


def text_lines(
    job: Job,
    verdicts: Verdicts,
    *,
    choice: Choice | None,
    details: DetailsReader,
    width: int = 80,
    ascii_only: bool = False,
) -> Iterator[Line]:
    """Yield the report: the chosen attempt first and in detail, then all the others, then what is damaged.

    `choice` is `None` when the job has no attempt.
    """
    page = Page(width, ASCII if ascii_only else UNICODE)
    return _Report(page, Outline(job, verdicts, choice), details).lines()


@dataclass(frozen=True, slots=True)
class _Report:
    page: Page
    outline: Outline
    details: DetailsReader

    def lines(self) -> Iterator[Line]:
        length = 0
        for row in self._whole():
            length += 1
            yield row
        answer = self.outline.answer()
        if length > _SCREEN and answer is not None:
            yield from self.page.heading("The answer again")
            yield from self._in_short(answer)

    def _whole(self) -> Iterator[Line]:
        answer, first = self.outline.answer(), self.outline.first()
        if answer is None or first is None:
            text = f"Nothing was found that a job leaves behind: {looked_at(self.outline.job)}."
            yield from self.page.paragraph(text, "strong")
        else:
            yield from self._in_full(answer)
            yield from attempt_sections(self.page, first.attempt, first.verdict, self.details)
        for shown in self.outline.others():
            yield from self._other(shown)
        yield from self._problems()

    def _in_full(self, answer: Answer) -> Iterator[Line]:
        yield from self.page.paragraph(answer.sentence, "strong")
        yield ()
        yield from self.page.facts(answer.facts)
        for section in answer.sections:
            yield from self.page.heading(section.title)
            yield from self.page.points(section.points, numbered=section.numbered)

    def _in_short(self, answer: Answer) -> Iterator[Line]:
        yield from self.page.paragraph(answer.sentence, "strong")
        yield from self.page.facts(answer.facts)
        if answer.checks is not None:
            yield line((answer.checks.title, "title"))
            yield from self.page.points(answer.checks.points, numbered=True)

    def _other(self, shown: Shown) -> Iterator[Line]:
        yield ()
        yield line((self.page.glyphs.rule * self.page.width, "dim"))
        yield from self.page.paragraph(f"Also there: {attempt_words(shown.run, shown.attempt)}", "title")
        yield from self._in_full(shown.answer)
        yield from attempt_sections(self.page, shown.attempt, shown.verdict, self.details)

    def _problems(self) -> Iterator[Line]:
        problems = self.outline.job.problems
        if problems:
            yield from self.page.heading(f"Problems with the data ({len(problems):,})")
        for problem in problems:
            yield from self.page.paragraph(problem.problem, indent="    ", first="  - ")
            yield self.page.path(place_words(problem.path, problem.line), indent="    ")
