"""Colours for terminals that have at least 256 of them; all others get Textual's ANSI themes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.theme import BUILTIN_THEMES, Theme

if TYPE_CHECKING:
    from inspector.terminal import Terminal

__all__ = ["OWN_DARK", "OWN_LIGHT", "THEMES", "theme_for"]

OWN_DARK = {"inspect-dim": "#8b939e", "inspect-cursor": "#2f4a6b"}
OWN_LIGHT = {"inspect-dim": "#5f666e", "inspect-cursor": "#c9ddf3"}

THEMES = (
    Theme(
        name="inspect-dark",
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
        variables=OWN_DARK,
    ),
    Theme(
        name="inspect-light",
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
        variables=OWN_LIGHT,
    ),
)


def theme_for(terminal: Terminal, *, chosen: str | None = None) -> str:
    """Return the theme that suits the terminal, or the one that a person has chosen if the terminal can show it."""
    shade = "light" if terminal.light else "dark"
    names = {theme.name for theme in THEMES} | set(BUILTIN_THEMES)
    if chosen in names and (not terminal.ansi or BUILTIN_THEMES.get(chosen, THEMES[0]).ansi):
        return chosen
    return f"ansi-{shade}" if terminal.ansi else f"inspect-{shade}"
