"""Sightings of one attempt → drafts of its workers: which sightings show the same process.

Owns the identity of a worker: (node, local rank), and what stands in for it where a source does not tell: the process
id on a node, the global rank, the only worker that a text fits. Facts that disagree do not part a worker.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from errors_core.joining.agents import Agent
    from errors_core.sightings import Sighting

__all__ = ["Draft", "Drafts", "Seen"]


@dataclass(slots=True)
class Seen:
    """A sighting and the agent whose strand holds it."""

    sighting: Sighting
    agent: Agent


@dataclass(slots=True, eq=False)
class Draft:
    """One worker in the making."""

    agent: Agent | None
    node: str | None = None
    local_rank: int | None = None
    rank: int | None = None
    pid: int | None = None
    sightings: list[Sighting] = field(default_factory=list)

    def add(self, seen: Seen) -> None:
        """Take a sighting, and what it tells of the worker's identity."""
        sighting = seen.sighting
        self.sightings.append(sighting)
        self.agent = self.agent or seen.agent
        self.node = self.node if self.node is not None else seen.agent.node
        self.local_rank = self.local_rank if self.local_rank is not None else sighting.local_rank
        self.rank = self.rank if self.rank is not None else sighting.rank
        self.pid = self.pid if self.pid is not None else sighting.pid

    @property
    def errors(self) -> set[str]:
        """Fingerprints of what it is known to have raised."""
        return {sighting.error.exact for sighting in self.sightings if sighting.error is not None}

    @property
    def stopped(self) -> bool:
        """Whether the launcher sent it a signal."""
        return any(sighting.closings for sighting in self.sightings)

    @property
    def exitcode(self) -> int | None:
        """An exit code that any source gives."""
        return next((s.exitcode for s in self.sightings if s.exitcode is not None), None)


class Drafts:
    """The workers of one attempt, as the sightings come in: those that tell most first."""

    def __init__(self) -> None:
        self.all: list[Draft] = []
        self._by_local: dict[tuple[Agent | str | None, int], Draft] = {}
        self._by_pid: dict[int, list[Draft]] = defaultdict(list)
        self._by_rank: dict[int, list[Draft]] = defaultdict(list)
        self._by_path: dict[str, Draft] = {}

    def add_all(self, seen: Iterable[Seen]) -> list[Seen]:
        """Add sightings in the order of how surely they name a worker; return those that name none."""
        nameless = []
        for item in sorted(seen, key=_order):
            if _is_nameless(item.sighting):
                nameless.append(item)
            elif (draft := self._find(item)) is not None:
                self._put(draft, item)
            elif item.sighting.source != "scheduler_log" or item.sighting.rank is not None:
                self._put(self._new(item), item)  # but a scheduler names any process: the event stays
        return nameless

    def _find(self, seen: Seen) -> Draft | None:
        sighting, node = seen.sighting, _home(seen.agent)
        found = self._by_path.get(sighting.place.path) if sighting.source in ("error_file", "directory") else None
        if found is None and sighting.local_rank is not None:
            found = self._by_local.get((node, sighting.local_rank))
            if found is not None and seen.agent.kind == "loose" and _differ(found.rank, sighting.rank):
                found = None
        if found is None and sighting.pid is not None:
            found = self._with_pid(seen)
        if found is None and sighting.rank is not None:
            found = self._with_rank(seen)
        return found

    def _with_pid(self, seen: Seen) -> Draft | None:
        sighting = seen.sighting
        fitting = [d for d in self._by_pid.get(sighting.pid or -1, ()) if _agree(d, seen)]
        own = [draft for draft in fitting if draft.agent is seen.agent]
        if own or sighting.source == "launcher_log":
            return own[0] if own else None
        return fitting[0] if len(fitting) == 1 else None

    def _with_rank(self, seen: Seen) -> Draft | None:
        candidates = self._by_rank.get(seen.sighting.rank if seen.sighting.rank is not None else -1, ())
        return next((draft for draft in candidates if _agree(draft, seen)), None)

    def _new(self, seen: Seen) -> Draft:
        draft = Draft(seen.agent, seen.agent.node)
        self.all.append(draft)
        return draft

    def _put(self, draft: Draft, seen: Seen) -> None:
        draft.add(seen)
        sighting = seen.sighting
        if draft.local_rank is not None:
            self._by_local.setdefault((_home(seen.agent), draft.local_rank), draft)
        if sighting.pid is not None and draft not in self._by_pid[sighting.pid]:
            self._by_pid[sighting.pid].append(draft)
        if draft.rank is not None and draft not in self._by_rank[draft.rank]:
            self._by_rank[draft.rank].append(draft)
        if sighting.source in ("error_file", "directory"):
            self._by_path.setdefault(sighting.place.path, draft)

    def unite(self, one: Draft, other: Draft) -> None:
        """Make one worker of two; the second one is gone."""
        one.sightings += other.sightings
        one.rank = one.rank if one.rank is not None else other.rank
        one.pid = one.pid if one.pid is not None else other.pid
        self.all = [draft for draft in self.all if draft is not other]


def _order(seen: Seen) -> tuple[int, int]:
    """Put what names a worker's place first; a directory's own files before what others say."""
    sighting = seen.sighting
    known = (sighting.local_rank, sighting.rank, sighting.pid)
    sure = next((index for index, mark in enumerate(known) if mark is not None), 3)
    if seen.agent.kind == "loose":
        sure += 1
    return (9 if sighting.source == "scheduler_log" else sure), 0 if sighting.source != "launcher_log" else 1


def _is_nameless(sighting: Sighting) -> bool:
    return sighting.local_rank is None and sighting.rank is None and sighting.pid is None


def _home(agent: Agent) -> Agent | str | None:
    """Return what local ranks count in: the node, else the launcher."""
    return agent.node if agent.node is not None else agent


def _differ(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one != other


def _agree(draft: Draft, seen: Seen) -> bool:
    """Tell whether a draft that has the sighting's rank or process id can be its worker."""
    sighting, node = seen.sighting, seen.agent.node
    if draft.node is not None and node is not None and draft.node != node:
        return False
    return not _differ(draft.local_rank, sighting.local_rank) and not _differ(draft.rank, sighting.rank)
