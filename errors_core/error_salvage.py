"""What a truncated JSON document still tells: the part that was written before the process died.

Owns the completion of the text, and takes care that a value that was cut is never taken for a whole one.
"""

from __future__ import annotations

import re

__all__ = ["completions"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*("?)|[\[\]{}]', re.DOTALL)
_CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_CUT_NUMBER_OR_WORD = re.compile(r"[\w.+-]+\Z")
_CUT_MARK = "…"


def completions(text: str) -> list[str]:
    """Return the ways to complete a truncated JSON text, the likeliest first; the right one is the one that parses.

    A string that was cut ends with `…`, so that no cut number in it is taken for a whole one; a bare number or word
    at the end becomes null.
    """
    closing, string_is_open = _closing_brackets(text)
    if string_is_open:
        text = _CUT_ESCAPE.sub(r"\1", text) + _CUT_MARK
        return [text + '"' + closing, text + '":null' + closing]
    shortened = _CUT_NUMBER_OR_WORD.sub("", text)
    ends = [shortened + "null", text.rstrip(" \t\r\n,"), text + ":null"]
    return [end + closing for end in ends]


def _closing_brackets(text: str) -> tuple[str, bool]:
    """Return the brackets that are missing at the end, and whether the text ends inside a string."""
    open_brackets: list[str] = []
    string_is_open = False
    for token in _TOKEN.finditer(text):
        if token[0].startswith('"'):
            string_is_open = not token[1]
        elif token[0] in "{[":
            open_brackets.append("}" if token[0] == "{" else "]")
        elif open_brackets:
            open_brackets.pop()
    return "".join(reversed(open_brackets)), string_is_open
