"""Commands → how long they took and how much memory they needed, measured in turns.

Owns the processes. Commands that are compared run one after the other, several rounds, so that a busy machine is busy
for all of them; what counts is the median.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.tables import Row

__all__ = ["Command", "Sample", "inspect_command", "measure", "run_once", "shell_command", "task_command"]

_STOPWATCH = Path(__file__).with_name("stopwatch.py")
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Command:
    """What is run. `expected` stands in the first paragraph of what it prints; a task says itself how long it took."""

    name: str
    arguments: tuple[str, ...]
    expected: tuple[str, ...] = ()
    shows_memory: bool = True
    is_task: bool = False


@dataclass(frozen=True)
class Sample:
    """One run: seconds by the clock and of the processor, and the greatest memory in bytes."""

    wall: float
    cpu: float
    memory: int


def shell_command(name: str, line: str) -> Command:
    """Return what a shell runs, for its time alone."""
    return Command(name, ("sh", "-c", line), shows_memory=False)


def inspect_command(path: Path, *expected: str) -> Command:
    """Return the whole program as a new process."""
    arguments = (sys.executable, "-m", "inspector", str(path), "--format", "text")
    return Command("elastic-inspect --format text", arguments, expected)


def task_command(task: str, path: Path, expected: int) -> Command:
    """Return one of `tests.benchmarks.tasks` and the number that it has to find."""
    arguments = (sys.executable, "-m", "tests.benchmarks.tasks", task, str(path))
    return Command(task, arguments, (str(expected),), is_task=True)


def measure(commands: Sequence[Command], rounds: int, scratch: Path) -> list[Row]:
    """Run the commands in turns, of several rounds the first to warm up; memory is that above a bare interpreter."""
    bare = _bare_memory(scratch)
    samples: dict[str, list[Sample]] = {command.name: [] for command in commands}
    for number in range(rounds + 1 if rounds > 1 else 1):
        for command in commands:
            sample = run_once(command, scratch)
            if number or rounds == 1:
                samples[command.name].append(sample)
    return [_row(command, samples[command.name], bare) for command in commands]


def run_once(command: Command, scratch: Path) -> Sample:
    """Run a command; raises `RuntimeError` when it fails or its answer is wrong."""
    printed = scratch / "printed"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONPATH": str(_ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its modules compiled
    watched = [sys.executable, "-I", "-S", str(_STOPWATCH), str(printed), *command.arguments]
    done = subprocess.run(watched, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    wall, cpu, memory, status = done.stdout.split()
    output = printed.read_text(encoding="utf-8", errors="replace")
    if command.is_task and status == "0":
        told = json.loads(output)
        wall, cpu, output = told["wall"], told["cpu"], str(told["found"])
    first = " ".join(output.partition("\n\n")[0].lower().split())
    if status != "0" or not all(words in first for words in command.expected):
        raise RuntimeError(f"{command.name}: exit status {status}, {first!r}")
    return Sample(float(wall), float(cpu), int(memory))


def _bare_memory(scratch: Path) -> int:
    """Return how much memory an interpreter needs that does nothing."""
    bare = Command("bare", (sys.executable, "-c", "pass"))
    return min(run_once(bare, scratch).memory for _ in range(3))


def _row(command: Command, samples: Sequence[Sample], bare: int) -> Row:
    memory = median(sample.memory for sample in samples) - bare
    shown = memory if command.shows_memory else None
    return Row(command.name, median(s.wall for s in samples), median(s.cpu for s in samples), shown)
