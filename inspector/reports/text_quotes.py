"""What the failed workers said, in the text report: the root cause's traceback first, then all the others.

Owns the layout. A traceback keeps Python's own: its lines are made safe and never wrapped, so that it can be copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.safe_text import safe_lines
from inspector.reports.quotes import find_quotes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inspector.presentation.lines import Line
    from inspector.presentation.rank_table import RankTable
    from inspector.reports.page import Page
    from inspector.reports.quotes import DetailsReader

__all__ = ["quote_sections"]


def quote_sections(page: Page, table: RankTable, failed: Sequence[int], details: DetailsReader) -> Iterator[Line]:
    """Yield every traceback and message once."""
    for quote in find_quotes(table, failed, details):
        yield from page.heading(quote.title(table.attempt))
        if quote.path is not None:
            yield page.path(quote.path)
        yield ()
        yield from page.quote(safe_lines(quote.text, ascii_only=page.glyphs.ascii_only))
        for number, (sentence, different) in enumerate(quote.sharers(table.attempt)):
            if number == 0:
                yield ()
            yield from page.paragraph(sentence)
            yield from page.quote(different, indent="  ")
