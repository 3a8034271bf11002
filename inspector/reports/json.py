"""The JSON report: what scripts and other tools read; its shape is fixed by `report.schema.json` beside this file.

Owns the shape (schema version 1). Every key is always there, `null` when the value is not known. The text is always
valid JSON and plain ASCII, one worker a line. It refuses to print and to leave anything out.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from errors_core.job import Attempt
from errors_core.signals import signal_name
from errors_core.verdict import nothing_found
from inspector.presentation.words import message_of
from inspector.reports.outline import Outline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from errors_core.job import Job, Problem, Run, Worker
    from errors_core.verdict import Evidence, FirstFailure, Group, Verdict, WorkerState
    from inspector.presentation.answer import Verdicts
    from inspector.presentation.choice import Choice
    from inspector.reports.quotes import DetailsReader

__all__ = ["SCHEMA_VERSION", "format_json"]

SCHEMA_VERSION = 1
_DEEPEST = 40


def format_json(
    job: Job, verdicts: Verdicts, *, choice: Choice | None, details: DetailsReader, version: str
) -> Iterator[str]:
    """Yield the report in lines; the verdict about the chosen attempt stands at its top."""
    first = Outline(job, verdicts, choice).first()
    top = _verdict(Attempt(), nothing_found(job)) if first is None else _verdict(first.attempt, first.verdict)
    yield f'{{"schema_version": {SCHEMA_VERSION},'
    yield f' "tool": {_dump({"name": "elastic-inspect", "version": version})},'
    yield f' "inputs": {_dump(job.inputs)},'
    yield f' "verdict": {_dump(top)},'
    yield ' "runs": ['
    yield from _joined(_run(shown, verdicts[index], details) for index, shown in enumerate(job.runs))
    yield " ],"
    yield ' "problems": ['
    yield from _joined([_dump(_problem(problem))] for problem in job.problems)
    yield " ]}"


def _joined(items: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of all items with a comma between two items."""
    last: str | None = None
    for item in items:
        for number, text in enumerate(item):
            if last is not None:
                yield last if number else f"{last},"
            last = text
    if last is not None:
        yield last


def _run(run: Run, verdicts: Sequence[Verdict], details: DetailsReader) -> Iterator[str]:
    head = _dump({"run_id": run.run_id, "nodes": run.nodes, "world_size": run.world_size})
    yield f'  {head[:-1]}, "attempts": ['
    yield from _joined(_attempt(*pair, details) for pair in zip(run.attempts, verdicts, strict=True))
    yield "  ]}"


def _attempt(attempt: Attempt, verdict: Verdict, details: DetailsReader) -> Iterator[str]:
    first = _first_failure(attempt, verdict.first_failure)
    yield f'   {{"attempt": {_dump(attempt.number)},'
    yield f'    "verdict": {_dump(_verdict(attempt, verdict))},'
    yield f'    "first_failure": {_dump(first)},'
    yield '    "workers": ['
    pairs = zip(attempt.workers, verdict.states, strict=True)
    yield from _joined([f"     {_dump(_worker(worker, state, details))}"] for worker, state in pairs)
    yield "    ],"
    yield f'    "groups": {_dump([_group(attempt, group) for group in verdict.groups])}}}'


def _verdict(attempt: Attempt, verdict: Verdict) -> dict[str, Any]:
    worker = None if verdict.worker is None else attempt.workers[verdict.worker]
    concerned = verdict.candidates or (() if verdict.worker is None else (verdict.worker,))
    says = verdict.launcher_says
    return {
        "kind": verdict.kind,
        "confidence": verdict.confidence,
        "rank": verdict.named_rank if worker is None else worker.rank,
        "local_rank": None if worker is None else worker.local_rank,
        "node": None if worker is None else worker.node,
        "host": None if worker is None else worker.host,
        "ranks": _ranks(attempt, concerned) or _only(verdict.named_rank),
        "workers": [_identity(attempt.workers[index]) for index in concerned],
        "cause": verdict.cause,
        "summary": verdict.summary,
        "broke_at": verdict.broke_at,
        "evidence": _evidence(verdict.evidence),
        "against": _evidence(verdict.against),
        "missing": _evidence(verdict.missing),
        "advice": verdict.advice,
        "launcher_says": None if says is None else {"rank": says.rank, "why_different": says.why_different},
    }


def _ranks(attempt: Attempt, indices: Iterable[int]) -> list[int]:
    """Return the ranks that are known: a worker without one is told by node and local rank."""
    return [rank for index in indices if (rank := attempt.workers[index].rank) is not None]


def _only(rank: int | None) -> list[int]:
    return [] if rank is None else [rank]


def _identity(worker: Worker) -> dict[str, Any]:
    return {"rank": worker.rank, "node": worker.node, "local_rank": worker.local_rank}


def _evidence(points: Iterable[Evidence]) -> list[dict[str, Any]]:
    return [{"text": point.text, "path": point.path, "line": point.line} for point in points]


def _first_failure(attempt: Attempt, first: FirstFailure | None) -> dict[str, Any] | None:
    if first is None:
        return None
    worker = attempt.workers[first.worker]
    return {
        "rank": worker.rank,
        "node": worker.node,
        "local_rank": worker.local_rank,
        "timestamp": worker.timestamp,
        "tied_with": _ranks(attempt, first.tied_with),
    }


def _worker(worker: Worker, state: WorkerState, details: DetailsReader) -> dict[str, Any]:
    return {
        "rank": worker.rank,
        "local_rank": worker.local_rank,
        "node": worker.node,
        "host": worker.host,
        "role": worker.role,
        "pid": worker.pid,
        "exitcode": worker.exitcode,
        "signal": None if worker.exitcode is None else signal_name(worker.exitcode),
        "timestamp": worker.timestamp,
        "timestamp_source": worker.timestamp_source,
        "state": state.state,
        "error_type": None if worker.error is None else worker.error.link.type,
        "message": message_of(worker),
        "traceback": None if worker.error is None else details.read_traceback(worker),
        "error_file": worker.error_file,
        "extra_info": details.read_extra_info(worker) if worker.error_file else {},
        "group": state.group,
    }


def _group(attempt: Attempt, group: Group) -> dict[str, Any]:
    ranks = _ranks(attempt, group.workers)
    return {"group": group.number, "count": len(group.workers), "title": group.title, "ranks": ranks}


def _problem(problem: Problem) -> dict[str, str]:
    text = problem.problem if problem.line is None else f"{problem.problem} (line {problem.line})"
    return {"path": problem.path, "problem": text}


def _dump(value: object) -> str:
    """Return valid JSON in ASCII; DEL is escaped as well, for the sake of terminals."""
    return json.dumps(_clean(value), allow_nan=False).replace("\x7f", "\\u007f")


def _clean(value: object, depth: int = 0) -> object:
    r"""Return the value with nothing in it that JSON cannot say: no NaN, no lone surrogate (they read `\udc80`)."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if depth == _DEEPEST:
        return "… nested deeper"
    return _clean_nested(value, depth + 1)


def _clean_nested(value: object, depth: int) -> object:
    if isinstance(value, dict):
        mapping: Mapping[object, object] = value
        return {_clean(str(key)): _clean(item, depth) for key, item in mapping.items()}
    if isinstance(value, list | tuple):
        return [_clean(item, depth) for item in value]
    return _clean(str(value))
