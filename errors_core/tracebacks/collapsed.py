"""A traceback whose line ends were lost in copying: all of it in one line.

Owns cutting it up again at the words that Python prints. It refuses to do so with anything that has no header and no
frame in the same line.
"""

from __future__ import annotations

import re

from errors_core.tracebacks.lines import find_header, is_surely_final

__all__ = ["unfold"]

_FRAME = re.compile(
    r'File "?(?P<path>[^",]+?)"?, line (?P<line>\d{1,12}), in (?P<function><\w+>|[\w.]+) ?(?P<source>.*)', re.DOTALL
)
_NEXT_FRAME = re.compile(r'\s+(?=File "?[^",\s]+"?, line \d)')
_NEXT_WORD = re.compile(r"(?:^|\s)(?=[^\W\d][\w.]*(?::\s|:?$))")


def unfold(line: str) -> list[str] | None:
    """Return the lines that Python printed, or `None` when the line is no traceback of its own."""
    header = find_header(line)
    if header is None or "File " not in line[header.end() :]:
        return None
    found = [_FRAME.match(piece) for piece in _NEXT_FRAME.split(line[header.end() :].lstrip())]
    frames = [match for match in found if match is not None]
    if not frames:
        return None
    lines = ["Traceback (most recent call last):"]
    for match in frames[:-1]:
        lines += _frame(match, match["source"])
    source, final = _split_final(frames[-1]["source"])
    return [*lines, *_frame(frames[-1], source), *([final] if final else [])]


def _frame(match: re.Match[str], source: str) -> list[str]:
    named = f'  File "{match["path"]}", line {match["line"]}, in {match["function"]}'
    return [named, f"    {source.strip()}"] if source.strip() else [named]


def _split_final(text: str) -> tuple[str, str]:
    """Cut the last frame's code from the exception behind it."""
    for match in _NEXT_WORD.finditer(text):
        if is_surely_final(text[match.end() :]):
            return text[: match.start()], text[match.end() :]
    return text, ""
