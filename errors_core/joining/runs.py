"""Agents → runs: which launchers, on which nodes, belonged to one launch of the job.

Owns the reasons for and against: run ids, times, the ranks that each launcher dealt, directories named after nodes.
It refuses to look at single workers (that is `errors_core.joining.drafts`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from errors_core.joining.agents import common_length
from errors_core.joining.nodes import NODE_NAME, natural_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from errors_core.joining.agents import Agent
    from errors_core.sightings import Sighting

__all__ = ["Group", "group_agents"]

_TOGETHER = 3 * 3600  # seconds between what the nodes of one run record: a collective may wait for long
_SAME_START = 600
_ZONES = 14 * 3600
_NO_ID = (None, "none")  # torchrun's run id when nobody gave one


class Group:
    """The agents of one run, as found so far."""

    def __init__(self) -> None:
        self.agents: list[Agent] = []
        self.run_id: str | None = None
        self.recorded: tuple[float, float] | None = None
        self.logged: tuple[float, float] | None = None
        self.firm = False
        self._ranks: set[tuple[int, int]] = set()
        self._bases: set[tuple[int, int]] = set()
        self._attempts_with_base: set[int] = set()
        self._places: set[tuple[str, ...]] = set()
        self._patterns: set[tuple[str, ...]] = set()
        self._neighbours: set[tuple[str, ...]] = set()

    def add(self, agent: Agent) -> None:
        """Take an agent in."""
        self.agents.append(agent)
        if self.run_id in _NO_ID:
            self.run_id = agent.run_id or self.run_id
        self.recorded = _union(self.recorded, agent.recorded)
        self.logged = _union(self.logged, agent.logged)
        self.firm = self.firm or not agent.floating
        self._ranks |= agent.ranks
        self._bases |= set(agent.bases.items())
        self._attempts_with_base |= agent.bases.keys()
        self._places.add(agent.place)
        self._patterns.add(agent.pattern)
        self._neighbours |= agent.neighbours

    def affinity(self, agent: Agent) -> int:
        """Return how much speaks for the agent being another node of this run; 0: nothing, or something against it."""
        if self._speaks_against(agent):
            return 0
        other_node = any(attempt in self._attempts_with_base for attempt in agent.bases)
        same_id = agent.run_id == self.run_id and agent.run_id not in _NO_ID
        near = _gap(agent, self)
        if agent.place in self._places:
            is_one_log = agent.kind == "log"
            started_together = same_id and near is not None and near <= _SAME_START
            return 2 if other_node or is_one_log or started_together else 0
        if same_id:
            return 3 if near is not None else 2
        if other_node:
            is_beside = not self._neighbours.isdisjoint(agent.neighbours)
            return 2 if is_beside or (near is not None and near <= _SAME_START) else 0
        return int(agent.pattern in self._patterns and _differs_by_node(agent, self.agents[-1]))

    def _speaks_against(self, agent: Agent) -> bool:
        if agent.run_id and self.run_id and agent.run_id != self.run_id:
            return True
        if any(attempt in self._attempts_with_base for attempt in agent.bases):
            if any(base in self._bases for base in agent.bases.items()):
                return True
        elif not agent.ranks.isdisjoint(self._ranks):
            return True
        gap = _gap(agent, self)
        in_one_log = agent.kind == "log" and agent.place in self._places
        return gap is not None and gap > _TOGETHER and not in_one_log


def group_agents(agents: Iterable[Agent]) -> list[Group]:
    """Return the runs, oldest first; a run of which no time is known comes first, in the order of its name."""
    ordered = sorted(agents, key=_order)
    groups: list[Group] = []
    for agent in (agent for agent in ordered if agent.kind != "loose" and not agent.floating):
        _take(agent, groups)
    for agent in (agent for agent in ordered if agent.kind == "loose" and not agent.floating):
        _take_loose(agent, groups)
    for agent in (agent for agent in ordered if agent.floating):
        _take_floating(agent, groups)
    return sorted(groups, key=_group_order)


def _take(agent: Agent, groups: list[Group]) -> None:
    """Give an agent to the run that most speaks for, of several the one that lies nearest; else to a new one."""
    best, best_key = None, (0, 0)
    for group in groups:
        affinity = group.affinity(agent)
        if affinity and affinity >= best_key[0]:
            key = (affinity, common_length(agent.parts, group.agents[0].parts))
            if key > best_key:
                best, best_key = group, key
    if best is None:
        best = Group()
        groups.append(best)
    best.add(agent)


def _take_loose(agent: Agent, groups: list[Group]) -> None:
    """Give loose files to the run whose errors they repeat, or that is the only one beside them."""
    sharing = [group for group in groups if _shares_errors(agent, group) is True]
    if not sharing:
        possible = [group for group in groups if _may_belong(agent, group)]
        sharing = [group for group in _nearest(agent, possible) if _is_beside(agent, group)]
    if len(sharing) == 1:
        sharing[0].add(agent)
    else:
        _take(agent, groups)


def _take_floating(agent: Agent, groups: list[Group]) -> None:
    """Give what knows of no launcher to the only run near it, or to the one that has its processes."""
    pids = {pid for strand in agent.strands for pid in strand.pids}
    firm = [group for group in groups if group.firm and _may_belong(agent, group)]
    nearest = _nearest(agent, firm)
    if len(nearest) > 1:
        nearest = [g for g in nearest if pids and any(pids & s.pids.keys() for a in g.agents for s in a.strands)]
    if len(nearest) == 1:
        nearest[0].add(agent)
    else:
        _take(agent, groups)


def _may_belong(agent: Agent, group: Group) -> bool:
    if agent.run_id and group.run_id and agent.run_id != group.run_id:
        return False
    gap = _gap(agent, group)
    return (gap is None or gap <= _TOGETHER) and _shares_errors(agent, group) is not False


def _is_beside(agent: Agent, group: Group) -> bool:
    """Tell whether loose files lie in a directory above the traces of a run."""
    return any(other.parts[: len(agent.parts)] == agent.parts for other in group.agents)


def _nearest(agent: Agent, groups: list[Group]) -> list[Group]:
    lengths = [max(common_length(agent.parts, other.parts) for other in group.agents) for group in groups]
    return [group for group, length in zip(groups, lengths, strict=True) if length == max(lengths)]


def _shares_errors(agent: Agent, group: Group) -> bool | None:
    """Tell whether a rank's error is recorded here and there: the same (true), another one (false), or nothing."""
    mine = dict(_errors(agent))
    nameless = {_error(s) for strand in agent.strands for s in strand.sightings if _is_nameless_report(s)}
    if not mine and not nameless:
        return None
    theirs = [pair for other in group.agents for pair in _errors(other)]
    same = [mine[key] == error for key, error in theirs if key in mine]
    if same:
        return all(same)
    return True if any(_error(s) in nameless for other in group.agents for s in _reports(other)) else None


