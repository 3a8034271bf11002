"""Colours for terminals that have at least 256 of them; all others get Textual's ANSI themes."""

from __future__ import annotations

from textual.theme import Theme

__all__ = ["DARK", "LIGHT", "THEMES"]

DARK = "inspect-dark"
LIGHT = "inspect-light"

THEMES = (
    Theme(
        name=DARK,
        primary="#7aa2d6",
        secondary="#8fb6c9",
        accent="#c8a4e0",
        foreground="#d4d8de",
        background="#14171b",
        surface="#1b1f25",
        panel="#262c35",
        success="#8cc08c",
        warning="#e0b35c",
        error="#ef7d74",
        dark=True,
        variables={"inspect-dim": "#8b939e", "inspect-cursor": "#2f4a6b"},
    ),
    Theme(
        name=LIGHT,
        primary="#1f5fa8",
        secondary="#2b6d80",
        accent="#7b3fa0",
        foreground="#22262b",
        background="#fbfbf9",
        surface="#f1f1ed",
        panel="#e2e3df",
        success="#2d7a33",
        warning="#8f5b00",
        error="#b3261e",
        dark=False,
        variables={"inspect-dim": "#5f666e", "inspect-cursor": "#c9ddf3"},
    ),
)
