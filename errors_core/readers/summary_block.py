"""The block in which torch's launcher sums up who failed: `Root Cause (first observed failure):` and its elder form.

Owns the grammar of both: torch 1.9 (ruled by `*`, root first, no host, `msg:`) and 1.10 to now (root last, host,
`traceback :`). It reads blocks that are cut off, wrapped, indented, robbed of their indentation or mixed with other
output. It refuses to say which launcher or attempt a block belongs to (that is `launches`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from errors_core.readers.summary_entries import STRONG, Block, Entry

if TYPE_CHECKING:
    from errors_core.readers.log_lines import LogLine

__all__ = ["SUMMARY_LINES", "SummaryReader"]

SUMMARY_LINES: dict[str, str] = {
    "section": r"Root Cause(?: \(first observed failure\))?:|Failures:",
    "rank": r"rank *: *\d{1,9} ?\(local_rank: ?\d{1,9}\)",
    "exitcode": r"exitcode *: *-?\d{1,10} ?\(pid: ?\d{1,9}\)",
}
"""What shows that a block is near, for the scanner of big logs."""

_MAX_BODY = 2000  # lines of one traceback
_RULE = re.compile(r"\s*(?P<char>[=*-])(?P=char){19,}\s*$")
_TITLE = re.compile(r"\s*(?P<name>\S.*?) FAILED\s*$")
_SECTION = re.compile(r"\s*(?P<name>Root Cause(?P<new> \(first observed failure\))?|Failures|Other Failures):\s*$")
_INDEX = re.compile(r"\s*\[(?P<index>\d{1,9})\]:\s*$")
_FIELD = re.compile(r"\s*(?P<name>time|host|rank|exitcode|error_file|traceback|msg)(?P<pad> *):(?: (?P<value>.*))?$")
_WHOLE = re.compile(r"\s*(?:\d+ ?\(local_rank: ?\d+\)|-?\d+ ?\(pid: ?\d+\) *(?:\(SIG\w+\))?)\s*")
_BODIES = ("traceback", "msg")


class SummaryReader:
    """Fed with one output's lines in order, it gathers the blocks among them."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._block: Block | None = None
        self._entry: Entry | None = None
        self._section: str | None = None
        self._field: str | None = None
        self._indent = 0
        self._old = False
        self._rule_before = False
        self._pending: list[tuple[int, str, str]] = []

    @property
    def in_body(self) -> bool:
        """Whether the last line was part of a worker's traceback."""
        return self._field in _BODIES

    def feed(self, line: LogLine) -> bool:
        """Take the next line; true when it belongs to a block."""
        return self._continue(line) if self._block is not None else self._open(line)

    # --- outside of a block

    def _open(self, line: LogLine) -> bool:
        text = line.text
        rule = _RULE.match(text)
        if rule is not None:
            self._rule_before, self._old = rule["char"] in "=*", rule["char"] == "*"
            return rule["char"] != "-"
        title = _TITLE.match(text) if self._rule_before else None
        if title is not None or _SECTION.match(text):
            self._start(line, title["name"] if title is not None else None)
            return title is not None or self._continue(line)
        if text.strip():
            self._rule_before = False
        return self._open_within(line)

    def _open_within(self, line: LogLine) -> bool:
        """Begin at a field when the lines above it are lost: only the two fields that nothing else looks like."""
        found = _FIELD.match(line.text)
        if found is None:
            self._pending.clear()
            return False
        name, value = found["name"], found["value"] or ""
        if name not in STRONG or not _WHOLE.fullmatch(value):
            self._pending = [*self._pending[-2:], (line.number, name, value)]
            return False
        pending, self._pending = self._pending, []
        self._start(line, None, headless=True)
        self._new_entry(pending[0][0] if pending else line.number, None)
        for _, earlier, held in pending:
            self._set_field(earlier, held)
        return self._continue(line)

    def _start(self, line: LogLine, name: str | None, *, headless: bool = False) -> None:
        self._block = Block(line.number, line.context, name, last_line=line.number, headless=headless)
        self.blocks.append(self._block)
        self._entry = self._section = self._field = None
        self._indent = 0
        self._pending.clear()

    # --- inside a block

    def _continue(self, line: LogLine) -> bool:
        assert self._block is not None  # noqa: S101 - only called inside a block
        text = line.text
        indent = len(text) - len(text.lstrip())
        taken = (
            self._take_rule(line, indent)
            or self._take_section(line, indent)
            or self._take_index(line, indent)
            or self._take_field(line)
            or self._take_rest(line, indent)
        )
        if taken:
            block = self._block or self.blocks[-1]
            block.last_line = line.number
        return taken

    def _take_rule(self, line: LogLine, indent: int) -> bool:
        rule = _RULE.match(line.text)
        if rule is None or (self.in_body and indent > self._indent):
            return False
        self._field = None
        self._entry = None
        ends = rule["char"] == "*" if self._old else rule["char"] == "="
        if ends and self._block is not None and self._block.entries:
            self._close()
        self._rule_before = rule["char"] in "=*"
        return True

    def _take_section(self, line: LogLine, indent: int) -> bool:
        section = _SECTION.match(line.text)
        if section is None or (self.in_body and indent > self._indent):
            return False
        if section["name"] == "Root Cause":
            self._old = True
        elif section["new"]:
            self._old = False
        self._section = "root" if section["name"].startswith("Root") else "others"
        self._indent = indent
        self._entry = self._field = None
        return True

    def _take_index(self, line: LogLine, indent: int) -> bool:
        index = _INDEX.match(line.text)
        if index is None or (self.in_body and indent > self._indent):
            return False
        self._indent = indent
        self._new_entry(line.number, int(index["index"]))
        return True

    def _take_field(self, line: LogLine) -> bool:
        found = _FIELD.match(line.text)
        if found is None:
            return False
        name, value = found["name"], found["value"] or ""
        strong = name in STRONG and STRONG[name].match(value) is not None
        known = self._entry is not None and name in self._entry.fields
        if self.in_body and not (strong and known):
            return False
        if self._entry is None or known:
            self._new_entry(line.number, None)
        self._set_field(name, value)
        if name in _BODIES and self._entry is not None:
            self._entry.body_line = line.number
        return True

    def _take_rest(self, line: LogLine, indent: int) -> bool:
        text = line.text
        if not text.strip():
            if self.in_body and self._entry is not None:
                self._entry.body.append("")
            return True
        if self._block is not None and not self._block.entries:
            title = _TITLE.match(text)
            if title is not None and self._block.name is None:
                self._block.name = title["name"]
                return True
            return text.strip() == "<NO_OTHER_FAILURES>"
        if text.strip() == "<NO_OTHER_FAILURES>":
            return True
        return self._take_body(line, indent) if self.in_body else self._take_continuation(text)

    def _take_body(self, line: LogLine, indent: int) -> bool:
        """Take a line of the traceback; one without indentation only when the paste lost all of it."""
        entry = self._entry
        if entry is None or line.marks.source is not None or line.of_worker:
            return False
        collapsed = line.number == entry.body_line
        if not collapsed and indent <= self._indent and any(kept[:1].isspace() for kept in entry.body):
            return False
        if len(entry.body) < _MAX_BODY:
            entry.body.append(line.text)
        return True

    def _take_continuation(self, text: str) -> bool:
        """Put a value that was broken in two together again."""
        if self._entry is None or self._field is None:
            return False
        value = self._entry.fields[self._field]
        whole = STRONG.get(self._field)
        broken = whole.match(value) is None if whole is not None else self._field == "error_file" and "." not in value
        if not broken or (self._field == "error_file" and value == "<N/A>"):
            return False
        self._entry.fields[self._field] = value + text.strip()
        return True

    def _new_entry(self, line: int, index: int | None) -> None:
        if self._block is None:
            return
        self._entry = Entry(line, index, root=self._section == "root", indent=self._indent)
        self._field = None
        self._block.entries.append(self._entry)

    def _set_field(self, name: str, value: str) -> None:
        if self._entry is not None:
            self._entry.fields[name] = value
            self._field = name

    def _close(self) -> None:
        block = self._block
        if block is not None:
            block.ended = True
            if self._section is None and not self._old and block.entries:
                block.entries[-1].root = True  # its heading is lost, but the root cause stands last
        self._block = self._entry = self._field = None
