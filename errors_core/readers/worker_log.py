"""A worker's stdout.log or stderr.log → one sighting a rank.

Owns what one process left in its own log: its last traceback or crash, its hits, how far it got. It refuses to
interpret the launcher's lines and to judge. Memory does not depend on the length of the log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from errors_core.prefixes import strip_prefixes
from errors_core.readers.rank_log import RankLog
from errors_core.readers.scanner import Pattern, scanner_for
from errors_core.readers.windows import interesting_lines
from errors_core.sightings import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from errors_core.prefixes import Stripped
    from errors_core.readers.scanner import Patterned
    from errors_core.readers.stretches import RawLine
    from errors_core.sightings import Sighting

__all__ = ["read_worker_log"]

_OPENINGS = (
    Pattern("opening:traceback", r"Traceback \(most recent call last\)"),
    Pattern("opening:joined", r"The above exception was the direct cause|During handling of the above exception"),
    Pattern("opening:group", r"\+-\+-{8,}"),
    Pattern("opening:crash", r"Fatal Python error: |Windows fatal exception: |terminate called after throwing"),
)
_OPENING_IDS = frozenset(pattern.id for pattern in _OPENINGS)


def read_worker_log(
    stream: BinaryIO, path: str, signatures: Sequence[Patterned], *, is_echo: Callable[[str], bool] | None = None
) -> Reading:
    """Read one worker's log.

    Lines of several ranks give one sighting each; lines without a rank are the worker's own when there is one rank
    at most. `is_echo` is passed on to `errors_core.tracebacks.summarise`. Never raises for bad data.
    """
    lines = interesting_lines(stream, scanner_for((*signatures, *_OPENINGS)), _OPENING_IDS)
    return Reading(sightings=_read_lines(lines, path, signatures, is_echo))


def _read_lines(
    lines: Iterable[RawLine], path: str, signatures: Sequence[Patterned], is_echo: Callable[[str], bool] | None
) -> list[Sighting]:
    logs: dict[object, RankLog] = {}
    writer: object = None
    expected = 0
    for number, data in lines:
        if number != expected:
            for log in logs.values():
                log.skip()
        expected = number + 1
        stripped = strip_prefixes(data.decode("utf-8", "replace"))
        if stripped.text.strip():
            writer = _writer(stripped)
        log = logs.get(writer) or logs.setdefault(writer, RankLog(path, signatures, is_echo))
        log.feed(number, stripped)
    return _sightings(logs, path, signatures, is_echo)


def _writer(stripped: Stripped) -> object:
    """Return what tells the ranks of a log apart."""
    if stripped.rank is not None:
        return stripped.rank
    return None if stripped.local_rank is None else ("local", stripped.local_rank)


def _sightings(
    logs: dict[object, RankLog],
    path: str,
    signatures: Sequence[Patterned],
    is_echo: Callable[[str], bool] | None,
) -> list[Sighting]:
    nobodys = logs.pop(None, None)
    if len(logs) == 1 and nobodys is not None:
        next(iter(logs.values())).join(nobodys)
    elif nobodys is not None and (not logs or nobodys.tells_something):
        logs[None] = nobodys
    if not logs:
        logs[None] = RankLog(path, signatures, is_echo)
    return [log.sighting() for log in logs.values()]
