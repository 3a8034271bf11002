"""`Launch`: all that one launcher said from its start to its end, and the attempts that it went through.

Owns the reasoning about order inside one launcher: closing lines come before `failed (exitcode`, a summary comes last,
a restart may show only as a further `failed` line. Which lines are one launcher's is told in `launches`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.readers.launcher_lines import Finding
    from errors_core.readers.log_lines import Context
    from errors_core.readers.summary_entries import Block

__all__ = ["ENDS_ATTEMPT", "Launch", "RunPlace", "parse_run_place"]

ENDS_ATTEMPT = frozenset({"failed", "restart"})
"""Kinds of lines at which an attempt may end."""

_RUN_PLACE = re.compile(
    r"(?:(?P<run_id>[^/\s]*)_(?P<random>[a-z0-9_]{8})/)?attempt_(?P<attempt>\d{1,9})/(?P<local_rank>\d{1,9})/[^/\s]+$"
)
_BEFORE_FAILED = frozenset({"closing", "forced", "death", "reply_file", "rendezvous_result"})


@dataclass(frozen=True, slots=True)
class RunPlace:
    """What the path of an error file says: `<run id>_<random>/attempt_<n>/<local rank>/error.json`."""

    run_id: str | None
    attempt: int
    local_rank: int


def parse_run_place(path: str | None) -> RunPlace | None:
    """Read the path of an error file in torchrun's log directory; `None` for any other path."""
    match = _RUN_PLACE.search(path or "")
    if match is None:
        return None
    return RunPlace(match["run_id"] or None, int(match["attempt"]), int(match["local_rank"]))


@dataclass(slots=True)
class Launch:
    """One launcher (agent) from its start to its end, with all that it said.

    `first_attempt` is the number of the first attempt that the log shows. `ends` are the lines at which an attempt
    ended; `restarted` tells whether another one follows the last of them.
    """

    context: Context
    writer: int | None = None
    findings: list[Finding] = field(default_factory=list)
    block: Block | None = None
    ends: list[int] = field(default_factory=list)
    restarted: bool = False
    first_attempt: int = 0
    run_id: str | None = None
    name: str = ""

    @property
    def first_line(self) -> int:
        """Where it speaks first."""
        lines = [finding.line.number for finding in self.findings]
        return min(lines + ([self.block.line] if self.block is not None else []), default=0)

    @property
    def last_line(self) -> int:
        """Where it speaks last."""
        lines = [finding.line.number for finding in self.findings]
        return max(lines + ([self.block.last_line] if self.block is not None else []), default=0)

    def attempt_at(self, line: int) -> int:
        """Return the number of the attempt that a line belongs to."""
        return self.first_attempt + self._index_at(line)

    def block_attempt(self) -> int:
        """Return the number of the attempt that the summary is about: the one whose failure has one of its pids."""
        pids = self.block.pids if self.block is not None else set()
        for finding in reversed(self.findings):
            if finding.kind == "failed" and finding.number("pid") in pids:
                return self.attempt_at(finding.line.number)
        return self.attempt_at(self.block.line if self.block is not None else 0)

    def settle(self) -> None:
        """Work out where attempts end and which number the first one has."""
        self.findings.sort(key=lambda finding: finding.line.number)
        for finding in self.findings:
            self._settle_end(finding)
        for index, number in self._numbered():
            self.first_attempt = max(number - index, 0)
        places = [parse_run_place(path) for path in self._error_files()]
        self.run_id = next((place.run_id for place in places if place is not None and place.run_id), self.run_id)

    def _error_files(self) -> list[str | None]:
        entries = self.block.entries if self.block is not None else []
        return [found.values.get("error_file") for found in self.findings] + [
            entry.fields.get("error_file") for entry in entries
        ]

    def _settle_end(self, finding: Finding) -> None:
        line = finding.line.number
        if finding.kind == "failed":
            self.ends.append(line)
            self.restarted = False
        elif finding.kind == "restart":
            if self.ends and not self.restarted:
                self.ends[-1] = line  # what workers print until then is still theirs
            else:
                self.ends.append(line)
            self.restarted = True
        elif finding.kind in _BEFORE_FAILED and self.ends:
            self.restarted = True

    def _index_at(self, line: int) -> int:
        index = bisect_left(self.ends, line)
        return index if index < len(self.ends) or self.restarted or index == 0 else index - 1

    def _numbered(self) -> list[tuple[int, int]]:
        """Return what the launcher itself says: pairs of our index and its number of an attempt."""
        said: list[tuple[int, int]] = []
        for finding in self.findings:
            here = self._index_at(finding.line.number)
            place = parse_run_place(finding.values.get("error_file"))
            left, limit = finding.number("left"), finding.number("max")
            if finding.kind in ("parent", "reply_file") and place is not None:
                said.append((here, place.attempt))
            elif left is not None and limit is not None:
                said.append((here, limit - left))
            elif "restart_count" in finding.values:
                said.append((here, int(finding.values["restart_count"])))
        if self.block is not None:
            here = self.block_attempt() - self.first_attempt
            places = [parse_run_place(entry.fields.get("error_file")) for entry in self.block.entries]
            said += [(here, place.attempt) for place in places if place is not None]
        return said
