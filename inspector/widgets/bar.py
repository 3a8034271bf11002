"""`Bar`: one line with two ends; where both do not fit, the left one is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip

from inspector.presentation.lines import Line, Piece, cut_line, plain
from inspector.presentation.safe_text import cell_width
from inspector.widgets.lined import Lined

__all__ = ["Bar"]

if TYPE_CHECKING:
    from collections.abc import Callable


class Bar(Lined):
    """One row. What it shows may depend on its width, so it is given as a function of it."""

    _ends: Callable[[int], tuple[Line, Line]] = staticmethod(lambda _width: ((), ()))

    def show(self, left: Line = (), right: Line = ()) -> None:
        """Show these two ends."""
        self.show_for_width(lambda _width: (left, right))

    def show_for_width(self, ends: Callable[[int], tuple[Line, Line]]) -> None:
        """Show what the function returns for a width in cells."""
        self._ends = ends
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        left, right = map(self.safe, self._ends(width))
        right = cut_line(right, width, ellipsis=self.glyphs.ellipsis)
        taken = cell_width(plain(right))
        gap = 1 if taken else 0
        left = cut_line(left, max(width - taken - gap, 0), ellipsis=self.glyphs.ellipsis)
        blanks = " " * max(width - taken - cell_width(plain(left)), 0)
        return self.to_strip((*left, Piece(blanks), *right), width)
