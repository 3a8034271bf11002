"""Tracebacks among the lines of a log: where one begins, what belongs to it, where it ends.

Owns the judgement that a log forces: foreign lines in between, messages of many lines whose end nothing marks. It
refuses to strip prefixes (the lines have none) and to understand what it cuts out (that is `parse`).
"""

from __future__ import annotations

import json
import re
from collections import deque
from typing import TYPE_CHECKING

from errors_core.tracebacks import lines as grammar
from errors_core.tracebacks.collapsed import unfold
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

    took_last: bool
    """Whether the line that came last belongs to a traceback."""

    def __init__(self) -> None:
        self.took_last = False
        self._open: OpenSpan | None = None
        self._leading: str | None = None
        self._in_stack = False
        self._before: deque[tuple[int, str]] = deque(maxlen=2)

    def feed(self, number: int, text: str, logger: str | None = None) -> list[TracebackSpan]:
        """Take one line and return the tracebacks that it completes; `logger` names who wrote it, if a prefix did."""
        taken = self._open.take(number, text, logger) if self._open is not None else Taken.NO
        self.took_last = taken is Taken.YES
        if self.took_last:
            return []
        spans = self.close() if taken is Taken.NO else []
        begun = self._begin(number, text, logger)
        if isinstance(begun, TracebackSpan):
            spans.append(begun)
        elif begun is not None:
            spans += self.close()
            self._open = begun
        else:
            self._note(text.strip(), indented=text.startswith(" "))
        self.took_last = begun is not None
        self._before.append((number, text))
        return spans

    def close(self) -> list[TracebackSpan]:
        """Return the traceback that is open, as far as it goes."""
        span = self._open.finish() if self._open is not None else None
        self._open = None
        return [] if span is None else [span]

    def _note(self, bare: str, *, indented: bool) -> None:
        """Remember what a line of no traceback says about the next one."""
        if bare:
            self._leading = bare if _LEADING.match(bare) else None
            self._in_stack = bool(_STACK.match(bare)) or (self._in_stack and indented)

    def _begin(self, number: int, text: str, logger: str | None) -> OpenSpan | TracebackSpan | None:
        header = grammar.find_header(text)
        if header is None:
            if self._in_stack or self._open is not None or grammar.parse_frame(text) is None:
                return None
            return OpenSpan(number, text, None, logger)
        escaped = _ESCAPED.match(text, header.start())
        if escaped is not None:
            return TracebackSpan(number, number, _unescaped(escaped[0]))
        unfolded = unfold(text)
        if unfolded is not None:
            return TracebackSpan(number, number, "\n".join(unfolded), ended=grammar.is_final(unfolded[-1]))
        leading, self._leading = self._leading, None
        if is_rich_header(text):
            return OpenSpan(number, "Traceback (most recent call last):", leading, logger, boxed=True)
        start = header.start() if text[: header.start()].strip() else 0
        number, quoted = self._quoted_from(number)
        return OpenSpan(number, f"{quoted}{text[start:]}", leading, logger)

    def _quoted_from(self, number: int) -> tuple[int, str]:
        """Return the line of a `RemoteTraceback` in front of the traceback that it quotes, and its number."""
        if len(self._before) == 2 and self._before[1][1].strip() == '"""' and grammar.is_final(self._before[0][1]):
            return self._before[0][0], "".join(f"{text}\n" for _, text in self._before)
        return number, ""


def _unescaped(text: str) -> str:
    """Return a traceback that stands in one line of JSON or of a `repr`."""
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text.replace("\\n", "\n").replace('\\"', '"')
