"""Big launcher logs beside `grep`: plain, packed, and growing.

Owns what is compared with what. It refuses to measure and to format.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.launcher_output import CULPRIT, write_launcher_log
from tests.benchmarks.measuring import Command, inspect_command, measure, shell_command, task_command
from tests.benchmarks.tables import format_bytes, format_growth, format_table

__all__ = ["measure_logs"]

_GREP = "grep -c exitcode"
_SHARES = (0.1, 0.4, 1)


def measure_logs(size: int, rounds: int, scratch: Path) -> Iterator[str]:
    """Yield the lines of a report on one log, on the same one packed, and on smaller ones."""
    log, packed = scratch / "launcher.log", scratch / "launcher.log.gz"
    write_launcher_log(log, size)
    cat, grep = f"cat {shlex.quote(str(log))} > /dev/null", f"{_GREP} {shlex.quote(str(log))}"
    peers = [shell_command("cat", cat), shell_command(_GREP, grep)]
    yield from ("", f"### A launcher log of {format_bytes(size)}", "")
    yield from format_table(measure([*peers, *_ours(log)], rounds, scratch), beside=_GREP)

    with packed.open("wb") as file:
        subprocess.run(["gzip", "-c", "-n", str(log)], stdout=file, check=True)
    unpack = f"gzip -dc | {_GREP}"
    peers = [shell_command(unpack, f"gzip -dc {shlex.quote(str(packed))} | {_GREP}")]
    yield from ("", f"### The same as .gz ({format_bytes(packed.stat().st_size)})", "")
    yield from format_table(measure([*peers, *_ours(packed)], rounds, scratch), beside=unpack)

    yield from ("", "### Growth", "")
    grown = []
    for share in _SHARES:
        write_launcher_log(log, int(size * share))
        (row,) = measure([_inspect(log)], rounds, scratch)
        grown.append((int(size * share), row))
    yield from format_growth(grown)


def _ours(log: Path) -> list[Command]:
    return [task_command("read_launcher_log", log, CULPRIT), _inspect(log)]


def _inspect(log: Path) -> Command:
    return inspect_command(log, f"rank {CULPRIT}")
