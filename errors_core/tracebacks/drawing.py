"""The drawing of an exception group: which lines belong to which member.

Owns the rulers and margins of CPython 3.11 and later and of the `exceptiongroup` backport. One closing ruler may
close several groups (when the last member is a group itself), so the columns decide; where the indentation was lost,
the numbers of the members do. It refuses to read the members.
"""

from __future__ import annotations

from itertools import pairwise

from errors_core.tracebacks import lines as grammar

__all__ = ["indent_drawings", "read_drawing", "without_margin"]

_DEEPEST = 20  # groups inside groups; Python itself stops drawing at 10


def without_margin(line: str) -> str:
    """Take the `| ` in front of a member's line off."""
    margin = grammar.MARGIN.match(line)
    return (margin["content"] or "") if margin is not None else line


def read_drawing(lines: list[str], index: int) -> tuple[list[list[str]], int]:
    """Read the members of a group from the ruler that opens them; return their lines and where the text goes on.

    The lines of a member have no margin, those of groups inside it keep their drawing.
    """
    column = grammar.indentation(lines[index]) + 2
    members: list[list[str]] = [[]]
    index += 1
    while index < len(lines):
        line = lines[index]
        at = grammar.indentation(line)
        if not line.strip():
            index += 1
            continue
        if not grammar.is_drawing(line) and (grammar.joiner(line) or grammar.find_header(line)):
            break
        if grammar.is_drawing(line):
            if at < column:
                break
            if at == column and grammar.CLOSER.match(line):
                return members, index + 1
            _add(members, line, nested=at > column)
        index += 1
    return members, index


def _add(members: list[list[str]], line: str, *, nested: bool) -> None:
    if nested or grammar.OPENER.match(line):
        members[-1].append(line)
    elif grammar.SEPARATOR.match(line):
        members.append([])
    else:
        members[-1].append(without_margin(line))


def indent_drawings(lines: list[str]) -> list[str]:
    """Give the drawings of a text whose indentation was lost their columns back."""
    lost = any(
        grammar.is_drawing(below) and grammar.indentation(below) <= grammar.indentation(line)
        for line, below in pairwise(lines)
        if grammar.OPENER.match(line)
    )
    return _indented(lines) if lost else lines


def _indented(lines: list[str]) -> list[str]:
    columns: list[str] = []
    counts: list[int] = []  # of the groups that are open, how many members have begun
    for line in lines:
        separator = grammar.SEPARATOR.match(line)
        bare = line.lstrip()
        if grammar.joiner(line) is not None and not bare.startswith("|"):
            counts.clear()
        if separator is not None and separator["number"].isdecimal():
            while len(counts) > 1 and counts[-1] + 1 != int(separator["number"]):
                counts.pop()
            counts[-1:] = [int(separator["number"])]
        columns.append("  " * len(counts) + (bare if counts or grammar.is_drawing(line) else line))
        if grammar.OPENER.match(line) and len(counts) < _DEEPEST:
            counts.append(1)
        elif counts and grammar.CLOSER.match(line):
            counts.pop()
    return columns
