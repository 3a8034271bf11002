"""Which lines of a block match which of many patterns.

Owns the engine and the exact test of single lines. It refuses to know what a pattern means, and answers the same
whether hyperscan is installed or not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from errors_core.paste_damage import strip_colours
from errors_core.readers.engines import PlainEngine, hyperscan_engine
from errors_core.readers.literals import required_literals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from errors_core.readers.engines import Engine

__all__ = ["LineHit", "Pattern", "Patterned", "Scanner", "scanner_for"]

_WARM_UP = 128 * 1024  # from so many bytes on, compiling for hyperscan (10 ms) pays


class Patterned(Protocol):
    """Anything with an id and a regular expression: a `Signature` or a `Pattern`."""

    @property
    def id(self) -> str:
        """The name that hits carry."""

    @property
    def pattern(self) -> str:
        """A Python regular expression without look-around and back-references."""


class Pattern(NamedTuple):
    """A further expression beside the signatures, such as a structural line of a launcher's log."""

    id: str
    pattern: str


class LineHit(NamedTuple):
    """One line of a block that matches one pattern: where it starts and ends in the block."""

    start: int
    end: int
    id: str


def scanner_for(patterns: Iterable[Patterned]) -> Scanner:
    """Return the scanner for these patterns; the same one for the same patterns."""
    return _scanner(tuple((pattern.id, pattern.pattern) for pattern in patterns))


@lru_cache(maxsize=8)
def _scanner(patterns: tuple[tuple[str, str], ...]) -> Scanner:
    return Scanner(patterns)


class Scanner:
    """Finds the lines of a block that match any of many patterns.

    Begins with the engine that needs no preparation, and changes to hyperscan after some blocks. A pattern that no
    literal text belongs to is tried on every line.
    """

    def __init__(self, patterns: tuple[tuple[str, str], ...], engine: Engine | None = None) -> None:
        self._ids = [name for name, _ in patterns]
        self._expressions = [re.compile(pattern.encode()) for _, pattern in patterns]
        self._literals = [_encoded(required_literals(pattern)) for _, pattern in patterns]
        self.texts = sorted({text for texts in self._literals for text in texts or ()})
        self._engine: Engine = engine or PlainEngine(self.texts)
        self._settled = engine is not None
        self._seen = 0

    def lines(self, data: bytes) -> list[LineHit]:
        """Return every pair of a line and a pattern that matches it, in the order of lines, then of patterns."""
        self._warm_up(len(data))
        texts = self._engine.found_in(data)
        found: list[tuple[int, int, int]] = []
        for number, literals in enumerate(self._literals):
            if literals is None or not texts.isdisjoint(literals):
                found += [(start, number, end) for start, end in self._tried(number, data)]
        return [LineHit(start, end, self._ids[number]) for start, number, end in sorted(found)]

    def _warm_up(self, length: int) -> None:
        self._seen += length
        if not self._settled and self._seen > _WARM_UP:
            self._settled = True
            self._engine = hyperscan_engine(self.texts) or self._engine

    def _tried(self, number: int, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield start and end of the lines that the expression matches."""
        expression = self._expressions[number]
        for start, end in _lines_with(self._literals[number], data):
            if expression.search(_cleaned(data[start:end])):
                yield start, end


def _encoded(texts: frozenset[str] | None) -> frozenset[bytes] | None:
    return None if texts is None else frozenset(text.encode() for text in texts)


def _lines_with(literals: frozenset[bytes] | None, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield start and end of the lines that hold one of the texts; of all lines when there are none."""
    seen = -1
    for start in sorted(_starts(literals, data)):
        if start != seen:
            seen = start
            end = data.find(b"\n", start)
            yield start, len(data) if end < 0 else end


def _starts(literals: frozenset[bytes] | None, data: bytes) -> Iterator[int]:
    for literal in (b"",) if literals is None else literals:
        position = 0
        while 0 <= (position := data.find(literal, position)) < len(data):
            yield data.rfind(b"\n", 0, position) + 1
            position = data.find(b"\n", position) + 1
            if not position:
                break


def _cleaned(line: bytes) -> bytes:
    """Take carriage return and colours off a line."""
    line = line.removesuffix(b"\r")
    if b"\x1b" not in line:
        return line
    return strip_colours(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
