"""`PanePanel`: the panes about one worker, one of them open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical

from inspector.presentation.panes import PANES
from inspector.widgets.bar import Bar
from inspector.widgets.pane_tabs import PaneTabs
from inspector.widgets.text_view import TextView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import ComposeResult

    from inspector.presentation.glyphs import Glyphs
    from inspector.presentation.lines import Line

__all__ = ["PanePanel"]

_ROOM_FOR_NAME = 8
_NAMES = [pane.name for pane in PANES]


class PanePanel(Vertical):
    """Tabs over a text."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.tabs = PaneTabs(glyphs)
        self.whose = Bar(glyphs, id="whose")
        self.titles = Horizontal(classes="panel-title")
        self.view = TextView(glyphs, id="pane-text")
        self.active = _NAMES[0]
        self._texts: Mapping[str, Sequence[Line]] = {}

    def compose(self) -> ComposeResult:
        """Put the tabs over the text."""
        with self.titles:
            yield self.tabs
            yield self.whose
        yield self.view

    def on_mount(self) -> None:
        """Show the tabs before there is a worker."""
        self.tabs.show_tabs(self.active)

    def on_resize(self) -> None:
        """Leave room for the worker's name."""
        self.tabs.shorten(self.size.width - _ROOM_FOR_NAME)

    def show_worker(
        self, worker: Callable[[int], Line], texts: Mapping[str, Sequence[Line]], *, keep_place: bool
    ) -> None:
        """Show another worker, or the same one told in another way: then the view keeps its place.

        `worker` gives its name for a width in cells.
        """
        self._texts = texts
        self.whose.show_for_width(lambda width: ((), worker(width)))
        self._show(keep_place=keep_place)

    def open_pane(self, name: str) -> None:
        """Open a pane."""
        if name != self.active:
            self.active = name
            self.tabs.show_tabs(name)
            self._show(keep_place=False)

    def open_next(self, step: int) -> None:
        """Open the next pane, or the one before."""
        self.open_pane(_NAMES[(_NAMES.index(self.active) + step) % len(_NAMES)])

    def on_pane_tabs_picked(self, message: PaneTabs.Picked) -> None:
        """Open what was clicked."""
        message.stop()
        self.open_pane(message.name)

    def _show(self, *, keep_place: bool) -> None:
        pane = PANES[_NAMES.index(self.active)]
        self.view.show_lines(
            self._texts.get(self.active, ()), at_end=pane.at_end and not keep_place, keep_place=keep_place
        )
