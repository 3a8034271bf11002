"""Keys and marks in words, as the help names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.lines import Line, line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.presentation.glyphs import Glyphs

__all__ = ["format_key", "format_marks", "key_names"]

_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "escape": "Esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "shift+tab": "Shift+Tab",
}
_MARKS = {
    "root": "root cause",
    "origin": "origin, candidate: failed for a reason of its own",
    "echo": "echo: only reports a lost or late peer",
    "ended_by_launcher": "ended: stopped by the launcher after another worker had failed",
    "silent": "silent: left no message at all",
    "ok": "ok: ended well",
}
_COLUMN = 12


def key_names(keys: str) -> str:
    """Return keys as Textual spells them, `down,j`, as `Down j`."""
    return " ".join(map(_name, keys.split(",")))


def _name(key: str) -> str:
    if key in _NAMES:
        return _NAMES[key]
    if key.startswith("ctrl+"):
        return f"Ctrl+{key[5:]}"
    return key if len(key) == 1 else key.capitalize()


def format_key(keys: str, does: str) -> Line:
    """Return one line of the help."""
    return line((f"  {key_names(keys):<{_COLUMN}}", "key"), does)


def format_marks(glyphs: Glyphs) -> Iterator[Line]:
    """Yield what the marks in front of the ranks mean."""
    for state, words in _MARKS.items():
        yield line((f"  {glyphs.marks[state]:<{_COLUMN}}", "key"), words)
