"""`RankPanel`: the list of ranks under its column titles and what they leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Vertical

from inspector.presentation.bars import format_list_state
from inspector.presentation.rank_columns import format_header
from inspector.presentation.rank_table import SORT_KEYS
from inspector.widgets.bar import Bar
from inspector.widgets.rank_list import RankList

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from inspector.presentation.glyphs import Glyphs

__all__ = ["RankPanel"]


class RankPanel(Vertical):
    """Column titles over the list."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.titles = Bar(glyphs, classes="panel-title")
        self.ranks = RankList(glyphs, id="rank-list")

    def compose(self) -> ComposeResult:
        """Put the titles over the list."""
        yield self.titles
        yield self.ranks

    def on_rank_list_arranged(self) -> None:
        """Show the columns' titles and what has no room."""
        ranks = self.ranks
        titles = format_header(ranks.plan, ranks.sort_key, ranks.glyphs, reverse=ranks.reverse)
        state = format_list_state(ranks.row_count(), len(ranks.table), ranks.wanted, ranks.plan.hidden)
        self.titles.show(titles, state)

    def sort_next(self) -> None:
        """Sort by the next column."""
        number = SORT_KEYS.index(self.ranks.sort_key) + 1
        self.ranks.sort_by(SORT_KEYS[number % len(SORT_KEYS)], reverse=False)

    def turn(self) -> None:
        """Turn the order around."""
        self.ranks.sort_by(self.ranks.sort_key, reverse=not self.ranks.reverse)

    @property
    def order_words(self) -> str:
        """How the rows are sorted, in words."""
        return f"sorted by {self.ranks.sort_key}{', reversed' if self.ranks.reverse else ''}"
