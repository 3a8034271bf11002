"""What is planted in this worker, read from the environment, and marks that tell the planter how far it got.

`PLANTED` is a JSON list of `[attempt, rank, step, fault]` (`null`: any). Marks are empty files in `PLANTED_MARKS`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

__all__ = [
    "ATTEMPT",
    "RANK",
    "Fault",
    "Place",
    "announce",
    "is_planted",
    "planted_here",
    "run_hooks",
    "training_groups",
    "wrapped",
]

Place = Literal["start", "resume", "load", "compute", "save", "end", "wrap", "join"]

RANK = int(os.environ.get("RANK", "0"))
ATTEMPT = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
training_groups: list[Any] = []


@dataclass(frozen=True)
class Fault:
    """Where in the job something happens, and what. A `wrap` is called with the training loop as its argument.

    `join` is looked up by the code that joins the job and never called.
    """

    place: Place
    act: Callable[..., object]


def planted_here() -> list[tuple[int | None, str]]:
    """Return the steps and names of what is planted in this worker, in the order of the plan."""
    plan = json.loads(os.environ.get("PLANTED", "[]"))
    return [(step, name) for attempt, rank, step, name in plan if attempt in (None, ATTEMPT) and rank in (None, RANK)]


def is_planted(name: str) -> bool:
    """Tell whether this worker has this fault at any step."""
    return any(fault == name for _, fault in planted_here())


def announce(event: str) -> None:
    """Leave a mark that says who this worker is and that it got there."""
    marks = os.environ.get("PLANTED_MARKS")
    if marks:
        who = {name: os.environ.get(name) for name in ("LOCAL_RANK", "GROUP_RANK", "TORCHELASTIC_ERROR_FILE")}
        Path(marks, f"{event}.{ATTEMPT}.{RANK}").write_text(json.dumps({**who, "pid": os.getpid()}), "utf-8")


def run_hooks(faults: dict[str, Fault], place: Place, step: int | None = None) -> None:
    """Do what is planted at this place; without a step in the plan it happens at every step."""
    for planned, name in planted_here():
        fault = faults[name]
        if fault.place == place and planned in (None, step):
            announce(f"fired-{name}")
            fault.act()


def wrapped(faults: dict[str, Fault], loop: Callable[[], None]) -> Callable[[], None]:
    """Put the planted wraps around the training loop, the first one innermost."""
    for _, name in planted_here():
        if faults[name].place == "wrap":
            announce(f"fired-{name}")
            loop = _bound(faults[name].act, loop)
    return loop


def _bound(wrap: Callable[..., object], loop: Callable[[], None]) -> Callable[[], None]:
    def training() -> None:
        wrap(loop)

    return training
