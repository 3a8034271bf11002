"""Scroll bars without glyphs: blanks and a block of reversed blanks, the same on every terminal."""

from __future__ import annotations

from textual.scrollbar import ScrollBar, ScrollBarRender

__all__ = ["use_plain_scroll_bars"]


class _PlainScrollBar(ScrollBarRender):
    VERTICAL_BARS = [" "]  # noqa: RUF012 - Textual declares the class variable
    HORIZONTAL_BARS = [" "]  # noqa: RUF012 - Textual declares the class variable


def use_plain_scroll_bars() -> None:
    """Draw every scroll bar of the program without partial blocks."""
    ScrollBar.renderer = _PlainScrollBar
