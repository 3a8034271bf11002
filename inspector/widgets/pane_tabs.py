"""`PaneTabs`: which panes there are, which one is open, and whose it is."""

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

    from inspector.presentation.lines import Line

__all__ = ["PaneTabs"]


class PaneTabs(Bar):
    """One row of tabs; a click opens one."""

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    active: str = PANES[0].name
    _worker: Line = ()

    def show_tabs(self, active: str, worker: Line = ()) -> None:
        """Show which pane is open, and for which worker."""
        self.active, self._worker = active, worker
        self.show_for_width(self._fitting)

    def _fitting(self, width: int) -> tuple[Line, Line]:
        """Shorten the worker's name before the titles."""
        for short in (False, True):
            tabs = format_tabs(self.active, short=short)
            for worker in (self._worker, self._worker[:1]):
                if cell_width(plain(tabs)) + cell_width(plain(self.safe(worker))) < width:
                    return tabs, worker
        return format_tabs(self.active, short=True), ()

    def on_click(self, event: events.Click) -> None:
        """Find the tab below the pointer: each starts with a blank and its number."""
        tabs = plain(self._fitting(self.size.width)[0])
        starts = [tabs.index(f" {number} ") for number in range(1, len(PANES) + 1)]
        if event.x < len(tabs):
            self.post_message(self.Picked(PANES[sum(start <= event.x for start in starts) - 1].name))
