"""Keys in words, as the help names them."""

from __future__ import annotations

from typing import NamedTuple

from inspector.presentation.lines import Line, line

__all__ = ["KeyWords", "format_keys", "key_names"]

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
_COLUMN = 22


class KeyWords(NamedTuple):
    """Keys as Textual spells them (`down,j`), what they do, and the action to run (`None`: only where it has focus)."""

    keys: str
    does: str
    action: str | None = None


def key_names(keys: str) -> str:
    """Return `down,j` as `Down j`."""
    return " ".join(map(_name, keys.split(",")))


def _name(key: str) -> str:
    if key in _NAMES:
        return _NAMES[key]
    if key.startswith("ctrl+"):
        return f"Ctrl+{key[5:]}"
    return key if len(key) == 1 else key.capitalize()


def format_keys(words: KeyWords) -> Line:
    """Return one line of the help."""
    return line((f"  {key_names(words.keys):<{_COLUMN}}", "key"), words.does)