def _errors(agent: Agent) -> list[tuple[tuple[int, int], tuple[int | None, str | None]]]:
    return [((seen.attempt or 0, seen.rank), _error(seen)) for seen in _reports(agent) if seen.rank is not None]


def _reports(agent: Agent) -> list[Sighting]:
    return [seen for strand in agent.strands for seen in strand.sightings if seen.source == "error_file"]


def _is_nameless_report(seen: Sighting) -> bool:
    return seen.source == "error_file" and seen.rank is None and seen.local_rank is None and seen.message is not None


def _error(seen: Sighting) -> tuple[int | None, str | None]:
    return seen.timestamp, seen.message


def _gap(agent: Agent, group: Group) -> float | None:
    """Return how many seconds lie between what both record, 0 when it overlaps; `None`: not known."""
    pairs = (
        (agent.recorded, group.recorded, 0),
        (agent.logged, group.logged, 0),
        (agent.recorded, group.logged, _ZONES),
        (agent.logged, group.recorded, _ZONES),
    )
    for mine, theirs, slack in pairs:
        if mine is not None and theirs is not None:
            return max(0.0, max(mine[0], theirs[0]) - min(mine[1], theirs[1]) - slack)
    return None


def _differs_by_node(agent: Agent, other: Agent) -> bool:
    """Tell whether two places of one pattern differ only in what looks like the name of a node."""
    hosts = {host.split(".")[0] for host in (*agent.hosts, *other.hosts)}
    different = [pair for pair in zip(agent.place, other.place, strict=False) if pair[0] != pair[1]]
    return bool(different) and all(NODE_NAME.fullmatch(name) or name in hosts for pair in different for name in pair)


def _order(agent: Agent) -> tuple[bool, float, tuple[object, ...]]:
    span = agent.recorded or agent.logged
    return span is None, span[0] if span else 0, natural_key(agent.parts)


def _group_order(group: Group) -> tuple[bool, float, tuple[object, ...]]:
    span = group.recorded or group.logged
    return span is not None, span[0] if span else 0, natural_key(group.agents[0].parts)


def _union(one: tuple[float, float] | None, other: tuple[float, float] | None) -> tuple[float, float] | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])
