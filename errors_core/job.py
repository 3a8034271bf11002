"""The picture of a dead job: `Job` → `Run` → `Attempt` → `Worker`, all immutable.

Owns what is known about a job after everything was read and joined. It refuses to judge (that is
`errors_core.diagnosis`), to open files (that is `errors_core.details`) and to print.
A value that is not known is `None`; it is never "now", "this host" or a guessed rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from errors_core.failure import ProcessFailure

__all__ = [
    "Attempt",
    "Closing",
    "CollectiveProgress",
    "ErrorSummary",
    "Event",
    "Fact",
    "Frame",
    "Hit",
    "Job",
    "Link",
    "Place",
    "Problem",
    "Run",
    "TimestampSource",
    "Worker",
]

TimestampSource = Literal["error_file", "launcher_log", "file_time", "observed"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file, and a line in it counted from 1 (`None`: the whole file).

    A member of an archive is spelled `logs.tar.gz!node0/launcher.log`, standard input is `-`.
    """

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the data: a value in the picture, never an exception."""

    path: str
    problem: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One line that matched a message signature (`errors_core/diagnosis/signatures.toml`).

    `text` is the line without its prefixes, cut to 500 characters; `fields` holds the named groups of the
    pattern that took part in the match; `time` is the log line's own time as seconds since the epoch.
    """

    signature: str
    text: str
    place: Place
    fields: tuple[tuple[str, str], ...] = ()
    time: float | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a traceback. `source` is the line of code as the traceback printed it, if it did.

    `own` is true for the job's own code: not the standard library, not an installed package.
    """

    path: str
    line: int | None
    function: str
    source: str | None = None
    own: bool = True


@dataclass(frozen=True, slots=True)
class CollectiveProgress:
    """How far one worker got in one process group, as its flight recorder says.

    The numbers are the group's own sequence numbers, which count from 1: 0 means none yet, `None` not told.
    `op` (such as `nccl:all_reduce`) and what follows `place` describe the first operation that did not complete;
    `None`: there is none, or the dump does not tell. `frame` is the deepest frame of the job's own code that asked
    for it. `p2p` tells sends and receives, which every worker counts for itself, from collectives, which all
    `ranks` count alike; `None`: not told. Groups are the same when both `group` and `ranks` are.
    """

    group: str
    description: str | None
    ranks: tuple[int, ...] | None
    last_enqueued: int | None
    last_started: int | None
    last_completed: int | None
    op: str | None
    frame: Frame | None
    place: Place
    seq: int | None = None
    state: Literal["scheduled", "started"] | None = None
    time: float | None = None
    sizes: str | None = None
    p2p: bool | None = False


@dataclass(frozen=True, slots=True)
class Link:
    """One exception of a chain in short: its type, its message (cut to 500 characters), where it was raised.

    `frame` is the deepest frame of the job's own code, or the deepest frame at all when there is none.
    """

    type: str
    message: str
    frame: Frame | None = None

    @property
    def title(self) -> str:
        """`Type: first line of the message`, or the type alone."""
        first = self.message.split("\n", 1)[0]
        return f"{self.type}: {first}" if first else self.type


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """What a worker's traceback says, in short.

    `links` is the chain as printed: the first cause first, the exception that ended the worker last; wrappers
    (DataLoader worker, spawned process, …) are replaced by the originals that they quote.
    `headline` is the index of the link that tells most. `exact` and `frames_key` are fingerprints
    (`errors_core.fingerprint`). `place` is where the traceback starts. `text` holds the
    traceback when it stands in a log, without line prefixes; `None` means: read it again from the error file.
    `uncaught` means that it begins at the program's outermost frame: it ended the process.
    """

    links: tuple[Link, ...]
    headline: int
    exact: str
    frames_key: str
    place: Place
    text: str | None = None
    uncaught: bool = False

    @property
    def link(self) -> Link:
        """The link that tells most."""
        return self.links[self.headline]


@dataclass(frozen=True, slots=True)
class Closing:
    """The launcher sent this worker a signal: `Sending process N closing signal SIGTERM`.

    `forced` marks the SIGKILL after the grace period. `time` is the log line's own time, seconds since the epoch.
    """

    signal: int
    place: Place
    forced: bool = False
    time: float | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One value as one source gave it: kept so that every shown value can say where it comes from.

    `name` is a field of `Worker` (`rank`, `host`, `exitcode`, …). Where two facts of one name disagree, both are kept.
    """

    name: str
    value: str | int | float
    source: str
    place: Place


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to an attempt as a whole and not to one worker.

    `kind` is one of `launcher_signal` (the launcher itself got a death signal; field `signal`),
    `launcher_pick` (its "Root Cause" block; fields `rank`, `local_rank`, `host`, `pid`), `restart`,
    `rendezvous`, `port`, `usage` (the launcher could not start anything), `scheduler`, `kernel` or `note`.
    """

    kind: str
    text: str
    place: Place
    node: str | None = None
    time: float | None = None
    fields: tuple[tuple[str, str], ...] = ()
    signature: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """One training process. Its identity is (run, attempt, node, local rank), never the rank alone.

    `failure` is set when it ended badly. `exitcode` is as Python's `subprocess` gives it: negative = signal.
    `timestamp` is seconds since the epoch when the failure was recorded, `timestamp_source` who says so.
    `summary_index` is its number in the launcher's summary, `launcher_root` whether that called it the root cause.
    `last_step` is the last training step that its log shows. `sources` are all files and lines that show it.
    """

    run_id: str | None = None
    attempt: int = 0
    node: str | None = None
    local_rank: int | None = None
    rank: int | None = None
    group_rank: int | None = None
    host: str | None = None
    role: str | None = None
    pid: int | None = None
    exitcode: int | None = None
    timestamp: int | None = None
    timestamp_ns: int | None = None
    timestamp_source: TimestampSource | None = None
    failure: ProcessFailure | None = None
    error: ErrorSummary | None = None
    hits: tuple[Hit, ...] = ()
    closings: tuple[Closing, ...] = ()
    summary_index: int | None = None
    launcher_root: bool = False
    error_file: str | None = None
    stdout_log: str | None = None
    stderr_log: str | None = None
    last_step: int | None = None
    last_log_time: float | None = None
    collectives: tuple[CollectiveProgress, ...] = ()
    facts: tuple[Fact, ...] = ()
    sources: tuple[Place, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether it ended badly, as far as is known."""
        return self.failure is not None or self.exitcode not in (None, 0)

    def conflicts(self) -> tuple[tuple[Fact, ...], ...]:
        """Return groups of facts of one name whose values disagree."""
        by_name: dict[str, list[Fact]] = {}
        for fact in self.facts:
            by_name.setdefault(fact.name, []).append(fact)
        return tuple(tuple(group) for group in by_name.values() if len({fact.value for fact in group}) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One start of the worker group. `workers` are in the order of node and local rank."""

    number: int = 0
    workers: tuple[Worker, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was launched once. `attempts` are in the order of their numbers; `nodes` as the data names them."""

    run_id: str | None = None
    nodes: tuple[str, ...] = ()
    world_size: int | None = None
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Everything found below the inputs. `runs` are oldest first: the newest run is the last one."""

    inputs: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()
    problems: tuple[Problem, ...] = ()
    files_read: int = 0

    @property
    def workers(self) -> int:
        """How many workers all attempts of all runs hold."""
        return sum(len(attempt.workers) for run in self.runs for attempt in run.attempts)
