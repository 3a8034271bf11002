"""`ChoiceList`: lines to choose from, narrowed by a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.lines import Line, Piece, cut_line, plain
from inspector.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.filter_query import FilterQuery

__all__ = ["ChoiceList"]


class ChoiceList(LineList):
    """A list of given lines; `order` holds the numbers of those that the filter lets through."""

    lines: Sequence[Line] = ()
    order: Sequence[int] = ()

    def show_lines(self, lines: Sequence[Line], cursor: int = 0) -> None:
        """Show these lines."""
        self.lines = lines
        self.order = range(len(lines))
        self.rows_changed(cursor)

    def filter_by(self, wanted: FilterQuery) -> None:
        """Show only lines that match."""
        texts = [plain(parts).casefold() for parts in self.lines]
        self.order = [number for number, text in enumerate(texts) if wanted.matches(text)]
        self.rows_changed()

    def row_count(self) -> int:
        """Return how many lines there are."""
        return len(self.order)

    def format_row(self, row: int, *, cursor: bool) -> Line:
        """Return a line; the one under the cursor shows it by a sign as well."""
        parts = (Piece(self.glyphs.cursor if cursor else " ", "mark"), *self.safe(self.lines[self.order[row]]))
        return cut_line(parts, self.scrollable_content_region.width, ellipsis=self.glyphs.ellipsis)
