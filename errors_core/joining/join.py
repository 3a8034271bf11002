"""Strands → runs with their attempts and workers.

Owns the order of the steps; each step has its own module.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from errors_core.job import Attempt, Run
from errors_core.joining.agents import gather_agents
from errors_core.joining.clocks import estimate_zone
from errors_core.joining.drafts import Drafts, Seen
from errors_core.joining.nameless import place_nameless
from errors_core.joining.nodes import name_nodes, natural_key
from errors_core.joining.remainders import derive_ranks, place_by_rank, place_stopped
from errors_core.joining.runs import group_agents
from errors_core.joining.workers import finish_worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.job import Event, Worker
    from errors_core.joining.agents import Agent
    from errors_core.joining.runs import Group
    from errors_core.joining.strands import Strand

__all__ = ["join_sightings"]


def join_sightings(strands: Sequence[Strand], roots: Sequence[tuple[str, ...]] = ()) -> tuple[Run, ...]:
    """Return the runs that the strands show, oldest first; `roots` are the absolute paths of the inputs."""
    agents = [agent for agent in gather_agents(strands, roots) if any(s.sightings or s.events for s in agent.strands)]
    return tuple(_build_run(group, roots) for group in group_agents(agents))


def _build_run(group: Group, roots: Sequence[tuple[str, ...]]) -> Run:
    nodes = name_nodes(group.agents, roots)
    drafts, events = _draft_attempts(group)
    zone = estimate_zone(draft for of_attempt in drafts.values() for draft in of_attempt.all)
    sizes = [s.world_size for agent in group.agents for strand in agent.strands for s in strand.sightings]
    attempts = [
        _build_attempt(number, drafts[number], events.get(number, []), group.run_id, zone) for number in sorted(drafts)
    ]
    return Run(
        run_id=group.run_id,
        nodes=nodes,
        world_size=max((size for size in sizes if size is not None), default=None),
        attempts=tuple(attempts),
    )


def _draft_attempts(group: Group) -> tuple[dict[int, Drafts], dict[int, list[Event]]]:
    """Return drafts and events by attempt; what names none belongs to the last one."""
    numbers = [a + strand.shift for agent in group.agents for strand in agent.strands for a in strand.attempts]
    last = max(numbers, default=0)
    seen: dict[int, list[Seen]] = defaultdict(list)
    events: dict[int, list[Event]] = defaultdict(list)
    for agent in group.agents:
        for strand in agent.strands:
            for sighting in strand.sightings:
                number = last if sighting.attempt is None else sighting.attempt + strand.shift
                seen[number].append(Seen(sighting, agent))
            for attempt, event in strand.events:
                number = last if attempt is None else attempt + strand.shift
                events[number].append(_on_node(event, agent))
    drafts = {}
    for number in {*seen, *events}:
        drafts[number] = Drafts()
        nameless = drafts[number].add_all(seen[number])
        place_by_rank(drafts[number], group.agents)
        place_stopped(drafts[number])
        events[number] += place_nameless(drafts[number], nameless)
        derive_ranks(drafts[number])
    return drafts, events


def _on_node(event: Event, agent: Agent) -> Event:
    return event if agent.node is None or event.node is not None else replace(event, node=agent.node)


def _build_attempt(number: int, drafts: Drafts, events: list[Event], run_id: str | None, zone: int) -> Attempt:
    workers = [finish_worker(draft, run_id=run_id, attempt=number, zone=zone) for draft in drafts.all]
    if zone:
        events = [event if event.time is None else replace(event, time=event.time - zone) for event in events]
    return Attempt(number=number, workers=tuple(sorted(workers, key=_worker_order)), events=tuple(events))


def _worker_order(worker: Worker) -> tuple[object, ...]:
    """Sort by node and local rank; by rank where these are not known; the nameless last."""
    nameless = worker.local_rank is None and worker.rank is None
    return (
        nameless,
        natural_key((worker.node or "",)),
        worker.local_rank is None,
        worker.local_rank or 0,
        worker.rank is None,
        worker.rank or 0,
        worker.pid or 0,
    )
