"""`PlantedCase`: one job to run, what breaks in it and which answers are right.

Owns the words of the case table. It runs nothing and knows nothing of torch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["EVERY", "Act", "Keep", "Kind", "PlantedCase", "Rule", "at", "rotated"]

Kind = Literal["worker", "common", "external", "node", "unknown", "none"]
Keep = Literal["redirects", "tee", "errors", "nothing"]
Act = Literal["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL", "kill node 0", "kill node 1", "busy port", "missing node"]
Rule = Literal["same", "unknown", "exits", "alone", "listed"]
Planting = tuple[int | None, int | None, int | None, str]

EVERY = None


def at(rank: int | None, fault: str, step: int | None = 3, attempt: int | None = None) -> Planting:
    """Plant a fault: attempt, rank and step where it happens; `None` is every one."""
    return (attempt, rank, step, fault)


@dataclass(frozen=True, kw_only=True)
class PlantedCase:
    """One job. `root` are the ranks of which any one is right; nobody: empty.

    `whole`, `logs` and `launcher` say what can be told from everything and from these inputs alone:
    `same` (as from everything), `unknown` (nothing certain), and what depends on how the processes were scheduled:
    `exits` (same if the launcher lists the root as the only one that failed by itself), `alone` (same if every other
    rank reports a lost or late peer and the root has empty files), `listed` (same if every rank but the root is listed,
    which is not the last one).
    `static`: rendezvous without an id of its own (`none`), as torchrun does by default.
    `keep`: worker logs in files, in files and on the console, error files alone, nothing but the console.
    `plan` as made by `at`; `act` is what happens from outside, when every worker has done a few steps.
    `options` go to torchrun, `environment` to everything that it starts.
    `attempts` are the roots of each attempt when there are several; `None`: nobody can tell.
    """

    name: str
    family: str
    cause: str
    plan: tuple[Planting, ...] = ()
    root: tuple[int, ...] = ()
    whole: Rule = "same"
    kind: Kind = "worker"
    logs: Rule = "same"
    launcher: Rule = "same"
    workers: int = 3
    nodes: int = 1
    record: bool = True
    keep: Keep = "redirects"
    static: bool = False
    restarts: int = 0
    steps: int = 8
    timeout: float = 20.0
    act: Act | None = None
    options: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    attempts: tuple[tuple[int, ...] | None, ...] = ()
    movable: bool = True

    @property
    def world_size(self) -> int:
        """Number of workers on all nodes."""
        return self.workers * self.nodes


def rotated(case: PlantedCase, shift: int) -> PlantedCase:
    """Move everything that is planted by some ranks, round the end; cases that are about one rank stay."""
    if not case.movable or case.nodes > 1:
        return case

    def moved(rank: int) -> int:
        return (rank + shift) % case.world_size

    return replace(
        case,
        plan=tuple((a, None if r is None else moved(r), s, f) for a, r, s, f in case.plan),
        root=tuple(sorted(moved(rank) for rank in case.root)),
        attempts=tuple(None if ranks is None else tuple(sorted(map(moved, ranks))) for ranks in case.attempts),
    )
