"""The Extra info pane: every fact about a worker with its source, every key of its error file, every problem."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from inspector.presentation.lines import Line, Role, line
from inspector.presentation.safe_text import safe_lines
from inspector.presentation.times import SOURCES, format_time
from inspector.presentation.words import UNKNOWN, place_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from errors_core.job import Fact, Worker
    from inspector.presentation.worker_details import WorkerDetails

__all__ = ["format_extra_info"]

_FIELDS = (
    ("rank", "rank"),
    ("local_rank", "local rank"),
    ("group_rank", "group rank"),
    ("node", "node"),
    ("host", "host"),
    ("role", "role"),
    ("pid", "pid"),
    ("exitcode", "exit code"),
    ("run_id", "run"),
    ("attempt", "attempt"),
    ("last_step", "last step"),
    ("error_file", "error file"),
    ("stdout_log", "stdout"),
    ("stderr_log", "stderr"),
)
# Shown as text in a pane of its own.
_ELSEWHERE = frozenset({"py_callstack", "traceback"})
_LABEL = 12
_MOST_SOURCES = 12


def format_extra_info(worker: Worker, details: WorkerDetails) -> Iterator[Line]:
    """Yield the facts, then what the error file holds."""
    facts: dict[str, list[Fact]] = {}
    for fact in worker.facts:
        facts.setdefault(fact.name, []).append(fact)
    for name, label in _FIELDS:
        yield from _field(label, getattr(worker, name), facts.get(name, []))
    yield _time(worker)
    yield from _error_file(details.extra_info)
    yield from _problem(details)
    yield from _collectives(worker)
    yield from _sources(worker)


def _field(label: str, value: object, facts: list[Fact]) -> Iterator[Line]:
    """Yield a value and who says so; where sources disagree, each of them."""
    name: tuple[str, Role] = (f"{label:<{_LABEL}}", "label")
    if len({fact.value for fact in facts}) <= 1:
        said = f"  {', '.join(dict.fromkeys(_source(fact) for fact in facts))}" if facts else ""
        yield line(name, UNKNOWN if value is None else str(value), (said, "dim"))
        return
    yield line(name, str(value), ("  sources disagree", "warning"))
    for fact in facts:
        yield line(" " * _LABEL, str(fact.value), (f"  {_source(fact)}", "dim"))


def _source(fact: Fact) -> str:
    return f"{fact.source.replace('_', ' ')} {place_words(fact.place.path, fact.place.line)}"


def _time(worker: Worker) -> Line:
    source = f"  {SOURCES[worker.timestamp_source]}" if worker.timestamp_source else ""
    return line((f"{'failed at':<{_LABEL}}", "label"), format_time(worker.timestamp), (source, "dim"))


def _error_file(extra_info: Mapping[str, Any]) -> Iterator[Line]:
    shown = {key: value for key, value in extra_info.items() if key not in _ELSEWHERE}
    if not shown:
        return
    yield ()
    yield line(("In the error file", "title"))
    for key, value in shown.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
        rows = safe_lines(text)
        if len(rows) == 1:
            yield line((f"  {key}  ", "label"), rows[0])
            continue
        yield line((f"  {key}", "label"))
        for row in rows:
            yield line(f"    {row}")


def _problem(details: WorkerDetails) -> Iterator[Line]:
    if details.problem is not None:
        yield ()
        yield line(("Problem", "title"))
        place = place_words(details.problem.path, details.problem.line)
        yield line(("  - ", "dim"), (details.problem.problem, "warning"), (f"  {place}", "dim"))


def _collectives(worker: Worker) -> Iterator[Line]:
    if not worker.collectives:
        return
    yield ()
    yield line(("Collectives, by process group (flight recorder)", "title"))
    for progress in worker.collectives:
        counts = [
            f"{word} {'—' if number is None else number}"
            for word, number in (
                ("enqueued", progress.last_enqueued),
                ("started", progress.last_started),
                ("completed", progress.last_completed),
            )
        ]
        yield line((f"  {progress.description or progress.group}  ", "label"), ", ".join(counts))
        if progress.op is not None:
            frame = progress.frame
            at = f" at {place_words(frame.path, frame.line)} in {frame.function}" if frame else ""
            place = f"  {place_words(progress.place.path, progress.place.line)}"
            yield line(f"    did not complete: {progress.op}{at}", (place, "dim"))


def _sources(worker: Worker) -> Iterator[Line]:
    if not worker.sources:
        return
    yield ()
    yield line(("Seen in", "title"))
    for place in worker.sources[:_MOST_SOURCES]:
        yield line(f"  {place_words(place.path, place.line)}")
    if len(worker.sources) > _MOST_SOURCES:
        yield line((f"  {_MOST_SOURCES} of {len(worker.sources):,} places", "dim"))
