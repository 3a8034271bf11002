"""`Page`: how wide the text report is and which signs it may use; its paragraphs, lists and headings.

Owns the layout of plain lines. It refuses to know what is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.glyphs import UNICODE, Glyphs
from inspector.presentation.lines import Line, Role, line
from inspector.presentation.safe_text import cell_width, pad, safe_text, wrap
from inspector.presentation.words import place_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.verdict import Evidence
    from inspector.presentation.answer import Fact

__all__ = ["Page"]


@dataclass(frozen=True, slots=True)
class Page:
    """Every line fits `width` cells, except where the job's own text or a path is quoted whole."""

    width: int = 80
    glyphs: Glyphs = UNICODE

    def safe(self, text: str) -> str:
        """Return the job's text as one line that the page may show."""
        return safe_text(text, ascii_only=self.glyphs.ascii_only)

    def heading(self, title: str) -> Iterator[Line]:
        """Yield an empty line and a title."""
        yield ()
        yield line((self.safe(title), "title"))

    def paragraph(
        self, text: str, role: Role = "text", *, indent: str = "", first: str | None = None
    ) -> Iterator[Line]:
        """Yield text wrapped between words."""
        for row in wrap(self.safe(text), self.width, indent=indent, first=first):
            yield line((row, role))

    def points(self, points: Sequence[Evidence], *, numbered: bool = False) -> Iterator[Line]:
        """Yield sentences as a list; the place that one points at follows it on one line."""
        for number, point in enumerate(points, 1):
            mark = f"  {number}. " if numbered else "  - "
            indent = " " * len(mark)
            rows = list(wrap(self.safe(point.text), self.width, indent=indent, first=mark))
            place = self._place(point, len(indent))
            if place and cell_width(rows[-1]) + cell_width(place) + 1 <= self.width:
                yield from (line(row) for row in rows[:-1])
                yield line(rows[-1], (f" {place}", "dim"))
            else:
                yield from (line(row) for row in rows)
                if place:
                    yield line((f"{indent}{place}", "dim"))

    def _place(self, point: Evidence, indent: int) -> str:
        """Return the place, with as many directories as fit into a line; the list of files has them all."""
        if point.path is None:
            return ""
        whole = self.safe(place_words(point.path, point.line))
        shown, below = whole, whole
        while indent + cell_width(shown) + 2 > self.width and "/" in below:
            below = below.split("/", 1)[1]
            shown = f"{self.glyphs.ellipsis}/{below}"
        return f"[{shown}]"

    def facts(self, facts: Sequence[Fact]) -> Iterator[Line]:
        """Yield labels and values in two columns."""
        label_width = max((cell_width(label) for label, *_ in facts), default=0) + 2
        indent = " " * label_width
        for label, value, _ in facts:
            first, *more = wrap(self.safe(value), self.width, indent=indent)
            yield line((pad(label, label_width), "label"), first[label_width:])
            yield from (line(row) for row in more)

    def path(self, path: str, *, indent: str = "  ") -> Line:
        """Return a path whole, also where it is longer than the page: people copy it."""
        return line(indent, self.safe(path))

    def quote(self, text_lines: Sequence[str], *, indent: str = "", role: Role = "text") -> Iterator[Line]:
        """Yield lines of the job's own text as they are: made safe, never wrapped."""
        for row in text_lines:
            yield line((indent + self.safe(row), role))
