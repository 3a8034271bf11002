"""The boxes that rich draws around tracebacks, turned into the lines that Python itself prints.

Owns the format of rich.traceback (10 to 14): `path:12 in name` and `❱ 12 │   code`. It refuses to keep what rich
adds (neighbouring lines of code, locals).
"""

from __future__ import annotations

import re

__all__ = ["is_rich_header", "plain_lines"]

_HEADER = re.compile(r"^\s*[╭┌+]?[─━-]*\s*Traceback \(most recent call last\)\s*[─━-]*[╮┐+]?\s*$")
_BORDER = re.compile(r"^\s*(?:[│┃] ?|[╭╰┌└][─━].*$)|\s*[│┃]\s*$")
_FRAME = re.compile(r"^(?P<path>(?:[A-Za-z]:)?[^:\s][^:]*\.\w+|<[^>]+>):(?P<line>\d{1,12}) in (?P<function>.+?)\s*$")
_CODE = re.compile(r"^\s*[❱>] *\d+ (?P<source>.*)$")
_GUIDES = re.compile(r"^(?:[│┃|]\s*)+")
_HINT = re.compile(r"^\s*(?:\d+ |\d+$|[│┃╭╰─]|\.\.\. +\d+ frames? hidden)")


def is_rich_header(line: str) -> bool:
    """Tell whether a line is the top of a box around a traceback; the box itself may have been taken off."""
    return _HEADER.match(line) is not None


def plain_lines(line: str) -> list[str] | None:
    """Return what a line inside a box says as Python would print it; `None` for a line that is not of the box."""
    body = _BORDER.sub("", line)
    frame = _FRAME.match(body.strip())
    if frame is not None:
        return [f'  File "{frame["path"]}", line {frame["line"]}, in {frame["function"]}']
    code = _CODE.match(body)
    if code is not None:
        source = _GUIDES.sub("", code["source"].strip()).strip()
        return [f"    {source}"] if source else []
    return [] if not body.strip() or body != line or _HINT.match(body) else None
