"""Traceback text → `Traceback`: chains, groups, frames, messages of many lines.

Owns the shape of a whole printout. It refuses to search among foreign lines (that is `spans`) and to look inside
messages (that is `unwrap`). Every text gives a value; a traceback that was cut short gives a block without a type.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from errors_core.tracebacks import lines as grammar
from errors_core.tracebacks.collapsed import unfold
from errors_core.tracebacks.drawing import indent_drawings, read_drawing, without_margin
from errors_core.tracebacks.frames import read_frames
from errors_core.tracebacks.model import ExceptionBlock, Traceback
from errors_core.tracebacks.rich_box import is_rich_header, plain_lines

if TYPE_CHECKING:
    from errors_core.tracebacks.model import Joined

__all__ = ["parse_final", "parse_traceback"]

_FEW_LINES = 4  # a text with more has kept its line ends
_DEEPEST = 12  # groups inside groups; Python itself stops drawing at 10
_PROCESS_ENTRY = re.compile(
    r"[\\/]torch[\\/](?:utils[\\/]data[\\/]_utils[\\/]\w+|multiprocessing[\\/]spawn|nn[\\/]parallel[\\/]parallel_apply)"
    r"\.py\", line \d+, in _"
)


def parse_traceback(text: str) -> Traceback | None:
    """Return the traceback that a text holds, or `None` when it holds none.

    What stands in front of it is passed over; what follows the last exception's line belongs to its message.
    """
    if 'File "' not in text and "Traceback (most" not in text:
        return None
    lines = _without_box(grammar.split_lines(text))
    if "+-+-" in text:
        lines = indent_drawings(lines)
    if len(lines) <= _FEW_LINES:
        lines = [part for line in lines for part in unfold(line) or [line]]
    start = _first_line(lines)
    return None if start is None else _parse_chain(lines[start:], 0)


def _without_box(lines: list[str]) -> list[str]:
    """Replace a box of rich by plain lines."""
    top = next((i for i, line in enumerate(lines) if is_rich_header(line)), None)
    if top is None:
        return lines
    plain = [*lines[:top], "Traceback (most recent call last):"]
    inside = True
    for line in lines[top + 1 :]:
        found = plain_lines(line) if inside else None
        plain += [line] if found is None else found
        inside = inside and not (found is None and grammar.is_surely_final(line))
    return plain


def _first_line(lines: list[str]) -> int | None:
    for index, line in enumerate(lines):
        if grammar.find_header(line):
            quoted = index >= 2 and lines[index - 1].strip() == '"""' and grammar.is_final(lines[index - 2])
            return index - 2 if quoted else index
        if grammar.parse_frame(line) is not None:
            return index
    return None


class _Piece(NamedTuple):
    """The lines of one exception, the members drawn below it, and how it leads to the next one."""

    lines: list[str]
    members: list[list[str]]
    joined: Joined | None


def _parse_chain(lines: list[str], depth: int) -> Traceback | None:
    pieces = _split_chain(lines)
    blocks = [block for piece in pieces if (block := _parse_block(piece, depth)) is not None]
    return Traceback(tuple(blocks)) if blocks else None


def _split_chain(lines: list[str]) -> list[_Piece]:
    """Cut a printout at the sentences that join two exceptions, and take the drawings of groups out."""
    pieces: list[_Piece] = []
    current: list[str] = []
    members: list[list[str]] = []
    index = 0
    in_group = False
    while index < len(lines):
        line = lines[index]
        index += 1
        joined = grammar.joiner(line)
        if joined is not None and not _inside_quotation(current, lines[index:]):
            pieces.append(_Piece(current, members, joined))
            current, members, in_group = [], [], False
        elif grammar.OPENER.match(line):
            drawn, index = read_drawing(lines, index - 1)
            members += drawn
        else:
            header = grammar.find_header(line)
            in_group = bool(header and header["mark"]) or in_group
            current.append(without_margin(line) if in_group and header is None else line)
    pieces.append(_Piece(current, members, None))
    return pieces


def _inside_quotation(current: list[str], following: list[str]) -> bool:
    """Tell whether a joining sentence belongs to a traceback that a message quotes, and not to the printout itself.

    Quotes of multiprocessing stand between triple quotes. Those of torch (`Original Traceback`, `-- Process 1
    terminated…`) end with the exception whose frames begin where the other process does.
    """
    if sum(line.strip() == '"""' for line in current) % 2:
        return True
    start = next((i for i in range(len(current) - 1, -1, -1) if _quotes(current, i)), None)
    if start is None or _begins_at_entry(current[start:]):
        return False
    headers = (i for i, line in enumerate(following) if grammar.find_header(line))
    return any(_begins_at_entry(following[i:]) for i in headers)


def _quotes(lines: list[str], index: int) -> bool:
    header = grammar.find_header(lines[index])
    if header is None or index == 0:
        return False
    return header["kind"] == "Original " or lines[index - 1].lstrip().startswith("-- Process ")


def _begins_at_entry(lines: list[str]) -> bool:
    first = next((line for line in lines if grammar.parse_frame(line) is not None), "")
    return _PROCESS_ENTRY.search(first) is not None


def _parse_block(piece: _Piece, depth: int) -> ExceptionBlock | None:
    lines = piece.lines
    start = _header_index(lines)
    frames, repeats, index = read_frames(lines, start)
    final, message = parse_final(lines[index:])
    members = [_parse_chain(member, depth + 1) for member in piece.members] if depth < _DEEPEST else []
    if final is None and not frames and not any(members):
        return None
    return ExceptionBlock(
        type=final,
        message=message,
        frames=frames,
        joined=piece.joined,
        members=tuple(member for member in members if member is not None),
        repeats=repeats,
    )


def _header_index(lines: list[str]) -> int:
    """Return where the frames begin, or where the exception's line stands when it was printed without frames."""
    for index, line in enumerate(lines):
        if grammar.find_header(line):
            return index + 1
        if grammar.parse_frame(line) is not None or grammar.is_final(line):
            return index
    return 0


def parse_final(lines: list[str]) -> tuple[str | None, str]:
    """Return type and message from the lines that name an exception; `None` and nothing when they do not."""
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    match = grammar.FINAL.match(lines[first]) if first is not None and grammar.is_final(lines[first]) else None
    if first is None or match is None or (match["type"] == "NoneType" and match["message"] == "None"):
        return None, ""
    indent = grammar.indentation(lines[first])
    message = [match["message"] or ""]
    for line in lines[first + 1 :]:
        if grammar.is_cpp_tail(line):
            break
        message.append(line[indent:] if not line[:indent].strip() else line)
    return match["type"], "\n".join(message).rstrip()
