"""`ChoiceScreen`: a whole screen of lines, one of which can be chosen: the help, and the list of attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from inspector.presentation.lines import Line, line
from inspector.presentation.words import of_all
from inspector.widgets.bar import Bar
from inspector.widgets.choice_list import ChoiceList
from inspector.widgets.filter_prompt import FilterPrompt
from inspector.widgets.key_hints import KeyHints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from inspector.presentation.glyphs import Glyphs

__all__ = ["ChoiceScreen"]

T = TypeVar("T")

_HINTS = (("enter", "choose"), ("/", "filter"), ("esc", "back"))


class ChoiceScreen(Screen[T], Generic[T]):
    """Dismissed with the value of the chosen line, or with `None`. A line whose value is `None` is a heading."""

    AUTO_FOCUS = "ChoiceList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "back"),
        Binding("slash", "filter", "filter"),
    ]

    def __init__(self, glyphs: Glyphs, title: str, lines: Sequence[tuple[Line, T | None]], cursor: int = 0) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.heading = title
        self.lines = lines
        self.cursor = cursor

    def compose(self) -> ComposeResult:
        """Lay out title, list and hints."""
        yield Bar(self.glyphs, id="header")
        yield ChoiceList(self.glyphs)
        yield KeyHints(self.glyphs, id="hints")
        yield FilterPrompt(self.glyphs, id="filter")

    def on_mount(self) -> None:
        """Show the lines."""
        self.query_one("#header", Bar).show(line(("elastic-inspect", "title"), "  ", self.heading))
        self.query_one(KeyHints).show_hints(_HINTS)
        self._list.show_lines([parts for parts, _ in self.lines], self.cursor)

    @property
    def _list(self) -> ChoiceList:
        return self.query_one(ChoiceList)

    def on_line_list_chosen(self, message: ChoiceList.Chosen) -> None:
        """Close with what was chosen."""
        value = self.lines[self._list.order[message.row]][1]
        if value is not None:
            self.dismiss(value)

    def on_filter_prompt_changed(self, message: FilterPrompt.Changed) -> None:
        """Narrow the list."""
        self._list.filter_by(message.query)
        self._show_filter_state()

    def on_filter_prompt_closed(self) -> None:
        """Give the last row back to the hints."""
        self.remove_class("-filtering")

    def action_filter(self) -> None:
        """Type a filter."""
        self.add_class("-filtering")
        self._show_filter_state()
        self.query_one(FilterPrompt).open()

    def _show_filter_state(self) -> None:
        self.query_one(FilterPrompt).show_state(of_all(self._list.row_count(), len(self.lines)))
