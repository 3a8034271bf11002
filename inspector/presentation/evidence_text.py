"""The Evidence pane: why the verdict says what it says, then what part the selected worker played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.answer import Section, answer_of
from inspector.presentation.lines import Line, line
from inspector.presentation.words import STATES, count, of_all, place_words, ranks_words, worker_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.job import Attempt, Problem, Run
    from errors_core.verdict import Verdict
    from inspector.presentation.shown_attempt import ShownAttempt

__all__ = ["format_answer", "format_evidence", "format_groups"]

_MOST_GROUPS = 8
_MOST_PROBLEMS = 20
_LABEL = 15


def format_evidence(shown: ShownAttempt, index: int | None) -> Iterator[Line]:
    """Yield the verdict with all its evidence, then the worker at `index`, groups and damaged data."""
    verdict = shown.verdict
    yield from shown.answer
    if verdict is not None and index is not None and index < len(verdict.states):
        yield from _part(shown.attempt, verdict, index)
    yield from shown.groups
    yield from _problems(shown.job.problems)


def format_answer(run: Run, attempt: Attempt, verdict: Verdict) -> Iterator[Line]:
    """Yield the verdict alone: what is copied into a ticket."""
    answer = answer_of(run, attempt, verdict)
    yield line((answer.sentence, "strong"))
    for fact in answer.facts:
        yield line((f"{fact.label:<{_LABEL}}", "label"), fact.value)
    for section in answer.sections:
        yield from _section(section)


def _section(section: Section) -> Iterator[Line]:
    yield ()
    yield line((section.title, "title"))
    for number, point in enumerate(section.points, 1):
        mark = f"  {number}. " if section.numbered else "  - "
        place = f"  {place_words(point.path, point.line)}" if point.path is not None else ""
        yield line((mark, "dim"), point.text, (place, "dim"))


def _part(attempt: Attempt, verdict: Verdict, index: int) -> Iterator[Line]:
    played = verdict.states[index]
    name = worker_words(attempt.workers[index])
    yield from _section(Section(f"{name[0].upper()}{name[1:]}: {STATES[played.state]}", played.reasons))
    if played.echo_of is not None:
        yield line(("  - ", "dim"), f"it follows from {worker_words(attempt.workers[played.echo_of])}")


def format_groups(attempt: Attempt, verdict: Verdict) -> Iterator[Line]:
    """Yield which workers failed in the same way."""
    if not verdict.groups:
        return
    yield ()
    yield line(("Groups of the same failure", "title"))
    for group in verdict.groups[:_MOST_GROUPS]:
        ranks = ranks_words(attempt, group.workers)
        yield line((f"  {group.number}. ", "dim"), f"{count(len(group.workers), 'worker')} ({ranks}): {group.title}")
    if len(verdict.groups) > _MOST_GROUPS:
        yield line((f"  {of_all(_MOST_GROUPS, len(verdict.groups))} groups", "dim"))


def _problems(problems: Sequence[Problem]) -> Iterator[Line]:
    if not problems:
        return
    yield ()
    yield line((f"Problems with the data ({len(problems):,})", "title"))
    for problem in problems[:_MOST_PROBLEMS]:
        place = place_words(problem.path, problem.line)
        yield line(("  - ", "dim"), (problem.problem, "warning"), (f"  {place}", "dim"))
    if len(problems) > _MOST_PROBLEMS:
        yield line((f"  {of_all(_MOST_PROBLEMS, len(problems))} problems", "dim"))
