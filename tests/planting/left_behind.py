"""What a launcher log and a worker's directory show, as far as labels depend on how processes were scheduled.

A second, much simpler reader than the product's own, on purpose: a label must not be made by what it is to judge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Listed", "listed_ranks", "reports_lost_peer", "torch_root"]

_ENTRY = re.compile(r"^  rank +: (\d+) \(local_rank: \d+\)\n  exitcode +: (-?\d+) \(pid: (\d+)\)", re.MULTILINE)
_CLOSING = re.compile(r"Sending process (\d+) closing signal")
_ROOT = re.compile(r"Root Cause \(first observed failure\):\n\[\d+\]:\n(?:  .*\n)*?  rank +: (\d+) ")
_ECHO = re.compile(r"Connection (?:closed|reset) by peer|Timed out waiting \d+ms|monitoredBarrier|Broken pipe")


@dataclass(frozen=True)
class Listed:
    """One rank of a launcher's summary; `signalled`: the launcher itself had told it to end."""

    rank: int
    exitcode: int
    signalled: bool


def listed_ranks(text: str) -> list[Listed]:
    """Return the ranks of every summary in a launcher log."""
    closing = set(_CLOSING.findall(text))
    return [Listed(int(rank), int(code), pid in closing) for rank, code, pid in _ENTRY.findall(text)]


def torch_root(text: str) -> int | None:
    """Return the rank that the launcher calls the root cause."""
    found = _ROOT.search(text)
    return int(found[1]) if found else None


def reports_lost_peer(directory: Path) -> bool:
    """Tell whether a worker's error file or log says that a peer is gone or late."""
    files = [directory / name for name in ("error.json", "stderr.log", "stdout.log")]
    return any(_ECHO.search(file.read_text("utf-8", "replace")) for file in files if file.is_file())
