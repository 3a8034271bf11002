"""Measure how fast big leftovers are read: `python -m tests.benchmarks [--size 1GB] [--workers N] [--write]`.

Prints Markdown tables; `--write` puts them into BENCHMARKS.md as well. Needs `grep`, `gzip`, `find` and `xargs`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.logs import measure_logs
from tests.benchmarks.tables import format_machine, replace_measured
from tests.benchmarks.trees import measure_trees

__all__ = ["main"]

_PAGE = Path(__file__).parents[2] / "BENCHMARKS.md"
_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9}


def main(arguments: list[str]) -> int:
    """Measure, print and, if asked to, write."""
    options = _parse(arguments)
    lines = []
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as scratch:
        for line in _report(options, Path(scratch)):
            print(line, flush=True)
            lines.append(line)
    if options.write:
        page = _PAGE.read_text(encoding="utf-8")
        _PAGE.write_text(replace_measured(page, "\n".join(lines)), encoding="utf-8")
    return 0


def _report(options: argparse.Namespace, scratch: Path) -> Iterator[str]:
    yield f"Medians of {options.rounds} rounds, warm cache; {format_machine()}."
    if options.only != "trees":
        yield from measure_logs(options.size, options.rounds, scratch)
    if options.only != "logs":
        yield from measure_trees(options.workers, options.rounds, scratch)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--size", type=_size, default=10**9, help="of the log, such as 400MB (default: 1GB)")
    parser.add_argument("--workers", type=int, default=10_000, help="of the job directory (default: 10000)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each command is measured (default: 5)")
    parser.add_argument("--only", choices=["logs", "trees"], help="measure only these")
    parser.add_argument("--write", action="store_true", help="put the tables into BENCHMARKS.md")
    return parser.parse_args(arguments)


def _size(text: str) -> int:
    number, unit = text[:-2], text[-2:].lower()
    return int(float(number) * _UNITS[unit]) if unit in _UNITS else int(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
