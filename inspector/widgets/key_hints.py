"""`KeyHints`: the last row: six keys, or for some seconds what just happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.bars import format_hints
from inspector.presentation.lines import line
from inspector.widgets.bar import Bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

__all__ = ["KeyHints"]

_SECONDS = 8.0


class KeyHints(Bar):
    """Hints that make room for a message."""

    _hints: Sequence[tuple[str, str]] = ()
    _timer: Timer | None = None

    def show_hints(self, hints: Sequence[tuple[str, str]]) -> None:
        """Show these keys, unless a message still stands there."""
        self._hints = hints
        if self._timer is None:
            self.show(format_hints(hints))

    def say(self, text: str) -> None:
        """Show a message; the hints come back by themselves."""
        self.show(line((text, "strong")))
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_SECONDS, self._over)

    def _over(self) -> None:
        self._timer = None
        self.show(format_hints(self._hints))
