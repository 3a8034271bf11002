"""What a measured process does: `python -m tests.benchmarks.tasks TASK PATH` prints what it took and what it found.

The times are those of the one call, without the start of the interpreter and without imports.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.load import load_job
from errors_core.readers.launcher_log import read_launcher_log
from errors_core.sources import open_file

__all__ = ["TASKS"]


def _read_launcher_log(path: Path) -> int | None:
    """Return the rank that the launcher calls the root cause."""
    gc.disable()  # as `load_job` does
    with open_file(str(path)) as stream:
        reading = read_launcher_log(stream, str(path), builtin_signatures())
    return next((seen.rank for seen in reading.sightings if seen.launcher_root), None)


def _load_job(path: Path) -> int:
    """Return how many workers there are."""
    return load_job(path).workers


def _json_load(path: Path) -> int:
    """Read all error files as one would without this project, and keep what was read."""
    reports = {}
    for directory, _, names in os.walk(path):
        for name in names:
            if name == "error.json":
                with open(os.path.join(directory, name), encoding="utf-8") as file:  # noqa: PTH118, PTH123 - fast
                    reports[directory] = json.load(file)
    return len(reports)


TASKS: dict[str, Callable[[Path], int | None]] = {
    "read_launcher_log": _read_launcher_log,
    "load_job": _load_job,
    "json.load": _json_load,
}


def _main(task: str, path: str) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    found = TASKS[task](Path(path))
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "found": found}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
