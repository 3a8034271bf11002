"""The lines of a log that are worth a closer look: around every hit, and all of its end.

Owns what of a huge log is passed over. It refuses to look closer itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from errors_core.readers.blocks import count_lines, read_blocks
from errors_core.readers.stretches import Stretch, cut_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from errors_core.readers.blocks import Block
    from errors_core.readers.scanner import Candidate, Scanner
    from errors_core.readers.stretches import RawLine

__all__ = ["interesting_lines"]

_BEFORE = 2
_AFTER = 20
_BEHIND_OPENINGS = 400  # a traceback is rarely longer, and every link of a chain begins anew
_BEHIND_FRAMES = 100  # lines behind the last frame: the exception, its message, and whether training went on
_FRAMES = (b"File ", "│".encode())  # as Python and as rich print them
_END = 64 * 1024  # bytes at the end of a log of which every line counts
_BUDGET = 20_000  # lines; of a log with more, the last ones count
_LAST = 10_000


def interesting_lines(
    stream: BinaryIO, scanner: Scanner, openings: frozenset[str], *, first: int = _BUDGET, last: int = _LAST
) -> Iterator[RawLine]:
    """Yield the lines near hits and those at the end, in order; `openings` are the ids of hits that begin something.

    Of a log with more such lines than `first` and `last` together, so many of the first and of the last ones come.
    """
    return cut_apart(_Windows(scanner, openings).of(stream), first, last)


class _Windows:
    """Remembers from block to block how many lines behind a hit are still to come.

    Expressions are tried where they change the outcome: of many candidates in one window, only on the last ones.
    """

    def __init__(self, scanner: Scanner, openings: frozenset[str]) -> None:
        self._scanner = scanner
        self._openings = frozenset(number for number, name in enumerate(scanner.ids) if name in openings)
        self._wanted = 0

    def of(self, stream: BinaryIO) -> Iterator[Stretch]:
        """Look at each block when the next one was read, so that the end of the log is known in time."""
        before: Block | None = None
        for block in read_blocks(stream):
            if before is not None:
                yield from self._of_block(before, _END - len(block.data))
            before = block
        if before is not None:
            yield from self._of_block(before, _END)

    def _of_block(self, block: Block, end: int) -> Iterator[Stretch]:
        """Yield what is wanted of a block; of its last `end` bytes, all lines."""
        data, number, counted = block.data, block.number, 0
        all_from = data.rfind(b"\n", 0, max(0, len(data) - end)) + 1 if end > 0 else len(data)
        for start, stop in _joined(self._wanted_parts(data, all_from)):
            number += count_lines(data, counted, start)
            length = data.count(b"\n", start, stop) + (data[stop - 1] != _LINE_END)
            yield Stretch(number, length, data[start:stop])
            number, counted = number + length, stop

    def _wanted_parts(self, data: bytes, all_from: int) -> Iterator[tuple[int, int]]:
        """Yield where wanted lines begin and end, in order; such parts may touch and may be empty."""
        begin = 0
        window = _Window(0, 0, self._wanted)
        inside: list[tuple[int, Candidate]] = []
        for line, candidate in _numbered(self._scanner.candidates(data), data):
            while inside and line >= window.end:
                window = self._extended(window, *inside.pop(), data)
            if line < window.end:
                inside.append((line, candidate))
            elif behind := self._behind(candidate, data):
                stop, _ = _forward(data, window)
                yield begin, stop
                begin = max(stop, min(_lines_before(data, candidate.start), all_from))
                window = _Window(candidate.start, line, line + 1 + behind)
        while inside:
            window = self._extended(window, *inside.pop(), data)
        stop, self._wanted = _forward(data, window)
        yield begin, stop
        yield max(stop, all_from), len(data)

    def _extended(self, window: _Window, line: int, candidate: Candidate, data: bytes) -> _Window:
        """Return the window with what stands behind one more hit, if it is one and if that makes any difference."""
        if line + 1 + self._most_behind(candidate) <= window.end:
            return window
        end = line + 1 + self._behind(candidate, data)
        return _Window(candidate.start, line, end) if end > window.end else window

    def _most_behind(self, candidate: Candidate) -> int:
        return _AFTER if candidate.numbers.isdisjoint(self._openings) else _BEHIND_OPENINGS

    def _behind(self, candidate: Candidate, data: bytes) -> int:
        """Return how many lines behind a candidate are wanted: none when nothing matches it."""
        behind = 0
        most = self._most_behind(candidate)
        for number in self._scanner.matches(candidate, data):
            if number in self._openings:
                return _behind_opening(candidate.start, data)
            behind = _AFTER
            if behind == most:
                break
        return behind


class _Window(NamedTuple):
    """Wanted lines of a block: where one of them starts, its number from 0, and the number behind the last one."""

    start: int
    line: int
    end: int


_LINE_END = ord("\n")


def _forward(data: bytes, window: _Window) -> tuple[int, int]:
    """Return where a window ends in a block, and how many of its lines are still to come in the next."""
    position = window.start
    for line in range(window.line, window.end):
        position = data.find(b"\n", position) + 1
        if not position:
            return len(data), window.end - line
    return position, 0


def _behind_opening(start: int, data: bytes) -> int:
    """Return how many lines behind the beginning of a traceback or another block are wanted."""
    end, missing = _forward(data, _Window(start, 0, 1 + _BEHIND_OPENINGS))
    if missing:
        return _BEHIND_OPENINGS
    last = max(data.rfind(frame, start, end) for frame in _FRAMES)
    return min(_BEHIND_OPENINGS, data.count(b"\n", start, max(start, last)) + _BEHIND_FRAMES)


def _numbered(candidates: Iterable[Candidate], data: bytes) -> Iterator[tuple[int, Candidate]]:
    """Give candidates the numbers of their lines in the block, from 0."""
    line = counted = 0
    for candidate in candidates:
        line += data.count(b"\n", counted, candidate.start)
        counted = candidate.start
        yield line, candidate


def _joined(parts: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Make one of parts that touch, and leave out empty ones."""
    begin = end = 0
    for start, stop in parts:
        if start > end:
            if end > begin:
                yield begin, end
            begin = start
        end = max(end, stop)
    if end > begin:
        yield begin, end


def _lines_before(data: bytes, position: int) -> int:
    """Return where the lines in front of a hit start."""
    for _ in range(_BEFORE):
        position = data.rfind(b"\n", 0, max(0, position - 1)) + 1
    return position
