"""`PaneTabs`: which panes there are and which one is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from inspector.presentation.bars import format_tabs
from inspector.presentation.lines import plain
from inspector.presentation.panes import PANES
from inspector.presentation.safe_text import cell_width
from inspector.widgets.bar import Bar

if TYPE_CHECKING:
    from textual import events
    from textual.geometry import Size

__all__ = ["PaneTabs"]


class PaneTabs(Bar):
    """One row of tabs, as wide as they are; a click opens one."""

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    active: str = PANES[0].name
    short: bool = False

    def show_tabs(self, active: str) -> None:
        """Show which pane is open."""
        self.active = active
        self.show(format_tabs(active, short=self.short))

    def shorten(self, room: int) -> None:
        """Use short titles where long ones do not fit."""
        short = cell_width(plain(format_tabs(self.active))) > room
        if short != self.short:
            self.short = short
            self.show_tabs(self.active)
            self.refresh(layout=True)

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002 - Textual's signature
        """Take as much room as the titles need."""
        return cell_width(plain(format_tabs(self.active, short=self.short)))

    def on_click(self, event: events.Click) -> None:
        """Find the tab below the pointer: each starts with a blank and its number."""
        tabs = plain(format_tabs(self.active, short=self.short))
        starts = [tabs.index(f" {number} ") for number in range(1, len(PANES) + 1)]
        self.post_message(self.Picked(PANES[sum(start <= event.x for start in starts) - 1].name))
