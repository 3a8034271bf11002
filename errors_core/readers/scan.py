"""All signatures over a log in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from errors_core.job import Hit

__all__ = ["Pattern", "Patterned", "ScanHit", "find_hits", "scan"]


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


class ScanHit(NamedTuple):
    """One line of a stream that matches one pattern; `offset` is where the line starts, in bytes."""

    offset: int
    number: int
    line: bytes
    id: str


def scan(stream: BinaryIO, patterns: Sequence[Patterned]) -> Iterator[ScanHit]:
    """Yield every (line, pattern) pair that matches, in the order of lines."""
    raise NotImplementedError


def find_hits(lines: Iterable[tuple[int, str]], path: str, signatures: Sequence[Patterned]) -> tuple[Hit, ...]:
    """Return the lines (number, text without prefixes) that match signatures, bounded in number."""
    raise NotImplementedError
