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

__all__ = ["Candidate", "LineHit", "Pattern", "Patterned", "Scanner", "scanner_for"]

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


class Candidate(NamedTuple):
    """One line of a block that holds what some patterns need: where it starts and ends, and their numbers."""

    start: int
    end: int
    numbers: set[int]


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
        self.ids = [name for name, _ in patterns]
        self._patterns = [pattern for _, pattern in patterns]
        with_text, self._always = _by_text(self._patterns)
        self.texts = sorted(with_text)
        self._numbers = [with_text[text] for text in self.texts]
        self._engine: Engine = engine or PlainEngine(self.texts)
        self._settled = engine is not None
        self._seen = 0

    def lines(self, data: bytes) -> list[LineHit]:
        """Return every pair of a line and a pattern that matches it, in the order of lines, then of patterns."""
        return [
            LineHit(line.start, line.end, self.ids[number])
            for line in self.candidates(data)
            for number in self.matches(line, data)
        ]

    def candidates(self, data: bytes) -> list[Candidate]:
        """Return the lines that any pattern may match, in their order."""
        self._warm_up(len(data))
        found = self._engine.find(data)
        if self._always:
            found += [(start, _ANY_LINE) for start in _starts(data)]
        candidates: list[Candidate] = []
        line_end = -1
        for end, number in sorted(found):
            if end > line_end:
                line_end = data.find(b"\n", end)
                line_end = line_end if line_end >= 0 else len(data)
                candidates.append(Candidate(data.rfind(b"\n", 0, end) + 1, line_end, set()))
            candidates[-1].numbers.update(self._always if number == _ANY_LINE else self._numbers[number])
        return candidates

    def matches(self, line: Candidate, data: bytes) -> Iterator[int]:
        """Yield the numbers of the patterns that match a line of the data, in their order."""
        text = _cleaned(data[line.start : line.end])
        for number in sorted(line.numbers):
            if _compiled(self._patterns[number]).search(text):
                yield number

    def _warm_up(self, length: int) -> None:
        self._seen += length
        if not self._settled and self._seen > _WARM_UP:
            self._settled = True
            self._engine = hyperscan_engine(self.texts) or self._engine


_ANY_LINE = -1  # in place of the number of a text


def _by_text(patterns: list[str]) -> tuple[dict[bytes, list[int]], list[int]]:
    """Return for each text the numbers of the patterns that need it, and those of patterns that need none."""
    with_text: dict[bytes, list[int]] = {}
    always: list[int] = []
    for number, pattern in enumerate(patterns):
        texts = required_literals(pattern)
        if texts is None:
            always.append(number)
        for text in texts or ():
            with_text.setdefault(text.encode(), []).append(number)
    return with_text, always


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


def _starts(data: bytes) -> Iterator[int]:
    """Yield where lines start."""
    start = 0
    while start < len(data):
        yield start
        start = (data.find(b"\n", start) + 1) or len(data)


def _cleaned(line: bytes) -> bytes:
    """Take carriage return and colours off a line."""
    line = line.removesuffix(b"\r")
    if b"\x1b" not in line:
        return line
    return strip_colours(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
