"""A small and tolerant reader of the block that an agent prints: what any log reader would get out of it."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Block", "Entry", "parse_block"]

_FIELD = re.compile(r"  (time|host|role|rank|exitcode|error_file|traceback)\s*: ?(.*)")


class Entry(NamedTuple):
    """One failure of the block; `fields` without trailing blanks, the traceback with its further lines."""

    number: int
    is_root: bool
    fields: dict[str, str]


class Block(NamedTuple):
    """Title, rules and failures."""

    title: str
    has_no_others: bool
    entries: list[Entry]


def parse_block(text: str) -> Block:
    """Return what the block says."""
    entries: list[Entry] = []
    field, is_root, title = "", False, ""
    for line in text.splitlines():
        if line.endswith(" FAILED"):
            title = line.removesuffix(" FAILED")
        elif line.startswith("Root Cause (first observed failure):"):
            is_root = True
        elif match := re.fullmatch(r"\[(\d+)\]:", line):
            entries.append(Entry(int(match[1]), is_root, {}))
        elif entries and (match := _FIELD.match(line)):
            field = match[1]
            entries[-1].fields[field] = " ".join(match[2].split()) if field != "traceback" else match[2].rstrip()
        elif entries and line.startswith("  ") and line.strip():
            entries[-1].fields[field] += "\n" + line.rstrip()
    return Block(title, "  <NO_OTHER_FAILURES>" in text.splitlines(), entries)
