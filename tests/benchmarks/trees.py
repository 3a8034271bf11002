"""A tree of many error files beside `find | xargs cat` and a loop of `json.load`.

Owns what is compared with what. It refuses to measure and to format.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.error_files import LOCAL_WORLD_SIZE, write_error_files
from tests.benchmarks.measuring import inspect_command, measure, shell_command, task_command
from tests.benchmarks.tables import format_table

__all__ = ["measure_trees"]

_FIND = "find | xargs cat"


def measure_trees(workers: int, rounds: int, scratch: Path) -> Iterator[str]:
    """Yield the lines of a report on one job directory."""
    directory = scratch / "job"
    host, local_rank = divmod(write_error_files(directory, workers), LOCAL_WORLD_SIZE)
    find = f"find {shlex.quote(str(directory))} -name error.json -print0 | xargs -0 cat > /dev/null"
    commands = [
        shell_command(_FIND, find),
        task_command("json.load", directory, workers),
        task_command("load_job", directory, workers),
        inspect_command(directory, f"node-{host}", f"local rank {local_rank}"),
    ]
    yield from ("", f"### {workers:,} error files, {LOCAL_WORLD_SIZE} a host", "")
    yield from format_table(measure(commands, rounds, scratch), beside=_FIND, workers=workers)
