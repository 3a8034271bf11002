"""Small pictures for the tests of the diagnosis, on top of tests.builders."""

from __future__ import annotations

from typing import Any

from errors_core.diagnosis import diagnose
from errors_core.job import Attempt, Closing, ErrorSummary, Event, Frame, Link, Place, Worker
from errors_core.verdict import Verdict
from tests.builders import LOST_PEER, NOON, make_attempt, make_error, make_worker

TIMEOUT = "RuntimeError: [unbound_buffer.cc:78] Timed out waiting 8000ms for recv operation to complete"
LAUNCHER = "errors/launcher.log"


def closing(line: int = 5, *, signal: int = 15, forced: bool = False, time: float | None = None) -> tuple[Closing, ...]:
    return (Closing(signal, Place(LAUNCHER, line), forced=forced, time=time),)


def stopped(rank: int, text: str | None = None, **overrides: Any) -> Worker:
    """A worker that the launcher stopped; with text it also left an error file."""
    fields: dict[str, Any] = {"exitcode": -15, "closings": closing(), "stderr_log": f"errors/{rank}/stderr.log"}
    if text is not None:
        path = f"errors/{rank}/error.json"
        fields |= {"error": make_error(text, path=path), "error_file": path, "timestamp_source": "error_file"}
    return make_worker(text, rank=rank, **(fields | overrides))


def victim(rank: int, text: str = LOST_PEER, **overrides: Any) -> Worker:
    return make_worker(text, rank=rank, **({"timestamp": NOON + 1} | overrides))


def silent(rank: int, **overrides: Any) -> Worker:
    """A worker whose log is there and says nothing, and of whose end nothing is known."""
    fields: dict[str, Any] = {"exitcode": None, "stderr_log": f"errors/{rank}/stderr.log"}
    return make_worker(rank=rank, **(fields | overrides))


def chain(*titles: str, path: str = "errors/error.json") -> ErrorSummary:
    """A traceback of several links, the first cause first."""
    frame = Frame("/workspace/train.py", 26, "parse_shard")
    links = tuple(Link(*title.partition(": ")[::2], frame) for title in titles)
    return ErrorSummary(links, 0, " | ".join(titles), titles[0], Place(path))


def event(kind: str, text: str, signature: str | None = None, *, line: int = 9, **overrides: Any) -> Event:
    return Event(kind, text, Place(LAUNCHER, line), signature=signature, **overrides)


def stop_signal(name: str = "SIGTERM", **overrides: Any) -> Event:
    fields = (("signal", name),)
    return event("launcher_signal", f"Received {name} death signal", "launcher_ext", fields=fields, **overrides)


def attempt(*workers: Worker, events: tuple[Event, ...] = ()) -> Attempt:
    return make_attempt(*workers, events=events)


def verdict(*workers: Worker, events: tuple[Event, ...] = (), world_size: int | None = None) -> Verdict:
    return diagnose(Attempt(workers=workers, events=events), world_size=world_size)


def answer(found: Verdict) -> tuple[str, str, int | None]:
    return found.kind, found.confidence, found.worker
