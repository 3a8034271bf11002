"""Which lines of a launcher's log are read: all of a small one, of a big one those near anything that matters.

Owns the table of what matters beside the signatures, and the limit between small and big.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from io import BytesIO
from itertools import chain, islice
from typing import TYPE_CHECKING, BinaryIO, cast

from errors_core.readers.blocks import read_blocks
from errors_core.readers.launcher_lines import BEGUN, LAUNCHER_LINES
from errors_core.readers.other_launchers import OTHER_LAUNCHER_LINES
from errors_core.readers.scanner import Pattern, scanner_for
from errors_core.readers.scheduler_log import SCHEDULER_LINES
from errors_core.readers.summary_block import SUMMARY_LINES
from errors_core.readers.windows import interesting_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.readers.scanner import Patterned

__all__ = ["BIG", "FIRST_LINES", "LAST_LINES", "OPENINGS", "STRUCTURE", "select_lines"]

BIG = 1024 * 1024
"""From so many bytes on, a log is scanned instead of read line by line."""

FIRST_LINES, LAST_LINES = 50_000, 10_000
"""So many lines of a log are read: the first that matter and the last ones."""

_BEGINNINGS = {
    "traceback": r"Traceback \(most recent call last\)",
    "joined": r"The above exception was the direct cause|During handling of the above exception",
    "group": r"\+-\+-{8,}",
    "crash": r"Fatal Python error: |terminate called after throwing",
    "dump": r"error_handler(?:\.py:\d+\] ?|: ?(?:\[ERROR\] ?)?)\{",
    "rendezvous": LAUNCHER_LINES["rendezvous_result"],
    **SUMMARY_LINES,
}
STRUCTURE: tuple[Pattern, ...] = tuple(
    Pattern(f"line:{kind}", pattern)
    for table in (_BEGINNINGS, LAUNCHER_LINES, OTHER_LAUNCHER_LINES, SCHEDULER_LINES, {"begun": BEGUN.pattern})
    for kind, pattern in table.items()
)
"""What a scanner looks for beside signatures: the lines of launchers and schedulers, and what begins a block."""

OPENINGS = frozenset(f"line:{kind}" for kind in _BEGINNINGS)


def select_lines(stream: BinaryIO, signatures: Sequence[Patterned], big: int = BIG) -> Iterator[tuple[int, bytes]]:
    """Yield lines with their numbers, without line ends."""
    lines = _candidates(stream, signatures, big)
    return chain(islice(lines, FIRST_LINES), _last(lines))


def _candidates(stream: BinaryIO, signatures: Sequence[Patterned], big: int) -> Iterator[tuple[int, bytes]]:
    head = stream.read(big + 1)
    if len(head) <= big:
        return _all_lines(head.decode("utf-16", "replace").encode() if head[:2] in _UTF_16 else head)
    rejoined = cast("BinaryIO", _Rejoined(head, stream))
    scanner = scanner_for((*signatures, *STRUCTURE))
    return interesting_lines(rejoined, scanner, OPENINGS, first=FIRST_LINES, last=LAST_LINES)


def _last(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    yield from deque(lines, maxlen=LAST_LINES)


def _all_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for block in read_blocks(BytesIO(data)):
        for index, line in enumerate(block.data.removesuffix(b"\n").split(b"\n")):
            yield block.number + index, line


_UTF_16 = (BOM_UTF16_LE, BOM_UTF16_BE)  # what PowerShell's `>` writes


class _Rejoined:
    """A stream of which the beginning was read already: as much of it as a scanner needs."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = BytesIO(head)
        self._rest = rest

    def read(self, size: int) -> bytes:
        """Return the next bytes, at most so many; none at the end."""
        return self._head.read(size) or self._rest.read(size)
