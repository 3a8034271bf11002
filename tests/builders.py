"""Pictures for tests: workers, attempts, runs, jobs and verdicts with sensible defaults.

Every builder takes the fields of what it builds as keywords, so a test names only what it is about. Nothing here
reads a file or the clock.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from errors_core.failure import ProcessFailure
from errors_core.job import Attempt, Closing, ErrorSummary, Event, Frame, Hit, Job, Link, Place, Run, Worker
from errors_core.verdict import Evidence, FirstFailure, Group, LauncherSays, Verdict, WorkerState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "CULPRIT",
    "LOST_PEER",
    "NOON",
    "RecordedDetails",
    "make_attempt",
    "make_error",
    "make_failure",
    "make_hit",
    "make_job",
    "make_run",
    "make_verdict",
    "make_worker",
    "many_ranks",
    "two_node",
    "two_node_verdict",
]

NOON = 1796126400  # 2026-12-01 12:00:00 UTC
CULPRIT = "IndexError: list index out of range"
LOST_PEER = "RuntimeError: Connection closed by peer [127.0.0.1]:27293"


def make_error(title: str = CULPRIT, **overrides: Any) -> ErrorSummary:
    """A traceback of one link; `title` is its last line, `frame`, `path` and `line` go where they belong."""
    kind, _, message = title.partition(": ")
    frame = overrides.pop("frame", Frame("/workspace/train.py", 26, "parse_shard", 'return shard["tokens"][7]'))
    place = Place(overrides.pop("path", "errors/error.json"), overrides.pop("line", None))
    key = re.sub(r"\d+", "#", title)
    fields: dict[str, Any] = {
        "links": (Link(kind, message, frame),),
        "headline": 0,
        "exact": key,
        "frames_key": key,
        "place": place,
    }
    return ErrorSummary(**(fields | overrides))


def make_hit(signature: str, text: str = "a line that matched", **overrides: Any) -> Hit:
    """A line that matched a signature; `path` and `line` make its place."""
    place = Place(overrides.pop("path", "errors/stderr.log"), overrides.pop("line", 7))
    fields: dict[str, Any] = {"signature": signature, "text": text, "place": place}
    return Hit(**(fields | overrides))


def make_failure(message: str | None = CULPRIT, **overrides: Any) -> ProcessFailure:
    """A failure as a picture holds it, without any file; `message=None`: it left none."""
    fields: dict[str, Any] = {"local_rank": 0, "pid": 5000, "exitcode": 1, "timestamp": NOON}
    return ProcessFailure.summary(**(fields | overrides), message=message)


def make_worker(message: str | None = None, **overrides: Any) -> Worker:
    """A worker on node0 that raised an error at noon; `exitcode=0`: it ended well; negative: killed, no traceback.

    `message` is the failure's text (and, for a positive exit code, the last line of its traceback).
    `local_rank` and `pid` follow `rank` unless given.
    """
    rank, exitcode = overrides.get("rank", 0), overrides.get("exitcode", 1)
    fields: dict[str, Any] = {
        "run_id": "job-4471",
        "node": "node0",
        "host": "gpu-node-01",
        "rank": rank,
        "local_rank": rank or 0,
        "pid": 5000 + (rank or 0),
        "exitcode": exitcode,
    }
    fields |= overrides
    if exitcode not in (None, 0):
        fields = _failed(message, fields, exitcode) | overrides
    return Worker(**fields)


def _failed(message: str | None, fields: dict[str, Any], exitcode: int) -> dict[str, Any]:
    """Add what a bad end leaves behind: a time, a message and, when an exception was raised, an error file."""
    directory = f"errors/{fields['node']}/attempt_{fields.get('attempt', 0)}/{fields['local_rank']}"
    fields = {"timestamp": NOON, "timestamp_source": "launcher_log"} | fields
    if exitcode > 0:
        path = f"{directory}/error.json"
        fields |= {"error_file": path, "error": make_error(message or CULPRIT, path=path)}
        fields["timestamp_source"] = "error_file"
    names = ("local_rank", "rank", "node", "host", "pid", "exitcode", "timestamp", "timestamp_source", "error_file")
    told = {name: fields.get(name) for name in names}
    return fields | {"failure": make_failure(message or (CULPRIT if exitcode > 0 else None), **told)}


def make_attempt(*workers: Worker, **overrides: Any) -> Attempt:
    """One attempt of these workers (none given: one failed worker)."""
    fields: dict[str, Any] = {"workers": workers or (make_worker(),)}
    return Attempt(**(fields | overrides))


def make_run(*attempts: Attempt, **overrides: Any) -> Run:
    """One run of these attempts; nodes and world size follow from its last attempt's workers."""
    attempts = attempts or (make_attempt(),)
    workers = attempts[-1].workers
    nodes = tuple(dict.fromkeys(worker.node for worker in workers if worker.node is not None))
    fields: dict[str, Any] = {"run_id": "job-4471", "nodes": nodes, "world_size": len(workers), "attempts": attempts}
    return Run(**(fields | overrides))


def make_job(*runs: Run, **overrides: Any) -> Job:
    """A job of these runs (none given: one run of one attempt of one failed worker)."""
    fields: dict[str, Any] = {"inputs": ("errors/",), "runs": runs or (make_run(),), "files_read": 3}
    return Job(**(fields | overrides))


