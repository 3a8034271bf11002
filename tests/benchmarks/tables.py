"""Measurements → Markdown tables, and their place in BENCHMARKS.md.

Owns the words and numbers of the tables. It refuses to measure.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Row", "format_bytes", "format_growth", "format_machine", "format_table", "replace_measured"]

_BEGIN, _END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True)
class Row:
    """One line of a table: seconds by the clock and of the processor, and bytes above a bare interpreter."""

    name: str
    wall: float
    cpu: float
    memory: float | None = None


def format_table(rows: Sequence[Row], *, beside: str, workers: int | None = None) -> list[str]:
    """Return the rows with their speed as a multiple of that of the row called `beside`.

    With `workers`, a further column tells the memory for each of them.
    """
    peer = next(row for row in rows if row.name == beside)
    head = ["", "time", "CPU time", "speed", "speed by CPU time", "memory"]
    cells = [
        [
            f"`{row.name}`".replace("|", "\\|"),
            f"{row.wall:.2f} s",
            f"{row.cpu:.2f} s",
            _ratio(peer.wall, row.wall),
            _ratio(peer.cpu, row.cpu),
            _memory(row),
        ]
        for row in rows
    ]
    if workers is not None:
        head.append("memory a worker")
        for row, line in zip(rows, cells, strict=True):
            line.append("" if row.memory is None else format_bytes(row.memory / workers))
    return _table(head, cells)


def format_growth(rows: Sequence[tuple[int, Row]]) -> list[str]:
    """Return one line for each size in bytes."""
    cells = [[format_bytes(size), f"{row.wall:.2f} s", f"{row.cpu:.2f} s", _memory(row)] for size, row in rows]
    return _table([f"`{rows[0][1].name}`", "time", "CPU time", "memory"], cells)


def format_bytes(count: float) -> str:
    """Return a size in decimal units with three digits: `1 GB`, `98.3 MB`."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count:.0f} B"


def format_machine() -> str:
    """Return what has to be known of the machine, and nothing that names it."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def replace_measured(text: str, measured: str) -> str:
    """Put new measurements in place of those between the markers; raises `ValueError` when there are no markers."""
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"no {_BEGIN} and {_END}")
    return f"{before}{begin}\n\n{measured.strip()}\n\n{end}{after}"


def _table(head: list[str], cells: list[list[str]]) -> list[str]:
    ruler = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(line)} |" for line in (head, ruler, *cells)]


def _ratio(peer: float, own: float) -> str:
    return f"{peer / own:.2f}" if own else ""


def _memory(row: Row) -> str:
    return "" if row.memory is None else format_bytes(row.memory)
