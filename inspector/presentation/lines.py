"""`Line`: text in pieces that say what they are (`error`, `library`, `label`), not what colour they have.

Owns the words for the parts of a line and how lines are measured, cut and wrapped. It refuses to know colours:
a widget turns roles into styles, a report takes `plain`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from inspector.presentation.safe_text import cell_width, cut, safe_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["ROLES", "Line", "Piece", "Role", "cut_line", "line", "plain", "safe_line", "wrap_line"]

Role = Literal[
    "text",  # nothing special
    "strong",
    "dim",
    "error",
    "warning",
    "good",
    "label",  # the name before a value
    "title",
    "key",  # a key to press
    "own",  # a frame of the job's own code
    "library",  # a frame of the standard library or of an installed package
    "code",  # a line of source below its frame
    "active",  # the one of several that is chosen
    "mark",  # points at something: a prompt, an arrow
]
ROLES: tuple[Role, ...] = get_args(Role)

_LEAST_ROOM = 10


class Piece(NamedTuple):
    """A part of a line and what it is."""

    text: str
    role: Role = "text"


Line = tuple[Piece, ...]


def line(*parts: str | tuple[str, Role]) -> Line:
    """Build a line from strings (plain text) and pairs of text and role."""
    return tuple(Piece(part) if isinstance(part, str) else Piece(*part) for part in parts)


def plain(parts: Line) -> str:
    """Return the line's text alone."""
    return "".join(piece.text for piece in parts)


def safe_line(parts: Line, *, ascii_only: bool = False) -> Line:
    """Return the line with every piece safe to show, on one row."""
    return tuple(Piece(safe_text(piece.text, ascii_only=ascii_only), piece.role) for piece in parts)


def cut_line(parts: Line, width: int, *, ellipsis: str = "…") -> Line:
    """Return a safe line in at most `width` cells; `ellipsis` at the end says that more was there."""
    if cell_width(plain(parts)) <= width:
        return parts
    kept: list[Piece] = []
    for text, role in parts:
        room = width - cell_width(plain(tuple(kept)))
        if cell_width(text) >= room:
            longer = text + " " * (room + 1 - cell_width(text))
            kept.append(Piece(cut(longer, room, ellipsis=ellipsis), role))
            break
        kept.append(Piece(text, role))
    return tuple(kept)


def wrap_line(parts: Line, width: int, *, indent: str | None = None) -> Iterator[Line]:
    """Yield a safe line as rows of at most `width` cells: broken at a blank where one is near, else anywhere.

    Rows after the first start with `indent`; by default with the line's own indent and two blanks more.
    """
    text = plain(parts)
    if cell_width(text) <= width:
        yield parts
        return
    if indent is None:
        indent = " " * (len(text) - len(text.lstrip(" ")) + 2)
    if width - len(indent) < _LEAST_ROOM:
        indent = ""
    start, lead = 0, ""
    for end in _breaks(text, width, len(indent)):
        row = _slice(parts, start, end)
        yield (Piece(lead), *row) if lead else row
        start, lead = end, indent
        while start < len(text) and text[start] == " ":
            start += 1


def _breaks(text: str, width: int, indent: int) -> Iterator[int]:
    """Yield where each row ends: before a word that fits into the next row, else in the middle of a longer one."""
    start, room, next_room = 0, max(width, 1), max(width - indent, 1)
    while start < len(text):
        end = start + len(_fitting(text[start : start + room], room))
        if end < len(text) and text[end] != " ":
            blank = text.rfind(" ", start + 1, end)
            word = text[blank + 1 :].partition(" ")[0] if blank > start else ""
            if word and (cell_width(word) <= next_room or blank > start + room // 2):
                end = max(len(text[:blank].rstrip(" ")), start + 1)
        yield end
        start, room = end, next_room
        while start < len(text) and text[start] == " ":
            start += 1


def _fitting(text: str, room: int) -> str:
    """Return the longest start of `text` that fits, at least one character."""
    if cell_width(text) <= room:
        return text
    return cut(text, room, ellipsis="") or text[:1]


def _slice(parts: Sequence[Piece], start: int, end: int) -> Line:
    """Return what stands between two offsets of the whole text."""
    kept: list[Piece] = []
    offset = 0
    for text, role in parts:
        part = text[max(start - offset, 0) : max(end - offset, 0)]
        if part:
            kept.append(Piece(part, role))
        offset += len(text)
    return tuple(kept)
