"""`LineList`: a list with a cursor that stays fast at any length, for it draws only what can be seen.

Owns cursor, scrolling and the drawn rows. A cursor move repaints two rows and never glides. It refuses to know what
a row says: a subclass formats row `n` when it comes into view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.widgets.lined import Lined

if TYPE_CHECKING:
    from textual import events

    from inspector.presentation.glyphs import Glyphs
    from inspector.presentation.lines import Line

__all__ = ["LineList"]

_MOST_STRIPS = 2000


class LineList(Lined, ScrollView, can_focus=True, inherit_bindings=False):
    """Rows with a cursor. Subclasses say how many rows there are and format one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "next row"),
        Binding("up,k", "move(-1)", "previous row"),
        Binding("g,home", "jump(0)", "first row"),
        Binding("G,end", "jump(-1)", "last row"),
        Binding("ctrl+d", "move_page(0.5)", "half a page down"),
        Binding("ctrl+u", "move_page(-0.5)", "half a page up"),
        Binding("pagedown,space", "move_page(1)", "page down"),
        Binding("pageup", "move_page(-1)", "page up"),
        Binding("enter", "choose", "open"),
    ]

    class Highlighted(Message):
        """The cursor moved to another row, or the rows under it changed."""

        def __init__(self, line_list: LineList, row: int) -> None:
            super().__init__()
            self.line_list = line_list
            self.row = row

        @property
        def control(self) -> LineList:
            """The list that sent it."""
            return self.line_list

    class Chosen(Highlighted):
        """Enter was pressed on a row."""

    cursor: var[int] = var(0)

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        self._strips: dict[int, Strip] = {}
        super().__init__(glyphs, id=id)

    def row_count(self) -> int:
        """Return how many rows there are."""
        raise NotImplementedError

    def format_row(self, row: int, *, cursor: bool) -> Line:
        """Return what row `row` says."""
        raise NotImplementedError

    def rows_changed(self, cursor: int = 0) -> None:
        """Draw everything again, with the cursor on that row; its row is announced even when its number stayed."""
        self._strips.clear()
        self.virtual_size = Size(0, self.row_count())
        moved = self.cursor != cursor
        self.cursor = cursor
        if not moved:
            self._announce()
        self._show_cursor()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one row of the screen."""
        row = y + self.scroll_offset.y
        strip = self._strips.get(row)
        if strip is None:
            if len(self._strips) > _MOST_STRIPS:
                self._strips.clear()
            strip = self._strips[row] = self._draw(row)
        return strip

    def _draw(self, row: int) -> Strip:
        width = self.scrollable_content_region.width
        if not 0 <= row < self.row_count():
            return Strip.blank(width, self.rich_style)
        here = row == self.cursor
        over = self.get_component_rich_style("line--cursor", partial=True) if here else None
        return self.to_strip(self.format_row(row, cursor=here), width, over=over)

    def watch_show_vertical_scrollbar(self) -> None:
        """Tell a scroll bar that has just come up where the view is."""
        self.vertical_scrollbar.position = self.scroll_y

    def notify_style_update(self) -> None:
        """Forget what was drawn in another style."""
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self) -> None:
        """Draw again for another width."""
        self._strips.clear()
        self.refresh()
        self.call_after_refresh(self._show_cursor)

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(cursor, self.row_count() - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Repaint the two rows that look different now."""
        if not self.is_mounted:
            return
        width = self.scrollable_content_region.width
        for row in (old, new):
            self._strips.pop(row, None)
            self.refresh(Region(0, row - self.scroll_offset.y, width, 1))
        self._show_cursor()
        self._announce()

    def _announce(self) -> None:
        if self.row_count():
            self.post_message(self.Highlighted(self, self.cursor))

    def _show_cursor(self) -> None:
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if not height:
            return  # not laid out yet
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, force=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True)

    @property
    def _page(self) -> int:
        return max(self.scrollable_content_region.height, 1)

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self.cursor += rows

    def action_jump(self, row: int) -> None:
        """Move the cursor to a row; -1 is the last."""
        self.cursor = row if row >= 0 else self.row_count() - 1

    def action_move_page(self, pages: float) -> None:
        """Move the cursor and the view by pages."""
        rows = int(self._page * pages)
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False, force=True)
        self.cursor += rows

    def action_choose(self) -> None:
        """Tell that this row is the one."""
        if self.row_count():
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to what was clicked."""
        self.cursor = event.y + self.scroll_offset.y
