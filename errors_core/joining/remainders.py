"""Drafts that only half name a worker → the workers that they must be, by what torch does with all of them alike.

Owns two rules. Ranks are dealt in a row: on one node, rank minus local rank is the same for all. And the launcher
stops its workers in the order of their local ranks. Where a rule leaves a choice, nothing is done.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from errors_core.sightings import Sighting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from errors_core.joining.agents import Agent
    from errors_core.joining.drafts import Draft, Drafts

__all__ = ["derive_ranks", "place_by_rank", "place_stopped"]


def place_by_rank(drafts: Drafts, agents: Iterable[Agent]) -> None:
    """Unite a worker known by its rank with the one known by its local rank, where one launcher is all that there is.

    The rank of local rank 0 may come from another attempt of that launcher, if all ranks agree with it.
    """
    firm = [agent for agent in agents if not agent.floating and agent.kind != "loose"]
    bases = {base for agent in firm for base in agent.bases.values()}
    if len(firm) != 1 or len(bases) != 1:
        return
    base, local_ranks = bases.pop(), firm[0].local_ranks
    by_local = {d.local_rank: d for d in drafts.all if d.local_rank is not None}
    ranked = [draft for draft in drafts.all if draft.rank is not None and draft.local_rank is None]
    if not all(draft.rank is not None and draft.rank - base in local_ranks for draft in ranked):
        return
    for draft in ranked:
        local_rank = (draft.rank or 0) - base
        same = by_local.get(local_rank)
        if same is None:
            draft.local_rank = local_rank
        elif same.rank is None:
            drafts.unite(same, draft)


def place_stopped(drafts: Drafts) -> None:
    """Give processes that are known by their id alone to the local ranks of their launcher that have no process yet.

    Where their numbers differ it cannot be told which is which. Those that are surely among workers that have
    directories of their own are no further workers; their lines stay in the log.
    """
    processes: dict[Agent, list[Draft]] = defaultdict(list)
    workers: dict[Agent, dict[int, Draft]] = defaultdict(dict)
    for draft in drafts.all:
        if draft.agent is not None and draft.local_rank is None and draft.rank is None:
            processes[draft.agent].append(draft)
        elif draft.agent is not None and draft.local_rank is not None:
            workers[draft.agent][draft.local_rank] = draft
    for agent, unplaced in processes.items():
        known = workers[agent]
        free = [local_rank for local_rank in sorted(agent.local_ranks) if _is_free(known.get(local_rank))]
        if len(free) == len(unplaced):
            unplaced.sort(key=lambda draft: draft.sightings[0].place.line or 0)
            for local_rank, process in zip(free, unplaced, strict=True):
                if local_rank in known:
                    drafts.unite(known[local_rank], process)
                else:
                    process.local_rank = local_rank
        elif len(free) > len(unplaced) and agent.kind == "run_directory":
            drafts.all = [draft for draft in drafts.all if draft not in unplaced]


def derive_ranks(drafts: Drafts) -> None:
    """Give a worker that shows no rank the one that its launcher's other workers of this attempt leave it.

    What says so is kept as a sighting of the source `derived`, at the place that shows the other worker's rank.
    """
    by_agent: dict[Agent, list[Draft]] = defaultdict(list)
    for draft in drafts.all:
        if draft.agent is not None and draft.agent.kind != "loose" and draft.local_rank is not None:
            by_agent[draft.agent].append(draft)
    for workers in by_agent.values():
        known = [draft for draft in workers if draft.rank is not None]
        bases = {(draft.rank or 0) - (draft.local_rank or 0) for draft in known}
        if len(bases) != 1 or len(known) == len(workers):
            continue
        base, shown = bases.pop(), next(s for s in known[0].sightings if s.rank is not None)
        for draft in workers:
            if draft.rank is None and base >= 0:
                draft.rank = base + (draft.local_rank or 0)
                draft.sightings.append(Sighting(source="derived", place=shown.place, rank=draft.rank))


def _is_free(draft: Draft | None) -> bool:
    return draft is None or draft.pid is None
