"""The lines of a log that are worth a closer look: around every hit, and all of its end.

Owns what of a huge log is passed over. It refuses to look closer itself.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from errors_core.readers.blocks import read_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from errors_core.readers.blocks import Block
    from errors_core.readers.scanner import Scanner

__all__ = ["RawLine", "interesting_lines"]

_BEFORE = 2
_AFTER = 20
_BEHIND_OPENINGS = 400  # a traceback is rarely longer, and every link of a chain begins anew
_END = 64 * 1024  # bytes at the end of a log of which every line counts
_BUDGET = 100_000  # lines; of a log with more, the last ones count
_LAST = 20_000


class RawLine(NamedTuple):
    """A line with its number, without line end."""

    number: int
    data: bytes


def interesting_lines(stream: BinaryIO, scanner: Scanner, openings: frozenset[str]) -> Iterator[RawLine]:
    """Yield the lines near hits and those at the end, in order; `openings` are the ids of hits that begin something.

    Of a log with more than 120,000 such lines, the first 100,000 and the last 20,000 come.
    """
    windows = _Windows(scanner, openings)
    lines = windows.of(stream)
    for _, line in zip(range(_BUDGET), lines, strict=False):
        yield line
    yield from deque(lines, maxlen=_LAST)


class _Windows:
    """Remembers from block to block how many lines behind a hit are still to come."""

    def __init__(self, scanner: Scanner, openings: frozenset[str]) -> None:
        self._scanner = scanner
        self._openings = openings
        self._wanted = 0

    def of(self, stream: BinaryIO) -> Iterator[RawLine]:
        """Look at each block when the next one was read, so that the end of the log is known in time."""
        before: Block | None = None
        for block in read_blocks(stream):
            if before is not None:
                yield from self._of_block(before, _END - len(block.data))
            before = block
        if before is not None:
            yield from self._of_block(before, _END)

    def _of_block(self, block: Block, end: int) -> Iterator[RawLine]:
        """Yield the wanted lines of a block; of its last `end` bytes, all."""
        data, position, number = block.data, 0, block.number
        all_from = data.rfind(b"\n", 0, max(0, len(data) - end)) + 1 if end > 0 else len(data)
        hits = self._scanner.lines(data)
        seen = 0
        while position < len(data):
            if self._wanted <= 0 and position < all_from:
                hit = hits[seen].start if seen < len(hits) else len(data)
                target = max(position, min(_lines_before(data, hit), all_from))
                number += data.count(b"\n", position, target)
                position = target
                if position >= len(data):
                    break
            stop = data.find(b"\n", position)
            stop = len(data) if stop < 0 else stop
            yield RawLine(number, data[position:stop])
            self._wanted -= 1
            while seen < len(hits) and hits[seen].start <= position:
                self._wanted = max(self._wanted, _BEHIND_OPENINGS if hits[seen].id in self._openings else _AFTER)
                seen += 1
            position, number = stop + 1, number + 1


def _lines_before(data: bytes, position: int) -> int:
    """Return where the lines in front of a hit start; the end of the block stands for no hit."""
    if position >= len(data):
        return position
    for _ in range(_BEFORE):
        position = data.rfind(b"\n", 0, max(0, position - 1)) + 1
    return position
