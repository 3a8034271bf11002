"""Stretches of a log → its lines, no more of them than anybody reads.

Owns the budget: the first and the last lines count. It refuses to choose the stretches (that is `windows`).
"""

from __future__ import annotations

from collections import deque
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["RawLine", "Stretch", "cut_apart"]


class RawLine(NamedTuple):
    """A line with its number, without line end."""

    number: int
    data: bytes


class Stretch(NamedTuple):
    """Lines that follow each other: the number of the first one, how many they are, and all their bytes."""

    number: int
    length: int
    data: bytes

    def lines(self) -> list[RawLine]:
        """Return the single lines."""
        return list(map(RawLine, count(self.number), self.data.removesuffix(b"\n").split(b"\n")))


def cut_apart(stretches: Iterator[Stretch], first: int, last: int) -> Iterator[RawLine]:
    """Yield so many of the first and of the last lines, in order."""
    for stretch in stretches:
        lines = stretch.lines()
        yield from lines[:first]
        if len(lines) > first:
            yield from _last_lines(lines[first:], stretches, last)
            return
        first -= len(lines)


def _last_lines(lines: list[RawLine], stretches: Iterator[Stretch], last: int) -> list[RawLine]:
    """Return the last lines of what is left; only those are cut apart."""
    kept: deque[Stretch] = deque()
    total = 0
    for stretch in stretches:
        kept.append(stretch)
        total += stretch.length
        while total - kept[0].length >= last:
            total -= kept.popleft().length
    return [*lines, *chain.from_iterable(stretch.lines() for stretch in kept)][-last:]
