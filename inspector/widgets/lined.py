"""`Lined`: what every widget here has in common: it draws `Line`s, and this is where text becomes cells.

Owns the last gate before the terminal: `to_strip` makes every piece safe, so a widget cannot forget it, and no
markup is ever read. It refuses to lay out: which lines there are is its subclass's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from inspector.presentation.lines import ROLES, Line, Role, safe_line

if TYPE_CHECKING:
    from inspector.presentation.glyphs import Glyphs

__all__ = ["Lined"]

_NO_STYLE = Style()


class Lined(Widget):
    """A widget that draws lines. The style of a role is the component class `line--<role>`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"line--{role}" for role in ROLES} | {"line--cursor"}

    def __init__(self, glyphs: Glyphs, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.glyphs = glyphs

    def safe(self, parts: Line) -> Line:
        """Return the line as it may be measured and shown."""
        return safe_line(parts, ascii_only=self.glyphs.ascii_only)

    def role_style(self, role: Role) -> Style:
        """Return what a role adds to the widget's own style."""
        return _NO_STYLE if role == "text" else self.get_component_rich_style(f"line--{role}", partial=True)

    def to_strip(self, parts: Line, width: int, *, over: Style | None = None, skip: int = 0) -> Strip:
        """Return the line in exactly `width` cells after the first `skip`; `over` replaces the styles of all roles."""
        base = self.rich_style if over is None else self.rich_style + over
        segments = [
            Segment(text, base if over is not None else base + self.role_style(role)) for text, role in self.safe(parts)
        ]
        return Strip(segments).simplify().crop_extend(skip, skip + width, base)
