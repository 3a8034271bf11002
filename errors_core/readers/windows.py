"""The lines of a log that are worth a closer look: around every hit, and all of its end.

Owns what of a huge log is passed over. It refuses to look closer itself.
"""

from __future__ import annotations

from collections import deque
from itertools import chain, count
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from errors_core.readers.blocks import count_lines, read_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from errors_core.readers.blocks import Block
    from errors_core.readers.scanner import Candidate, Scanner

__all__ = ["RawLine", "interesting_lines"]

_BEFORE = 2
_AFTER = 20
_BEHIND_OPENINGS = 400  # a traceback is rarely longer, and every link of a chain begins anew
_END = 64 * 1024  # bytes at the end of a log of which every line counts
_BUDGET = 20_000  # lines; of a log with more, the last ones count
_LAST = 10_000


class RawLine(NamedTuple):
    """A line with its number, without line end."""

    number: int
    data: bytes


class _Stretch(NamedTuple):
    """Lines that follow each other: the number of the first one, how many they are, and all their bytes."""

    number: int
    length: int
    data: bytes

    def lines(self) -> list[RawLine]:
        """Return the single lines."""
        return list(map(RawLine, count(self.number), self.data.removesuffix(b"\n").split(b"\n")))


def interesting_lines(
    stream: BinaryIO, scanner: Scanner, openings: frozenset[str], *, first: int = _BUDGET, last: int = _LAST
) -> Iterator[RawLine]:
    """Yield the lines near hits and those at the end, in order; `openings` are the ids of hits that begin something.

    Of a log with more such lines than `first` and `last` together, so many of the first and of the last ones come.
    """
    stretches = _Windows(scanner, openings).of(stream)
    for stretch in stretches:
        lines = stretch.lines()
        yield from lines[:first]
        if len(lines) > first:
            yield from _last_lines(lines[first:], stretches, last)
            return
        first -= len(lines)


def _last_lines(lines: list[RawLine], stretches: Iterator[_Stretch], last: int) -> list[RawLine]:
    """Return the last lines of what is left; only those are cut apart."""
    kept: deque[_Stretch] = deque()
    total = 0
    for stretch in stretches:
        kept.append(stretch)
        total += stretch.length
        while total - kept[0].length >= last:
            total -= kept.popleft().length
    return [*lines, *chain.from_iterable(stretch.lines() for stretch in kept)][-last:]


class _Windows:
    """Remembers from block to block how many lines behind a hit are still to come.

    Expressions are tried where they change the outcome: of many candidates in one window, only on the last ones.
    """

    def __init__(self, scanner: Scanner, openings: frozenset[str]) -> None:
        self._scanner = scanner
        self._openings = frozenset(number for number, name in enumerate(scanner.ids) if name in openings)
        self._wanted = 0

    def of(self, stream: BinaryIO) -> Iterator[_Stretch]:
        """Look at each block when the next one was read, so that the end of the log is known in time."""
        before: Block | None = None
        for block in read_blocks(stream):
            if before is not None:
                yield from self._of_block(before, _END - len(block.data))
            before = block
        if before is not None:
            yield from self._of_block(before, _END)

    def _of_block(self, block: Block, end: int) -> Iterator[_Stretch]:
        """Yield what is wanted of a block; of its last `end` bytes, all lines."""
        data, number, counted = block.data, block.number, 0
        all_from = data.rfind(b"\n", 0, max(0, len(data) - end)) + 1 if end > 0 else len(data)
        for start, stop in _joined(self._wanted_parts(data, all_from)):
            number += count_lines(data, counted, start)
            length = data.count(b"\n", start, stop) + (data[stop - 1] != _LINE_END)
            yield _Stretch(number, length, data[start:stop])
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
            behind = _BEHIND_OPENINGS if number in self._openings else max(behind, _AFTER)
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
