"""A draft → the finished `Worker`: which of several values is shown, and all of them as facts.

Owns the order of trust. Sources that disagree are all kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from errors_core.failure import ProcessFailure
from errors_core.job import Fact, Place, Worker
from errors_core.readers.error_sightings import cut_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.job import Closing, ErrorSummary, Hit
    from errors_core.joining.drafts import Draft
    from errors_core.sightings import Sighting

__all__ = ["finish_worker"]

_WORDS = ("error_file", "worker_log", "launcher_log", "scheduler_log", "directory")
_ENDS = ("launcher_log", "scheduler_log", "error_file", "worker_log", "directory")
_MARKS = ("launcher_log", "error_file", "worker_log", "scheduler_log", "directory")
_TRUST = {"exitcode": _ENDS, "pid": _ENDS, "timestamp": _WORDS, "timestamp_ns": _WORDS}
_FACTS = ("rank", "group_rank", "host", "role", "pid", "exitcode", "timestamp")
_SAME_MOMENT = 60  # seconds between a report and what the launcher notes of the same death


def finish_worker(draft: Draft, *, run_id: str | None, attempt: int, zone: int = 0) -> Worker:
    """Return the worker that a draft has become; `zone` is how many seconds its logs' times are ahead of UTC."""
    seen = _Sightings([_in_utc(sighting, zone) for sighting in draft.sightings])
    error = seen.error()
    timestamp = seen.first("timestamp")
    host = seen.value("host")
    if host is None and draft.agent is not None and len(draft.agent.hosts) == 1:
        host = next(iter(draft.agent.hosts))  # one launcher runs on one host
    values: dict[str, Any] = {
        "run_id": run_id,
        "attempt": attempt,
        "node": draft.node,
        "local_rank": draft.local_rank,
        "rank": seen.value("rank"),
        "host": host,
        "role": seen.value("role"),
        "pid": seen.value("pid") if seen.value("pid") is not None else draft.pid,
        "exitcode": seen.value("exitcode"),
        "timestamp": timestamp.timestamp if timestamp is not None else None,
        "timestamp_ns": seen.value("timestamp_ns"),
        "timestamp_source": timestamp.timestamp_source if timestamp is not None else None,
    }
    own_file = next((s.error_file for s in seen.all if s.error_file and s.source != "launcher_log"), None)
    return Worker(
        **values,
        group_rank=seen.value("group_rank"),
        failure=_failure(values, seen, error, own_file),
        error=error,
        hits=seen.hits(),
        closings=seen.closings(),
        summary_index=seen.value("summary_index"),
        launcher_root=any(sighting.launcher_root for sighting in seen.all),
        error_file=own_file,
        stdout_log=next((s.stdout_log for s in seen.all if s.stdout_log), None),
        stderr_log=next((s.stderr_log for s in seen.all if s.stderr_log), None),
        last_step=max((s.last_step for s in seen.all if s.last_step is not None), default=None),
        last_log_time=max((s.last_log_time for s in seen.all if s.last_log_time is not None), default=None),
        collectives=tuple(progress for sighting in seen.all for progress in sighting.collectives),
        facts=tuple(seen.facts()),
        sources=seen.places(),
    )


