"""A traceback as Python prints it, its own frames marked, runs of library frames folded into one line.

Nothing is reordered, redrawn or read from disk, and folding hides nothing without a count and a way back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.own_code import is_own_code, relative_path
from inspector.presentation.lines import Line, Piece, Role
from inspector.presentation.words import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["format_traceback"]

# `| ` and `+-` draw exception groups; faulthandler leaves the comma before `in` out.
_FRAME = re.compile(r'(?P<lead>[\s|]*)File "(?P<path>.*?)", line (?P<line>\d+)(?:,? in (?P<function>.*))?')
_REPEATED = re.compile(r"[\s|]*\[Previous line repeated \d+ more times?\]")
_HEADER = re.compile(r"[\s|+-]*.*(?:Traceback|[Tt]hread 0x).*\(most recent call (last|first)\)")
_CHAIN = ("The above exception was the direct cause", "During handling of the above exception")
_GROUP_RULE = re.compile(r"[\s|]*\+[-+]+(?: \d+ -+)?")
_CARETS = re.compile(r"[\s|]*[\^~][\^~ ]*")
_MOST_NAMES = 3


@dataclass(slots=True)
class _Part:
    """Lines that belong together: one frame with its source, or one other line (`path` is `None`)."""

    lines: list[str]
    path: str | None = None
    own: bool = False
    lead: int = 0
    raised: bool = False  # the frame where the exception was raised: never folded


def format_traceback(text: Sequence[str], *, folded: bool = True) -> list[Line]:
    """Return the lines of a traceback; `folded` puts library frames in a row into one line."""
    shown: list[Line] = []
    run: list[_Part] = []
    for part in _parts(text):
        if folded and part.path is not None and not part.own and not part.raised:
            run.append(part)
            continue
        shown += _folded(run)
        run = []
        shown += _part_lines(part)
    return shown + _folded(run)


def _parts(text: Sequence[str]) -> list[_Part]:
    parts: list[_Part] = []
    first_is_raised = False
    for row in text:
        header, frame, last = _HEADER.match(row), _FRAME.match(row), parts[-1] if parts else None
        if frame:
            part = _Part([row], frame["path"], is_own_code(frame["path"]), len(frame["lead"]))
            part.raised = first_is_raised and (last is None or last.path is None)
            parts.append(part)
        elif last is not None and last.path is not None and _belongs(row, last):
            last.lines.append(row)
        else:
            _mark_raised(last, first=first_is_raised)
            first_is_raised = header[1] == "first" if header else first_is_raised
            parts.append(_Part([row]))
    _mark_raised(parts[-1] if parts else None, first=first_is_raised)
    return parts


def _belongs(row: str, frame: _Part) -> bool:
    """Tell whether a line is the frame's source, its carets or the count of its repeats."""
    indent = len(row) - len(row.lstrip(" |"))
    return (indent > frame.lead and bool(row.strip(" |"))) or _REPEATED.match(row) is not None


def _mark_raised(part: _Part | None, *, first: bool) -> None:
    if part is not None and part.path is not None and not first:
        part.raised = True


def _folded(run: Sequence[_Part]) -> list[Line]:
    if not run:
        return []
    names = list(dict.fromkeys(_package(part.path or "") for part in run))
    more = ", …" if len(names) > _MOST_NAMES else ""
    words = f"[{count(len(run), 'library frame')}: {', '.join(names[:_MOST_NAMES])}{more}]"
    return [(Piece(" " * run[0].lead), Piece(words, "library"))]


def _package(path: str) -> str:
    """Return the name of the library that a file belongs to."""
    return relative_path(path).strip("/").partition("/")[0].removesuffix(".py") or path


def _part_lines(part: _Part) -> Iterator[Line]:
    if part.path is None:
        for row in part.lines:
            yield (Piece(row, _other_role(row)),)
        return
    yield _frame_line(part.lines[0], own=part.own)
    code: Role = "code" if part.own else "library"
    for row in part.lines[1:]:
        yield (Piece(row, "mark" if part.own and _CARETS.fullmatch(row) else code),)


def _frame_line(row: str, *, own: bool) -> Line:
    match = _FRAME.match(row)
    if match is None or not own:
        return (Piece(row, "library"),)
    start, end = match.span("path")
    if match["function"] is None:
        return (Piece(row[:start], "own"), Piece(row[start:end], "strong"), Piece(row[end:], "own"))
    name = match.start("function")
    return (
        Piece(row[:start], "own"),
        Piece(row[start:end], "strong"),
        Piece(row[end:name], "own"),
        Piece(row[name:], "strong"),
    )


def _other_role(row: str) -> Role:
    if row.lstrip(" |").startswith(_CHAIN):
        return "label"
    if _HEADER.match(row) or _GROUP_RULE.fullmatch(row):
        return "dim"
    return "error" if row.strip() else "text"
