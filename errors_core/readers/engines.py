"""Two ways to tell which of many expressions a block of a log may match: literals, and hyperscan when installed.

Owns the choice between them. Neither decides: they may name an expression too many, never one too few, and the
expression itself is tried on each line afterwards. So both lead to the same answer.
"""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Engine", "HyperscanEngine", "LiteralEngine", "hyperscan_engine"]


class Engine(Protocol):
    """Names the expressions that a block of lines may match."""

    def candidates(self, data: bytes) -> list[int]:
        """Return the numbers of the expressions, in their order."""


class LiteralEngine:
    """Looks for the texts that an expression requires; an expression that requires none is always a candidate."""

    def __init__(self, literals: Sequence[frozenset[bytes] | None]) -> None:
        self._literals = literals
        self._texts = sorted({text for texts in literals for text in texts or ()})

    def candidates(self, data: bytes) -> list[int]:
        """Return the numbers of the expressions, in their order."""
        found = {text for text in self._texts if text in data}
        return [i for i, texts in enumerate(self._literals) if texts is None or not found.isdisjoint(texts)]


class HyperscanEngine:
    """Runs all expressions at once through Hyperscan (or Vectorscan), at the speed of `grep` for one word."""

    def __init__(self, hyperscan: Any, patterns: Sequence[str]) -> None:  # noqa: ANN401 - the module has no types
        self._hyperscan = hyperscan
        flags = hyperscan.HS_FLAG_MULTILINE | hyperscan.HS_FLAG_SINGLEMATCH | hyperscan.HS_FLAG_ALLOWEMPTY
        self._database = hyperscan.Database()
        self._database.compile(
            expressions=[_loosened(pattern).encode() for pattern in patterns],
            ids=list(range(len(patterns))),
            elements=len(patterns),
            flags=[flags] * len(patterns),
        )
        self._local = threading.local()  # a scratch space serves one scan at a time

    def candidates(self, data: bytes) -> list[int]:
        """Return the numbers of the expressions, in their order."""
        found: list[int] = []

        def note(number: int, *_: Any) -> None:  # noqa: ANN401 - hyperscan gives offsets and flags that are not needed
            found.append(number)

        self._database.scan(data, match_event_handler=note, scratch=self._scratch())
        return sorted(found)

    def _scratch(self) -> Any:  # noqa: ANN401 - hyperscan has no types
        scratch = getattr(self._local, "scratch", None)
        if scratch is None:
            scratch = self._local.scratch = self._hyperscan.Scratch(self._database)
        return scratch


def hyperscan_engine(patterns: Sequence[str]) -> HyperscanEngine | None:
    """Return the fast engine; `None` when it is not installed or cannot express one of the patterns."""
    try:
        hyperscan = importlib.import_module("hyperscan")
    except ImportError:  # a bare machine: the slower engine gives the same answers
        return None
    try:
        return HyperscanEngine(hyperscan, patterns) if patterns else None
    except hyperscan.error:
        return None


def _loosened(pattern: str) -> str:
    """Let anchors hold beside colours and carriage returns as well, which are only taken off single lines."""
    loose: list[str] = []
    escaped = in_class = False
    for character in pattern:
        if escaped or character == "\\":
            escaped = not escaped
        elif in_class or character == "[":
            in_class = character != "]"
        elif character in "^$":
            loose.append("(?:^|m)" if character == "^" else r"(?:$|[\r\x1b])")
            continue
        loose.append(character)
    return "".join(loose)