class _Sightings:
    """The sightings of one worker, those with the best words first."""

    def __init__(self, sightings: list[Sighting]) -> None:
        self.all = sightings
        if len(sightings) > 1:
            sightings.sort(key=lambda sighting: (_rank_in(_WORDS, sighting), *_by_place(sighting.place)))

    def first(self, name: str) -> Sighting | None:
        """Return the most trusted sighting that has a value."""
        trust = _TRUST.get(name, _MARKS)
        having = [sighting for sighting in self.all if getattr(sighting, name) is not None]
        return min(having, key=lambda sighting: _rank_in(trust, sighting), default=None)

    def value(self, name: str) -> Any:  # noqa: ANN401 - each field has its own type
        """Return the most trusted value."""
        if len(self.all) == 1:
            return getattr(self.all[0], name)
        sighting = self.first(name)
        return None if sighting is None else getattr(sighting, name)

    def error(self) -> ErrorSummary | None:
        """Return the best summary: the most trusted one that shows where it was raised."""
        errors = [sighting.error for sighting in self.all if sighting.error is not None]
        return next((error for error in errors if error.link.frame is not None), errors[0] if errors else None)

    def message(self) -> str | None:
        """Return the most trusted message, that of a traceback in a log included."""
        for sighting in self.all:
            if sighting.message:
                return sighting.message
            if sighting.error is not None:
                last = sighting.error.links[-1]
                return f"{last.type}: {last.message}" if last.message else last.type
        return None

    def hits(self) -> tuple[Hit, ...]:
        """Return all hits; what stands in the worker's log and in the launcher's counts once."""
        found = {(hit.signature, hit.text): hit for s in reversed(self.all) for hit in reversed(s.hits)}
        return tuple(reversed(found.values()))

    def closings(self) -> tuple[Closing, ...]:
        """Return the signals that it was sent, in their order."""
        found = {closing.place: closing for sighting in self.all for closing in sighting.closings}
        return tuple(sorted(found.values(), key=lambda closing: _by_place(closing.place)))

    def places(self) -> tuple[Place, ...]:
        """Return every place that shows the worker, once; its directory only when nothing in it does."""
        found = dict.fromkeys(sighting.place for sighting in self.all if sighting.source != "derived")
        paths = {place.path for place in found}
        for log in (log for s in self.all for log in (s.stdout_log, s.stderr_log) if log and log not in paths):
            found[Place(log)] = None
        within = {path.rpartition("/")[0] for path in paths}
        return tuple(place for place in found if place.path not in within)

    def facts(self) -> Iterator[Fact]:
        """Yield what each source says, each value of a source once."""
        told: set[tuple[str, object, str]] = set()
        for sighting in self.all:
            for name in _FACTS:
                value = getattr(sighting, name)
                key = (name, value, sighting.source)
                if value is None or key in told or (name == "timestamp" and self._is_same_moment(sighting)):
                    continue
                told.add(key)
                yield Fact(name, value, sighting.source, sighting.place)
            if sighting.source == "launcher_log" and sighting.error_file:
                yield Fact("error_file", sighting.error_file, sighting.source, sighting.place)

    def _is_same_moment(self, sighting: Sighting) -> bool:
        """Tell whether a launcher only noticed a little later what the error file records."""
        best = self.first("timestamp")
        if best is None or best is sighting or best.timestamp is None or sighting.timestamp is None:
            return False
        return best.source == "error_file" and abs(best.timestamp - sighting.timestamp) <= _SAME_MOMENT


def _failure(
    values: dict[str, Any], seen: _Sightings, error: ErrorSummary | None, own_file: str | None
) -> ProcessFailure | None:
    """Return the failure of a worker that ended badly: by its report, its exit code, or the traceback that ended it."""
    reported = any(s.source == "error_file" and s.message is not None for s in seen.all)
    code = values["exitcode"]
    if not reported and not code and (error is None or code == 0):
        return None
    return ProcessFailure.summary(
        error_file=own_file if reported else None, message=cut_message(seen.message()), **values
    )


def _in_utc(sighting: Sighting, zone: int) -> Sighting:
    """Return a sighting whose log times are seconds since the epoch."""
    if not zone:
        return sighting
    timestamp = sighting.timestamp
    if timestamp is not None and sighting.timestamp_source == "launcher_log":
        timestamp -= zone
    return replace(
        sighting,
        timestamp=timestamp,
        hits=tuple(replace(hit, time=_minus(hit.time, zone)) for hit in sighting.hits),
        closings=tuple(replace(closing, time=_minus(closing.time, zone)) for closing in sighting.closings),
        last_log_time=_minus(sighting.last_log_time, zone),
    )


def _minus(time: float | None, zone: int) -> float | None:
    return None if time is None else time - zone


def _rank_in(trust: Sequence[str], sighting: Sighting) -> int:
    return trust.index(sighting.source) if sighting.source in trust else len(trust)


def _by_place(place: Place) -> tuple[str, int]:
    return place.path, place.line or 0
