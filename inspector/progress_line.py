"""How far a long load is, as one line on a terminal's stderr that disappears again.

Owns when it is worth a line: never before a second has passed, never for a pipe. It needs no escape sequence.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

    from errors_core.load import Progress

__all__ = ["ProgressLine"]

_PATIENCE = 1.0
_PAUSE = 0.2


class ProgressLine:
    """To be called with every `Progress`; `clear` removes the line. `clock` gives seconds."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._next = clock() + _PATIENCE
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        """Show how far it is, now and then."""
        now = self._clock()
        if now < self._next or self._stream is None or not self._stream.isatty():
            return
        self._next = now + _PAUSE
        total = "" if progress.total is None else f" of {progress.total:,}"
        self._write(f"{progress.phase}: {progress.done:,}{total} files")

    def clear(self) -> None:
        """Leave nothing behind."""
        if self._width:
            self._write("")
            self._write("")

    def _write(self, text: str) -> None:
        self._stream.write(f"\r{text.ljust(self._width)}")
        self._stream.flush()
        self._width = len(text)
