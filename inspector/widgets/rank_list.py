"""`RankList`: the workers of an attempt, one a row, in the chosen order and filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from errors_core.job import Attempt
from inspector.presentation.filter_query import FilterQuery
from inspector.presentation.rank_columns import ColumnPlan, format_row, plan_columns
from inspector.presentation.rank_table import RankTable
from inspector.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.geometry import Size

    from inspector.presentation.lines import Line
    from inspector.presentation.rank_table import SortKey

__all__ = ["RankList"]


class RankList(LineList):
    """Sorts and filters indices; the table itself never changes."""

    class Arranged(Message):
        """Order, filter, rows or columns changed."""

    table: RankTable = RankTable(Attempt())
    order: Sequence[int] = ()
    sort_key: SortKey = "cause"
    reverse: bool = False
    wanted: FilterQuery = FilterQuery()
    plan: ColumnPlan = ColumnPlan(())

    def row_count(self) -> int:
        """Return how many rows the filter lets through."""
        return len(self.order)

    def format_row(self, row: int, *, cursor: bool) -> Line:
        """Return one worker's row."""
        return format_row(self.table, self.order[row], self.plan, self.glyphs, cursor=cursor)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's signature
        """Ask for a row for every worker, so that filtering does not move everything below."""
        return max(len(self.table), 1)

    @property
    def selected(self) -> int | None:
        """The index of the worker under the cursor."""
        return self.order[self.cursor] if self.row_count() else None

    def show_table(self, table: RankTable, select: int | None) -> None:
        """Show another table with the cursor on a worker, if the filter lets it through."""
        self.table = table
        self._arrange(select)
        self.refresh(layout=True)

    def sort_by(self, key: SortKey, *, reverse: bool) -> None:
        """Put the rows in another order; the cursor stays on its worker."""
        self.sort_key, self.reverse = key, reverse
        self._arrange(self.selected)

    def filter_by(self, query: FilterQuery) -> None:
        """Show only matching rows; the cursor stays on its worker while that is shown."""
        if query != self.wanted:
            self.wanted = query
            self._arrange(self.selected)

    def select(self, index: int) -> bool:
        """Move the cursor to a worker; return whether the filter shows it."""
        if index not in self.order:
            return False
        self.cursor = self.order.index(index)
        return True

    def _arrange(self, select: int | None) -> None:
        self.order = self.table.rows(self.sort_key, self.wanted, reverse=self.reverse)
        self._plan()
        self.rows_changed(self.order.index(select) if select is not None and select in self.order else 0)
        self.post_message(self.Arranged())

    def _plan(self) -> None:
        self.plan = plan_columns(self.table, self.scrollable_content_region.width)

    def on_resize(self) -> None:
        """Fit the columns into the new width."""
        self._plan()
        self.post_message(self.Arranged())
