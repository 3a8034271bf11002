"""The names of nodes: by the directories or logs that differ from launcher to launcher, else by hosts.

Owns the choice of the name. It refuses to decide which launchers belong together.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from errors_core.joining.agents import common_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from errors_core.joining.agents import Agent

__all__ = ["NODE_NAME", "name_nodes", "natural_key"]

NODE_NAME = re.compile(
    r"(?:.*[-_.])?(?:node|host|machine|worker|server|compute|instance|pod|task|dgx|gpu|vm|ip|n)[-_]?\d[\w.-]*",
    re.IGNORECASE,
)
"""What directories and logs of single nodes are called: `node0`, `gpu-node-02`, `ip-10-0-0-3`, `n042`."""

_NUMBERS = re.compile(r"([0-9]+)")


def name_nodes(agents: Sequence[Agent], roots: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Give the agents of one run the names of their nodes, and return these names in their order.

    A run of one agent has a node's name only when a directory below the inputs (`roots`) is called like one.
    """
    named = [agent for agent in agents if not agent.floating]
    labels = _labels_by_place(named) if len(named) > 1 else {}
    if not labels or len(set(labels.values())) < 2:
        labels = {agent: name for agent in named if (name := _own_name(agent, roots)) is not None}
    for agent, label in labels.items():
        agent.node = label
    return tuple(sorted(set(labels.values()), key=lambda name: natural_key((name,))))


@lru_cache(maxsize=4096)
def natural_key(parts: tuple[str, ...]) -> tuple[tuple[int | str, ...], ...]:
    """Return a key that sorts node2 before node10."""
    return tuple(
        tuple(int(piece) if index % 2 else piece for index, piece in enumerate(_NUMBERS.split(part))) for part in parts
    )


def _labels_by_place(agents: Sequence[Agent]) -> dict[Agent, str]:
    """Return what differs in the agents' places; where that is nothing or only a log's name, their hosts."""
    shared = min(common_length(agents[0].place, agent.place) for agent in agents)
    rests = {agent: agent.place[shared:] for agent in agents}
    if any(len(rest) > 1 for rest in rests.values()) or _are_node_names(rests):
        return _shortest_different({agent: rest for agent, rest in rests.items() if rest})
    hosts = {agent: next(iter(agent.hosts)) for agent in agents if len(agent.hosts) == 1}
    if len(hosts) == len(agents) and len(set(hosts.values())) > 1:
        return hosts
    return {agent: _last_name(agent) for agent in agents if agent.kind != "loose"}


def _are_node_names(rests: dict[Agent, tuple[str, ...]]) -> bool:
    known = [rest[0] for rest in rests.values() if rest]
    return bool(known) and all(NODE_NAME.fullmatch(name) for name in known)


def _shortest_different(rests: dict[Agent, tuple[str, ...]]) -> dict[Agent, str]:
    """Return as many directories of each place as it takes to tell all of them apart."""
    longest = max((len(rest) for rest in rests.values()), default=0)
    for length in range(1, longest):
        if len({rest[:length] for rest in rests.values()}) == len(set(rests.values())):
            return {agent: "/".join(rest[:length]) for agent, rest in rests.items()}
    return {agent: "/".join(rest) for agent, rest in rests.items()}


def _last_name(agent: Agent) -> str:
    """Return the name of its run directory or log, with the number of the launcher in a log of several."""
    return agent.parts[-1] + "".join(re.findall(r"#\d+$", agent.strands[0].name))


def _own_name(agent: Agent, roots: Sequence[tuple[str, ...]]) -> str | None:
    for root in roots:
        if agent.place[: len(root)] == root:
            below = agent.place[max(0, len(root) - 1) :]
            return next((name for name in below if re.fullmatch(r"(?:node|host)[-_]?\d+", name, re.IGNORECASE)), None)
    return None
