"""What torch's elastic launcher says in one line: 1.9 to now.

Owns the table of those lines and nothing of what they mean together (that is `launches`). The expressions use no
look-around, so that the scanner of big logs can take them as they are.

Sources: torch/distributed/elastic/multiprocessing/{api,errors/__init__,errors/error_handler}.py,
agent/server/{api,local_elastic_agent}.py, rendezvous/, torch/multiprocessing/spawn.py of the versions named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errors_core.readers.literals import required_literals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from errors_core.readers.log_lines import LogLine

__all__ = ["BEGUN", "LAUNCHER_LINES", "Finding", "LineTable", "parse_launcher_line"]

LAUNCHER_LINES: dict[str, str] = {
    # 1.9 and later; functions instead of programs since 1.9 as well
    "failed": (
        r"failed \(exitcode: ?(?P<exitcode>-?\d{1,10})\) ?local_rank: ?(?P<local_rank>\d{1,9}) ?"
        r"\(pid: ?(?P<pid>\d{1,9})\)(?: of (?P<target>binary|fn))?"
    ),
    "closing": (
        r"(?:Sending process (?P<pid>\d{1,9}) closing signal (?P<signal>\w+)"
        r"|(?:Closing|Terminating) process (?P<pid2>\d{1,9}) via signal (?P<signal2>\w+))"
    ),
    "forced": (
        r"Unable to shutdown process (?P<pid>\d{1,9}) via \S+ forcefully exitt?ing via (?:Signals\.)?(?P<signal>\w+)"
    ),
    "death": r"Received (?:Signals\.)?(?P<signal>SIG\w+|\d{1,2}) death signal, shutting down",
    "signal_exception": r"SignalException: Process (?P<pid>\d{1,9}) got signal: (?:Signals\.)?(?P<signal>\w+)",
    "parent": r"no error file defined for parent, to copy child error file \((?P<error_file>[^)]+)\)?",
    "no_error_file": r"local_rank (?P<local_rank>\d{1,9}) FAILED with no error file",
    "no_error_file_tuple": r"\('local_rank %s FAILED with no error file.*', (?P<local_rank>\d{1,9})\)",  # 2.5
    "notice": (
        r"Child process (?P<pid>\d{1,9}) \(local_rank (?P<local_rank>\d{1,9})\) FAILED "
        r"\(exitcode (?P<exitcode>-?\d{1,10})\)"
    ),
    "worker_event": r"\{\"name\": ?\"torchelastic\.worker\.status\.(?P<status>\w+)\", ?\"source\": ?\"WORKER\"",  # 1.9
    "restart": r"Worker group \w+\. (?P<left>\d{1,9})/(?P<max>\d{1,9}) attempts left; will restart worker group",
    "membership": (
        r"Detected (?P<nodes>\d{1,9}) new nodes from group_rank=(?P<group_rank>\d{1,9}); will restart worker group"
    ),
    "log_directory": r"log directory set to: (?P<directory>\S+)",
    "reply_file": r"Setting worker(?P<local_rank>\d{1,9}) reply file to: (?P<error_file>\S+)",
    "rendezvous_result": r"Rendezvous complete for workers\. Result:",
    "usage": r"(?:^|[\s/])(?:torchrun|run\.py|launch\.py|accelerate(?: \w+)*|deepspeed|runner\.py): error: (?P<why>.+)",
}

BEGUN = re.compile(
    r"torch[./]distributed[./]elastic|failed \(|Sending proc|Terminating proc|Unable to shut"
    r"|Received (?:(?:Signals\.)?SIG|[0123456789]).*death"
    r"|no error file"
)
"""What a launcher's line begins with when the rest may stand on the next line of a wrapped paste."""


@dataclass(slots=True)
class Finding:
    """One line of a known kind, and the values in it. `attempt` is filled in when it is known where attempts end."""

    kind: str
    line: LogLine
    values: Mapping[str, str] = field(default_factory=dict)

    def number(self, name: str) -> int | None:
        """Return a value as a number, `None` when the line does not hold it."""
        value = self.values.get(name)
        return int(value) if value is not None else None


class LineTable:
    """Expressions for lines by their kind; the first one that matches says what a line is."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._texts = sorted({text for pattern in table.values() for text in required_literals(pattern) or ()})
        self._always = any(required_literals(pattern) is None for pattern in table.values())
        self._expressions = {kind: re.compile(pattern) for kind, pattern in table.items()}

    def find(self, line: LogLine, text: str | None = None) -> Finding | None:
        """Return what a line is; `text` replaces the line's own."""
        text = line.text if text is None else text
        if not self._always and not any(map(text.__contains__, self._texts)):
            return None
        for kind, expression in self._expressions.items():
            match = expression.search(text)
            if match is not None:
                values = {name.rstrip("2"): value for name, value in match.groupdict().items() if value is not None}
                return Finding(kind, line, values)
        return None


def parse_launcher_line(line: LogLine, following: str = "") -> Finding | None:
    """Return what the launcher says in this line; `following` is the next line's text, for lines broken in two."""
    found = _TABLE.find(line)
    if found is not None or not following or not BEGUN.search(f"{line.marks.source or ''} {line.text}"):
        return found
    if _TABLE.find(line, following) is not None:
        return None
    rest = following.lstrip()
    return _TABLE.find(line, line.text + rest) or _TABLE.find(line, f"{line.text} {rest}")


_TABLE = LineTable(LAUNCHER_LINES)
