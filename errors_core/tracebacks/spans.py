"""Tracebacks among the lines of a log: where one begins, what belongs to it, where it ends.

Owns the judgement that a log forces: foreign lines in between, messages of many lines whose end nothing marks. It
refuses to strip prefixes (the lines have none) and to understand what it cuts out (that is `parse`).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from errors_core.tracebacks import lines as grammar
from errors_core.tracebacks.model import TracebackSpan
from errors_core.tracebacks.open_span import OpenSpan, Taken
from errors_core.tracebacks.rich_box import is_rich_header

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["TracebackFinder", "find_tracebacks"]

_LEADING = re.compile(r"Exception (?:in thread |ignored )|--- Logging error ---|Process [\w.:-]+:\s*$")
_STACK = re.compile(r"(?:Stack \(most recent call (?:last|first)\)|Detected at .*|.*from user code):\s*$")
_ESCAPED = re.compile(r"Traceback \(most recent call last\):(?:\\n(?:[^\"\\]|\\.)*)")


def find_tracebacks(lines: Iterable[tuple[int, str]]) -> Iterator[TracebackSpan]:
    """Yield the tracebacks in lines (number, text without prefixes), in their order."""
    finder = TracebackFinder()
    for number, text in lines:
        yield from finder.feed(number, text)
    yield from finder.close()


class TracebackFinder:
    """Finds tracebacks line by line, so that the lines of several workers can be told apart by one finder each."""

    def __init__(self) -> None:
        self._open: OpenSpan | None = None
        self._leading: str | None = None
        self._in_stack = False

    @property
    def busy(self) -> bool:
        """Whether a traceback has begun and may go on with the next line."""
        return self._open is not None

    def feed(self, number: int, text: str, logger: str | None = None) -> Iterator[TracebackSpan]:
        """Take one line and yield the tracebacks that it completes; `logger` names who wrote it, if a prefix did."""
        if self._open is not None:
            taken = self._open.take(number, text, logger)
            if taken is Taken.YES:
                return
            if taken is Taken.NO:
                yield from self.close()
        begun = self._begin(number, text, logger)
        if isinstance(begun, TracebackSpan):
            yield begun
        elif begun is not None:
            yield from self.close()
            self._open = begun
        bare = text.strip()
        if bare and begun is None:
            self._leading = bare if _LEADING.match(bare) else None
            self._in_stack = bool(_STACK.match(bare)) or (self._in_stack and text.startswith(" "))

    def close(self) -> Iterator[TracebackSpan]:
        """Yield the traceback that is open, as far as it goes."""
        if self._open is not None:
            span = self._open.finish()
            self._open = None
            if span is not None:
                yield span

    def _begin(self, number: int, text: str, logger: str | None) -> OpenSpan | TracebackSpan | None:
        header = grammar.HEADER.search(text)
        if header is None:
            if self._in_stack or self._open is not None or grammar.parse_frame(text) is None:
                return None
            return OpenSpan(number, text, None, logger)
        escaped = _ESCAPED.match(text, header.start())
        if escaped is not None:
            return TracebackSpan(number, number, _unescaped(escaped[0]))
        leading, self._leading = self._leading, None
        if is_rich_header(text):
            return OpenSpan(number, "Traceback (most recent call last):", leading, logger, boxed=True)
        start = header.start() if text[: header.start()].strip() else 0
        return OpenSpan(number, text[start:], leading, logger)


def _unescaped(text: str) -> str:
    """Return a traceback that stands in one line of JSON or of a `repr`."""
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text.replace("\\n", "\n").replace('\\"', '"')
