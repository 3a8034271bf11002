"""What a launcher's summary holds once it was read: blocks of entries.

Owns the shapes and the two fields that nothing else looks like. How the text is read is told in `summary_block`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from errors_core.readers.log_lines import Context

__all__ = ["STRONG", "Block", "Entry"]

STRONG = {
    "rank": re.compile(r"(?P<rank>\d{1,9}) ?\(local_rank: ?(?P<local_rank>\d{1,9})\)"),
    "exitcode": re.compile(r"(?P<exitcode>-?\d{1,10}) ?\(pid: ?(?P<pid>\d{1,9})\)"),
}
"""The values of the two fields that are recognised anywhere."""


@dataclass(slots=True)
class Entry:
    """One failed worker as the block lists it.

    `fields` are the raw values by name, `body` the lines below the last one, `indent` the blanks that a paste added.
    """

    line: int
    index: int | None = None
    root: bool = False
    indent: int = 0
    fields: dict[str, str] = field(default_factory=dict)
    body: list[str] = field(default_factory=list)
    body_line: int | None = None

    def number(self, name: Literal["rank", "local_rank", "exitcode", "pid"]) -> int | None:
        """Return one of the four numbers, `None` when the block was cut off before it."""
        home = "rank" if name in ("rank", "local_rank") else "exitcode"
        match = STRONG[home].match(self.fields.get(home, "").strip())
        return int(match[name]) if match is not None else None


@dataclass(slots=True)
class Block:
    """One summary: the program's name as it gives it, and its entries in the order of the text.

    `headless`: nothing announced it, it began with a field that looks like one of a summary.
    """

    line: int
    context: Context
    name: str | None = None
    entries: list[Entry] = field(default_factory=list)
    last_line: int = 0
    ended: bool = False
    headless: bool = False

    @property
    def tells(self) -> bool:
        """Whether it says how anybody ended, or was at least announced as a summary."""
        ends = any(entry.number("exitcode") is not None for entry in self.entries)
        return ends or (bool(self.entries) and not self.headless)

    @property
    def pids(self) -> set[int]:
        """The process ids that it lists."""
        return {pid for entry in self.entries if (pid := entry.number("pid")) is not None}
