"""Shared by the tests of the launcher's log: read a text, and say in comparable facts what was seen."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.readers.launcher_log import read_launcher_log

if TYPE_CHECKING:
    from errors_core.sightings import Reading, Sighting

__all__ = ["Fact", "described", "facts", "find", "read", "read_bytes"]

PATH = "launcher.log"


def read(text: str) -> Reading:
    """Read a text as a launcher's log."""
    return read_bytes(text.encode("utf-8", "surrogateescape"))


def read_bytes(data: bytes) -> Reading:
    """Read bytes as a launcher's log."""
    return read_launcher_log(BytesIO(data), PATH, builtin_signatures())


def find(reading: Reading, **marks: object) -> list[Sighting]:
    """Return the sightings that have these values."""
    return [seen for seen in reading.sightings if all(getattr(seen, name) == value for name, value in marks.items())]


class Fact(NamedTuple):
    """What a sighting says, without lines and times."""

    attempt: int | None
    rank: int | None
    local_rank: int | None
    pid: int | None
    exitcode: int | None
    root: bool
    listed_as: int | None
    title: str | None
    hits: tuple[str, ...]
    closings: tuple[tuple[int, bool], ...]


def described(seen: Sighting) -> Fact:
    """Say what one sighting holds."""
    return Fact(
        seen.attempt,
        seen.rank,
        seen.local_rank,
        seen.pid,
        seen.exitcode,
        seen.launcher_root,
        seen.summary_index,
        seen.error.link.title if seen.error is not None else None,
        tuple(sorted({hit.signature for hit in seen.hits})),
        tuple((closing.signal, closing.forced) for closing in seen.closings),
    )


def facts(reading: Reading) -> list[str]:
    """Say what a reading holds, sorted, so that two readings can be compared."""
    events = [f"{attempt} {event.kind} {event.signature} {event.text.strip()}" for attempt, event in reading.events]
    return sorted([*(str(described(seen)) for seen in reading.sightings), *events])
