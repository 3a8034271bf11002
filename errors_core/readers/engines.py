r"""Two ways to find many texts in a block of a log: one after the other, or all at once with hyperscan.

Owns the choice between them. The expressions that these texts belong to are tried on single lines afterwards, so both
lead to the same answer. Hyperscan gets plain texts only: given the expressions themselves, the Vectorscan of 2026
(hyperscan 0.9.1) misses matches, among them `\[[\d, ]+\] (?:finished #\d+|joined)`.
"""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Engine", "HyperscanEngine", "PlainEngine", "hyperscan_engine"]


class Engine(Protocol):
    """Finds the lines that hold any of its texts."""

    def find(self, data: bytes) -> list[tuple[int, int]]:
        """Return pairs of where a text ends and its number, in any order; of each line and text at least one."""


class PlainEngine:
    """Looks for one text after the other; needs no preparation."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._texts = texts

    def find(self, data: bytes) -> list[tuple[int, int]]:
        """Return where texts end, once for each line and text."""
        return [(end, number) for number, text in enumerate(self._texts) for end in _ends(text, data)]


def _ends(text: bytes, data: bytes) -> Iterator[int]:
    position = data.find(text)
    while position >= 0:
        yield position + len(text)
        line_end = data.find(b"\n", position)
        position = data.find(text, line_end) if line_end >= 0 else -1


class HyperscanEngine:
    """Looks for all texts at once with Hyperscan (or Vectorscan), at the speed of `grep` for one word."""

    def __init__(self, hyperscan: Any, texts: Sequence[bytes]) -> None:  # noqa: ANN401 - the module has no types
        self._hyperscan = hyperscan
        self._database = hyperscan.Database()
        self._database.compile(
            expressions=list(texts),
            ids=list(range(len(texts))),
            elements=len(texts),
            literal=True,
        )
        self._local = threading.local()  # a scratch space serves one scan at a time

    def find(self, data: bytes) -> list[tuple[int, int]]:
        """Return where texts end, every time."""
        found: list[tuple[int, int]] = []

        def note(number: int, _start: int, end: int, *_: Any) -> None:  # noqa: ANN401 - flags and context, not needed
            found.append((end, number))

        self._database.scan(data, match_event_handler=note, scratch=self._scratch())
        return found

    def _scratch(self) -> Any:  # noqa: ANN401 - hyperscan has no types
        scratch = getattr(self._local, "scratch", None)
        if scratch is None:
            scratch = self._local.scratch = self._hyperscan.Scratch(self._database)
        return scratch


def hyperscan_engine(texts: Sequence[bytes]) -> HyperscanEngine | None:
    """Return the fast engine; `None` when hyperscan is not installed or refuses the texts."""
    try:
        hyperscan = importlib.import_module("hyperscan")
    except ImportError:  # a bare machine: the slower engine gives the same answers
        return None
    try:
        return HyperscanEngine(hyperscan, texts) if texts else None
    except hyperscan.error:
        return None
