"""`FilterPrompt`: the row where a filter is typed; it acts while it is typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from inspector.presentation.filter_query import FilterQuery, parse_filter
from inspector.presentation.lines import Piece, line
from inspector.presentation.safe_text import safe_text
from inspector.widgets.bar import Bar

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.widget import Widget

    from inspector.presentation.glyphs import Glyphs

__all__ = ["FilterPrompt"]


class _SafeInput(Input):
    """An input whose pasted text is as safe as any other."""

    def validate_value(self, value: str) -> str:
        return safe_text(value)


class FilterPrompt(Horizontal):
    """A slash, an input, and how much the filter lets through."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "keep", "keep the filter", priority=True),
        Binding("escape", "clear", "clear the filter", priority=True),
    ]

    class Changed(Message):
        """Another filter was typed."""

        def __init__(self, query: FilterQuery) -> None:
            super().__init__()
            self.query = query

    class Closed(Message):
        """The filter is kept or was cleared."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.glyphs = glyphs
        self._before: Widget | None = None
        self._dropping = False

    def compose(self) -> ComposeResult:
        """Lay out the row."""
        slash = Bar(self.glyphs, id="filter-slash")
        slash.show(line(("/", "key")))
        yield slash
        yield _SafeInput(compact=True, select_on_focus=False)
        yield Bar(self.glyphs, id="filter-state")

    def on_mount(self) -> None:
        """Let nothing move by itself."""
        self._input.cursor_blink = False

    @property
    def _input(self) -> Input:
        return self.query_one(Input)

    def open(self) -> None:
        """Start typing where the last filter ended."""
        self._before = self.screen.focused
        self._dropping = False
        self.screen.set_focus(self._input)
        self._input.cursor_position = len(self._input.value)

    def show_state(self, text: str) -> None:
        """Show how much the filter lets through."""
        hints = (Piece("  enter", "key"), Piece(" keep"), Piece("  esc", "key"), Piece(" clear"))
        self.query_one("#filter-state", Bar).show(right=(Piece(text, "strong"), *hints))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter at once."""
        event.stop()
        if self._dropping and event.value:
            self._input.value = ""
        else:
            self.post_message(self.Changed(parse_filter(event.value)))

    def action_keep(self) -> None:
        """Go back with the filter on."""
        self._close()

    def action_clear(self) -> None:
        """Go back without a filter."""
        self.clear()
        self._close()

    def clear(self) -> None:
        """Forget the filter, and what was typed before and has not come through yet."""
        self._dropping = True
        self._input.value = ""

    def _close(self) -> None:
        self.screen.set_focus(self._before)
        self.post_message(self.Closed())
