"""`TextView`: a long text, drawn line by line, so that its length costs nothing.

Owns wrapping, scrolling and the drawn rows; new text repaints only the rows that differ. It refuses to change what
it shows: the plain text of all lines can be taken, without wraps and borders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.reactive import var
from textual.scroll_view import ScrollView

from inspector.presentation.lines import Line, plain, wrap_line
from inspector.presentation.safe_text import cell_width
from inspector.widgets.lined import Lined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.strip import Strip

    from inspector.presentation.glyphs import Glyphs

__all__ = ["TextView"]


class TextView(Lined, ScrollView, can_focus=True, inherit_bindings=False):
    """Lines that can be scrolled, wrapped or moved sideways."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "line down"),
        Binding("up,k", "move(-1)", "line up"),
        Binding("g,home", "jump(False)", "start"),
        Binding("G,end", "jump(True)", "end"),
        Binding("ctrl+d", "move_page(0.5)", "half a page down"),
        Binding("ctrl+u", "move_page(-0.5)", "half a page up"),
        Binding("pagedown,space", "move_page(1)", "page down"),
        Binding("pageup", "move_page(-1)", "page up"),
        Binding("right,l", "sideways(8)", "to the right, when not wrapped"),
        Binding("left,h", "sideways(-8)", "to the left, when not wrapped"),
    ]

    wrapped: var[bool] = var(True)

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        self._lines: Sequence[Line] = ()
        self._rows: list[Line] = []
        self._strips: dict[int, Strip] = {}
        super().__init__(glyphs, id=id)

    def show_lines(self, lines: Sequence[Line], *, at_end: bool = False, keep_place: bool = False) -> None:
        """Show another text from its start, its end, or at the place where the view is."""
        self._lines = lines
        top = self.scroll_offset.y if keep_place else 0
        self._lay_out(top, at_end=at_end)

    @property
    def text(self) -> str:
        """All lines as plain text that is safe to show, without wraps."""
        return "\n".join(plain(self.safe(parts)) for parts in self._lines) + "\n"

    def _lay_out(self, top: int, *, at_end: bool = False) -> None:
        height = self.scrollable_content_region.height
        before = [self.render_line(y) for y in range(height)]
        width = self.scrollable_content_region.width
        safe = map(self.safe, self._lines)
        self._rows = [row for parts in safe for row in wrap_line(parts, width)] if self.wrapped else list(safe)
        longest = 0 if self.wrapped else max((cell_width(plain(row)) for row in self._rows), default=0)
        self._strips.clear()
        self.virtual_size = Size(longest, len(self._rows))
        self.scroll_to(0, len(self._rows) if at_end else top, animate=False, force=True)
        for y, strip in enumerate(before):
            if self.render_line(y) != strip:
                self.refresh(Region(0, y, width, 1))

    def render_line(self, y: int) -> Strip:
        """Draw one row of the screen."""
        row, skip = y + self.scroll_offset.y, self.scroll_offset.x
        strip = self._strips.get(row)
        if strip is None:
            parts = self._rows[row] if 0 <= row < len(self._rows) else ()
            strip = self.to_strip(parts, self.scrollable_content_region.width, skip=skip)
            self._strips[row] = strip
        return strip

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Forget what was drawn at another place."""
        self._strips.clear()
        super().watch_scroll_x(old_value, new_value)

    def watch_wrapped(self) -> None:
        """Lay the text out again."""
        if self.is_mounted:
            self._lay_out(0)

    def on_resize(self) -> None:
        """Lay the text out for another width."""
        self._lay_out(self.scroll_offset.y)
        self.refresh()

    def watch_show_vertical_scrollbar(self) -> None:
        """Tell a scroll bar that has just come up where the view is."""
        self.vertical_scrollbar.position = self.scroll_y

    def notify_style_update(self) -> None:
        """Forget what was drawn in another style."""
        super().notify_style_update()
        self._strips.clear()

    def action_move(self, rows: int) -> None:
        """Scroll by rows."""
        self.scroll_to(y=self.scroll_offset.y + rows, animate=False, force=True)

    def action_jump(self, end: bool) -> None:
        """Scroll to the start or the end."""
        self.scroll_to(y=len(self._rows) if end else 0, animate=False, force=True)

    def action_move_page(self, pages: float) -> None:
        """Scroll by pages."""
        self.action_move(int(max(self.scrollable_content_region.height, 1) * pages))

    def action_sideways(self, cells: int) -> None:
        """Move the view to the side."""
        self.scroll_to(x=self.scroll_offset.x + cells, animate=False, force=True)
