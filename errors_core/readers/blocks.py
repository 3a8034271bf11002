"""A byte stream in blocks of whole lines, for logs of any length and lines of any length.

Owns how much of a log is in memory at once. It refuses to decode and to understand lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BLOCK_SIZE", "CUT_MARK", "Block", "count_lines", "read_blocks"]

BLOCK_SIZE = 256 * 1024
CUT_MARK = b" [...] "
_KEPT = 16 * 1024  # of a line longer than a block: so much of its beginning and of its end
_SAMPLE = 4 * 1024  # bytes that show how long lines are
_LONG_LINE = 60


class Block(NamedTuple):
    """Whole lines: the byte offset of the first one, its number (from 1), and the bytes.

    A line longer than a block comes as a block of its own, its middle replaced by `CUT_MARK`.
    """

    offset: int
    number: int
    data: bytes


def read_blocks(stream: BinaryIO, size: int = BLOCK_SIZE) -> Iterator[Block]:
    """Yield a stream's lines in blocks; memory does not depend on the length of the stream or of its lines."""
    offset, number = 0, 1
    pending = _Pending()
    while chunk := stream.read(size):
        start = 0
        if pending.dropped:
            start = chunk.find(b"\n") + 1
            pending.add(chunk[:start] or chunk)
            if not start:
                continue
            yield Block(offset, number, pending.line())
            offset, number = offset + pending.length, number + 1
            pending = _Pending()
        end = chunk.rfind(b"\n") + 1
        if end > start:
            data = pending.line() + chunk[start:end]
            yield Block(offset, number, data)
            offset, number = offset + len(data), number + count_lines(data)
            pending = _Pending()
        pending.add(chunk[max(start, end) :])
        pending.shorten(size)
    if pending.length:
        yield Block(offset, number, pending.line())


def count_lines(data: bytes, start: int = 0, end: int | None = None) -> int:
    """Count line ends, as `bytes.count` does.

    Before Python 3.13 that looks at one byte after the other, where `replace` leaps from one line end to the next.
    """
    end = len(data) if end is None else end
    if data.count(b"\n", start, min(end, start + _SAMPLE)) * _LONG_LINE > _SAMPLE:
        return data.count(b"\n", start, end)
    part = data[start:end]
    return len(part) - len(part.replace(b"\n", b""))


class _Pending:
    """The beginning of a line whose end was not read yet."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self.dropped = 0

    @property
    def length(self) -> int:
        """How many bytes the line has in the stream so far."""
        return len(self._head) + self.dropped + len(self._tail)

    def add(self, data: bytes) -> None:
        """Add what was read next."""
        if not self.dropped:
            self._head += data
        else:
            self._tail += data
            self.dropped += max(0, len(self._tail) - _KEPT)
            self._tail = self._tail[-_KEPT:]

    def shorten(self, size: int) -> None:
        """Drop the middle of a line that is longer than a block."""
        if not self.dropped and len(self._head) > max(size, 2 * _KEPT):
            self.dropped = len(self._head) - 2 * _KEPT
            self._head, self._tail = self._head[:_KEPT], self._head[-_KEPT:]

    def line(self) -> bytes:
        """Return the line so far, with a mark where its middle was dropped."""
        return self._head + CUT_MARK + self._tail if self.dropped else self._head