def make_verdict(attempt: Attempt, **overrides: Any) -> Verdict:
    """A sure verdict that blames `worker` (default: the first that failed); states and groups fit the workers."""
    failed = [index for index, worker in enumerate(attempt.workers) if worker.failed]
    blamed = overrides.get("worker", failed[0] if failed else None)
    groups = _groups(attempt, failed, blamed)
    number_of = {index: group.number for group in groups for index in group.workers}
    states = tuple(
        WorkerState("origin" if index == blamed else "unknown" if worker.failed else "ok", group=number_of.get(index))
        for index, worker in enumerate(attempt.workers)
    )
    fields: dict[str, Any] = {
        "kind": "none" if blamed is None else "worker",
        "confidence": "sure",
        "summary": "Nothing failed." if blamed is None else f"Worker {blamed} broke the job.",
        "worker": blamed,
        "first_failure": FirstFailure(failed[0]) if failed else None,
        "states": states,
        "groups": groups,
    }
    return Verdict(**(fields | overrides))


def _groups(attempt: Attempt, failed: list[int], blamed: int | None) -> tuple[Group, ...]:
    members: dict[str, list[int]] = {}
    for index in failed:
        worker = attempt.workers[index]
        title = worker.error.link.title if worker.error else f"exit code {worker.exitcode}"
        members.setdefault(title, []).append(index)
    return tuple(
        Group(number, title, tuple(indices), "origin" if blamed in indices else "unknown")
        for number, (title, indices) in enumerate(members.items(), 1)
    )


def two_node() -> Job:
    """Two nodes of two workers: rank 3 raised an IndexError, the others lost their peer, the launcher blames rank 0."""
    second = {"node": "node1", "host": "gpu-node-02"}
    stop = (Closing(15, Place("errors/node0/launcher.log", 5), time=NOON + 2.0),)
    workers = (
        make_worker(LOST_PEER, rank=0, timestamp=NOON + 1, launcher_root=True, summary_index=0),
        make_worker(LOST_PEER, rank=1, exitcode=-15, timestamp=NOON + 1, closings=stop, error=make_error(LOST_PEER)),
        make_worker(LOST_PEER, rank=2, local_rank=0, timestamp=NOON + 1, **second),
        make_worker(CULPRIT, rank=3, local_rank=1, **second),
    )
    pick = Event("launcher_pick", "rank 0", Place("errors/node0/launcher.log", 40), fields=(("rank", "0"),))
    return make_job(make_run(make_attempt(*workers, events=(pick,))))


def two_node_verdict() -> Verdict:
    """The right answer about `two_node()`: rank 3, sure, and why the launcher's pick differs."""
    attempt = two_node().runs[0].attempts[0]
    states = (
        WorkerState("echo", (Evidence("It only reports a lost peer."),), 1, echo_of=3),
        WorkerState("ended_by_launcher", (Evidence("The launcher sent it SIGTERM."),), 1, echo_of=3),
        WorkerState("echo", (Evidence("It only reports a lost peer."),), 1, echo_of=3),
        WorkerState("origin", (Evidence("Its error has a cause of its own."),), 2),
    )
    return make_verdict(
        attempt,
        worker=3,
        summary="Rank 3 broke the job: IndexError: list index out of range.",
        cause="py_exception",
        broke_at='train.py:26 parse_shard: return shard["tokens"][7]',
        evidence=(Evidence("Rank 3 raised an error of its own.", "errors/node1/attempt_0/1/error.json", 1),),
        against=(Evidence("The clocks of two hosts were compared."),),
        missing=(Evidence("The worker logs of node1."),),
        advice=("Look at parse_shard in train.py, line 26.",),
        launcher_says=LauncherSays(0, 0, "node0", "That launcher saw only the workers of its own node."),
        first_failure=FirstFailure(3),
        states=states,
    )


def many_ranks(count: int = 1000, *, per_node: int = 8, culprit: int | None = 3) -> Job:
    """`count` workers in nodes of `per_node`; one raised an IndexError, all the others lost their peer after it."""
    workers = tuple(
        make_worker(
            CULPRIT if rank == culprit else LOST_PEER,
            rank=rank,
            local_rank=rank % per_node,
            node=f"node{rank // per_node}",
            host=f"gpu-node-{rank // per_node:04}",
            timestamp=NOON if rank == culprit else NOON + 1 + rank % 5,
        )
        for rank in range(count)
    )
    return make_job(make_run(make_attempt(*workers)))


class RecordedDetails:
    """What is read again when somebody looks, from memory: texts by the worker's rank, log ends by path."""

    def __init__(
        self,
        tracebacks: Mapping[int, str] | None = None,
        extra: Mapping[int, dict[str, Any]] | None = None,
        tails: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.tracebacks, self.extra, self.tails = tracebacks or {}, extra or {}, tails or {}

    def read_traceback(self, worker: Worker) -> str | None:
        """Return the worker's traceback; by default one that ends with its error's title."""
        if worker.error is None:
            return None
        frame = '  File "/workspace/train.py", line 26, in parse_shard\n    return shard["tokens"][7]\n'
        made = f"Traceback (most recent call last):\n{frame}{worker.error.link.title}\n"
        return self.tracebacks.get(-1 if worker.rank is None else worker.rank, made)

    def read_extra_info(self, worker: Worker) -> dict[str, Any]:
        """Return what the error file tells beside its message."""
        return self.extra.get(-1 if worker.rank is None else worker.rank, {})

    def read_log_tail(self, path: str) -> Sequence[str]:
        """Return the last lines of a log."""
        return self.tails.get(path, ())
