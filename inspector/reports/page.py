"""`Page`: how wide the text report is and which signs it may use; its paragraphs, lists and headings.

Owns the layout of plain lines. It refuses to know what is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.glyphs import UNICODE, Glyphs
from inspector.presentation.lines import Line, Role, line, wrap_line
from inspector.presentation.safe_text import cell_width, cut_left, pad, safe_text, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.verdict import Evidence
    from inspector.presentation.answer import Fact

__all__ = ["Page"]


@dataclass(frozen=True, slots=True)
class Page:
    """Every line fits `width` cells, except where the job's own text is quoted line by line."""

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
        """Yield sentences as a list; the place that one points at follows it, whole and on one line."""
        for number, point in enumerate(points, 1):
            mark = f"  {number}. " if numbered else "  - "
            indent = " " * len(mark)
            rows = list(wrap(self.safe(point.text), self.width, indent=indent, first=mark))
            place = self._place(point)
            if place and cell_width(rows[-1]) + cell_width(place) + 1 <= self.width:
                yield from (line(row) for row in rows[:-1])
                yield line(rows[-1], (f" {place}", "dim"))
            else:
                yield from (line(row) for row in rows)
                if place:
                    yield line((f"{indent}{place}", "dim"))

    def _place(self, point: Evidence) -> str:
        if point.path is None:
            return ""
        return self.safe(f"[{point.path}]" if point.line is None else f"[{point.path}:{point.line}]")

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

    def short_path(self, path: str, width: int) -> str:
        """Return the end of a path in at most `width` cells."""
        return cut_left(self.safe(path), width, ellipsis=self.glyphs.ellipsis)

    def quote(self, text_lines: Sequence[str], *, indent: str = "", role: Role = "text") -> Iterator[Line]:
        """Yield lines of the job's own text as they are: made safe, never wrapped."""
        for row in text_lines:
            yield line((indent + self.safe(row), role))

    def rows(self, parts: Line, *, indent: str | None = None) -> Iterator[Line]:
        """Yield one line of several roles wrapped to the page."""
        return wrap_line(parts, self.width, indent=indent)
