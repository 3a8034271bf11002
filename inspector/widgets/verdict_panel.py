"""`VerdictPanel`: the answer in two to four lines, or how far reading has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip

from inspector.presentation.bars import format_progress
from inspector.presentation.lines import Line, line
from inspector.presentation.verdict_text import format_verdict
from inspector.widgets.lined import Lined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.geometry import Size

    from errors_core.verdict import Verdict

__all__ = ["VerdictPanel"]

_PROGRESS_WIDTH = 30


class VerdictPanel(Lined):
    """Asks for as many lines as it has to say and the screen can spare."""

    _verdict: Verdict | None = None
    _rows: Sequence[Line] = ()

    def show_verdict(self, verdict: Verdict) -> None:
        """Show the answer."""
        self._verdict = verdict
        self.refresh(layout=True)

    def show_rows(self, *rows: Line) -> None:
        """Show these lines instead of a verdict."""
        self._verdict, grows = None, len(rows) != len(self._rows)
        self._rows = rows
        self.refresh(layout=grows)

    def show_progress(self, inputs: Sequence[str], done: int, total: int | None, phase: str) -> None:
        """Show how much has been read."""
        what = line(("READING", "title"), f"  {', '.join(inputs)}")
        self.show_rows(what, format_progress(done, total, phase, _PROGRESS_WIDTH, self.glyphs))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - Textual's signature
        """Return how many lines there are to show."""
        return max(len(self._lines(width)), 1)

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        width = self.size.width
        lines = self._lines(width)
        return self.to_strip(lines[y], width) if y < len(lines) else Strip.blank(width, self.rich_style)

    def _lines(self, width: int) -> Sequence[Line]:
        if self._verdict is None:
            return self._rows
        return format_verdict(self._verdict, width, self._most_lines, self.glyphs)

    @property
    def _most_lines(self) -> int:
        height = self.screen.size.height
        return 3 if height < 24 else 4 if height < 40 else 6
