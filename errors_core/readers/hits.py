"""Lines that match signatures, as hits: a bounded number of each signature, its first and its last ones.

Owns what of a log's lines the picture of a job keeps. It refuses to strip prefixes: the lines have none.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from errors_core.job import Hit, Place
from errors_core.readers.scanner import scanner_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from errors_core.readers.scanner import Patterned

__all__ = ["HitCollector", "find_hits"]

_FIRST = 5
_LAST = 5
_LONGEST = 500
_SEARCHED = 16 * 1024  # of one line
_BATCH = 256


def find_hits(lines: Iterable[tuple[int, str]], path: str, signatures: Sequence[Patterned]) -> tuple[Hit, ...]:
    """Return the lines (number, text without prefixes) that match signatures, in their order.

    Of each signature the first five and the last five are kept.
    """
    collector = HitCollector(path, signatures)
    for number, text in lines:
        collector.feed(number, text)
    return collector.hits()


class _Line(NamedTuple):
    number: int
    text: str
    time: float | None


class _Kept:
    """The first and the last hits of one signature."""

    def __init__(self) -> None:
        self.first: list[tuple[_Line, re.Match[str]]] = []
        self.last: deque[tuple[_Line, re.Match[str]]] = deque(maxlen=_LAST)

    def add(self, line: _Line, match: re.Match[str]) -> None:
        """Keep a hit, if need be in place of an earlier one."""
        (self.first if len(self.first) < _FIRST else self.last).append((line, match))

    def drain(self) -> list[tuple[_Line, re.Match[str]]]:
        """Give all hits away."""
        hits = [*self.first, *self.last]
        self.first.clear()
        self.last.clear()
        return hits


class HitCollector:
    """Takes lines one after the other and keeps the hits among them."""

    def __init__(self, path: str, signatures: Sequence[Patterned]) -> None:
        self._path = path
        self._scanner = scanner_for(signatures)
        self._expressions = {entry.id: _compiled(entry.pattern) for entry in signatures}
        self._kept: dict[str, _Kept] = {}
        self._batch: list[_Line] = []

    def feed(self, number: int, text: str, time: float | None = None) -> None:
        """Take one line; `time` is its own, in seconds since the epoch."""
        self._batch.append(_Line(number, text[:_SEARCHED].replace("\n", " "), time))
        if len(self._batch) >= _BATCH:
            self._search()

    def hits(self) -> tuple[Hit, ...]:
        """Return what was kept, in the order of lines."""
        self._search()
        found = [
            self._hit(name, line, match)
            for name, kept in self._kept.items()
            for line, match in (*kept.first, *kept.last)
        ]
        return tuple(sorted(found, key=lambda hit: hit.place.line or 0))

    def join(self, other: HitCollector) -> None:
        """Take over the hits that another collector kept."""
        self._search()
        other._search()
        for name, kept in other._kept.items():
            mine = self._kept.setdefault(name, _Kept())
            for line, match in sorted((*mine.drain(), *kept.first, *kept.last), key=lambda hit: hit[0].number):
                mine.add(line, match)

    def _search(self) -> None:
        batch, self._batch = self._batch, []
        encoded = [line.text.encode("utf-8", "replace") for line in batch]
        ends = list(accumulate(len(line) + 1 for line in encoded))
        for hit in self._scanner.lines(b"\n".join(encoded)):
            line = batch[bisect_right(ends, hit.start)]
            match = self._expressions[hit.id].search(line.text)
            if match is not None:
                self._kept.setdefault(hit.id, _Kept()).add(line, match)

    def _hit(self, name: str, line: _Line, match: re.Match[str]) -> Hit:
        fields = tuple((key, value) for key, value in match.groupdict().items() if value is not None)
        return Hit(name, line.text[:_LONGEST], Place(self._path, line.number), fields, line.time)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
