"""All signatures over a log in one pass, at the speed of reading it.

Owns the walk over a stream; which lines match is `scanner`'s, what is kept of them `hits`'. It refuses to know what a
signature means.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from errors_core.readers.blocks import read_blocks
from errors_core.readers.hits import find_hits
from errors_core.readers.scanner import Pattern, Patterned, scanner_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Pattern", "Patterned", "ScanHit", "find_hits", "scan"]


class ScanHit(NamedTuple):
    """One line of a stream that matches one pattern.

    `offset` is where the line starts in the stream, in bytes; `number` counts lines from 1; `line` has no line end.
    """

    offset: int
    number: int
    line: bytes
    id: str


def scan(stream: BinaryIO, patterns: Iterable[Patterned]) -> Iterator[ScanHit]:
    """Yield every pair of a line and a pattern that matches it, in the order of lines.

    A line is matched as it stands, prefixes included, but without colours and carriage return.
    """
    scanner = scanner_for(patterns)
    for block in read_blocks(stream):
        number, counted = block.number, 0
        for hit in scanner.lines(block.data):
            number += block.data.count(b"\n", counted, hit.start)
            counted = hit.start
            yield ScanHit(block.offset + hit.start, number, block.data[hit.start : hit.end], hit.id)
