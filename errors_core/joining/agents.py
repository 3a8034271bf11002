"""`Agent`: one launcher on one node, put together from its log directory and what it printed.

Owns the evidence that a log and a directory belong to one launcher: error files that it names, process ids, names,
and lying side by side when nothing contradicts. It refuses to put nodes together (that is `errors_core.joining.runs`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from errors_core.readers.tree import without_suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from errors_core.joining.strands import Strand

__all__ = ["Agent", "common_length", "gather_agents"]

Span = tuple[float, float]

_OTHER_DAY = 17 * 3600  # no time zone explains it
_DIGITS = re.compile(r"\d+")


class Agent:
    """One launcher on one node, or loose files of whoever wrote them. `node` is the name that the run gives it."""

    def __init__(self, strands: Sequence[Strand]) -> None:
        self.strands = list(strands)
        self.node: str | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """Where its first strand lies."""
        return self.strands[0].parts

    @property
    def kind(self) -> str:
        """The kind of its first strand."""
        return self.strands[0].kind

    @property
    def floating(self) -> bool:
        """Whether it tells of workers and of no launcher."""
        return self.strands[0].floating

    @property
    def place(self) -> tuple[str, ...]:
        """The directory above its run directory, or its log's own path: what differs from node to node."""
        return self.parts[:-1] if self.kind == "run_directory" else self.parts

    @cached_property
    def pattern(self) -> tuple[str, ...]:
        """Its place without numbers: equal for directories that differ in numbers alone."""
        return tuple(_DIGITS.sub("#", part) for part in self.place)

    @cached_property
    def neighbours(self) -> frozenset[tuple[str, ...]]:
        """Its place with each directory left open in turn: places that differ in one directory share one of these."""
        place = self.place
        return frozenset((*place[:index], "", *place[index + 1 :]) for index in range(len(place)))

    @cached_property
    def run_id(self) -> str | None:
        """The run's id, as far as anything tells."""
        own = [strand.run_id for strand in self.strands if strand.run_id]
        seen = Counter(s.run_id for strand in self.strands for s in strand.sightings if s.run_id)
        return own[0] if own else (seen.most_common(1)[0][0] if seen else None)

    @cached_property
    def ranks(self) -> frozenset[tuple[int, int]]:
        """Pairs of attempt and global rank."""
        return frozenset((a + strand.shift, rank) for strand in self.strands for a, rank in strand.ranks)

    @cached_property
    def local_ranks(self) -> frozenset[int]:
        """The local ranks that it started, in any attempt."""
        return frozenset(local_rank for strand in self.strands for local_rank in strand.local_ranks)

    @cached_property
    def bases(self) -> dict[int, int]:
        """The global rank of local rank 0, by attempt."""
        return {a + strand.shift: base for strand in self.strands for a, base in strand.bases.items()}

    @cached_property
    def hosts(self) -> frozenset[str]:
        """The hosts that it names."""
        return frozenset(host for strand in self.strands for host in strand.hosts)

    @cached_property
    def recorded(self) -> Span | None:
        """First and last time in error files."""
        return _union(strand.recorded for strand in self.strands)

    @cached_property
    def logged(self) -> Span | None:
        """First and last time in logs, of an unknown time zone."""
        return _union(strand.logged for strand in self.strands)


def gather_agents(strands: Iterable[Strand], roots: Sequence[tuple[str, ...]] = ()) -> list[Agent]:
    """Return the agents that the strands show, those with a run directory first; `roots` are the inputs' paths."""
    strands = list(strands)
    agents = {id(strand): Agent([strand]) for strand in strands if strand.kind == "run_directory"}
    homes = [strand for strand in strands if strand.kind == "run_directory"]
    by_name: dict[str, list[Strand]] = defaultdict(list)
    for home in homes:
        by_name[home.parts[-1]].append(home)
    by_pid: dict[int, list[Strand]] = defaultdict(list)
    for home in homes:
        for pid in home.pids:
            by_pid[pid].append(home)
    unlinked = []
    for log in (strand for strand in strands if strand.kind == "log" and not strand.floating):
        found = _named_home(log, by_name) or _home_by_pid(log, by_pid)
        if found is not None:
            agents[id(found)].strands.append(log)
        else:
            unlinked.append(log)
    free = [home for home in homes if len(agents[id(home)].strands) == 1]
    for log, home in _neighbours(unlinked, free, {without_suffix(root) for root in roots}):
        log.shift = max(0, max(home.attempts, default=0) - max(log.attempts, default=0))
        agents[id(home)].strands.append(log)
        unlinked.remove(log)
    alone = [Agent([strand]) for strand in strands if strand.kind == "loose" or strand.floating]
    return [*agents.values(), *_printed_twice(unlinked, list(agents.values())), *alone]


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many parts two paths share at their beginning."""
    length = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        length += 1
    return length


def _named_home(log: Strand, by_name: dict[str, list[Strand]]) -> Strand | None:
    """Return the directory whose error files the launcher names; of several copies the nearest."""
    candidates = by_name.get(log.named_directory or "", [])
    return max(candidates, key=lambda home: common_length(home.parts, log.parts), default=None)


def _home_by_pid(log: Strand, by_pid: dict[int, list[Strand]]) -> Strand | None:
    """Return the directory whose workers recorded the process ids that the launcher names."""
    if log.named_directory is not None:
        return None
    votes = Counter(
        home for pid, mine in log.pids.items() for home in by_pid.get(pid, ()) if _same_worker(mine, home.pids[pid])
    )
    best = votes.most_common(2)
    if not best or (len(best) > 1 and best[1][1] == best[0][1]):
        return None
    return best[0][0]


def _same_worker(one: tuple[int | None, int | None], other: tuple[int | None, int | None]) -> bool:
    return one[1] is None or other[1] is None or one[1] == other[1]


def _neighbours(logs: list[Strand], homes: list[Strand], named: set[tuple[str, ...]]) -> list[tuple[Strand, Strand]]:
    """Return pairs of a log and a directory that lie side by side, where no other pair is possible.

    A log that was `named` as an input may lie anywhere.
    """
    found = []
    for pick in (_of_one_name, _below, _beside, lambda log, _: log.parts in named):
        options = {log: [home for home in homes if pick(log, home) and not _contradict(log, home)] for log in logs}
        taken = Counter(home for of_log in options.values() for home in of_log)
        for log, of_log in options.items():
            if len(of_log) == 1 and (taken[of_log[0]] == 1 or not _rivals(log, of_log[0], options)):
                found.append((log, of_log[0]))
        logs = [log for log in logs if log not in {pair[0] for pair in found}]
        homes = [home for home in homes if home not in {pair[1] for pair in found}]
    return found


def _of_one_name(log: Strand, home: Strand) -> bool:
    """Tell whether a directory beside the log has its name: `tee.log` and `tee.d/none_x1y2z3a4`."""
    beside = log.parts[:-1] == home.parts[: len(log.parts) - 1] and len(home.parts) >= len(log.parts)
    return beside and log.parts[-1].split(".")[0] == home.parts[len(log.parts) - 1].split(".")[0]


def _below(log: Strand, home: Strand) -> bool:
    """Tell whether the directory lies below the one that holds the log."""
    return home.parts[: len(log.parts) - 1] == log.parts[:-1]


def _beside(log: Strand, home: Strand) -> bool:
    """Tell whether the directory lies below a neighbour of the one that holds the log: `out/x.log`, `logs/none_…`."""
    return len(log.parts) > 2 and home.parts[: len(log.parts) - 2] == log.parts[:-2]


def _contradict(log: Strand, home: Strand) -> bool:
    if log.named_directory is not None or (log.run_id and home.run_id and log.run_id != home.run_id):
        return True
    if home.local_ranks and not log.local_ranks <= home.local_ranks:
        return True
    if home.recorded is not None and log.logged is not None:
        gap = max(home.recorded[0], log.logged[0]) - min(home.recorded[1], log.logged[1])
        if gap > _OTHER_DAY:
            return True
    told = {s.local_rank for s in log.sightings if s.summary_index is not None or (s.launcher_root and s.host)}
    wrote = {s.local_rank for s in home.sightings if s.source == "error_file" and s.attempt == max(home.attempts)}
    return bool(told & wrote - {None})  # it says of them that there is no error file


def _rivals(log: Strand, home: Strand, options: dict[Strand, list[Strand]]) -> bool:
    """Tell whether another log claims the directory with other processes: two launchers did not share it."""
    others = [other for other, homes in options.items() if homes == [home] and other is not log]
    return any(_clash(log, other) for other in others)


def _clash(one: Strand, other: Strand) -> bool:
    mine = {where: pid for pid, where in one.pids.items() if where[1] is not None}
    theirs = {where: pid for pid, where in other.pids.items() if where[1] is not None}
    return any(mine[where] != theirs[where] for where in mine.keys() & theirs.keys())


def _printed_twice(logs: list[Strand], linked: list[Agent]) -> list[Agent]:
    """Return an agent for each log, but one for logs that show the same processes with the same ends."""
    known: dict[tuple[object, ...], Agent] = {}
    agents: list[Agent] = []
    for agent in linked:
        for log in agent.strands[1:]:
            known.update(dict.fromkeys(_ends(log), agent))
    for log in logs:
        ends = _ends(log)
        agent = next((known[end] for end in ends if end in known), None) or Agent([])
        if not agent.strands:
            agents.append(agent)
        agent.strands.append(log)
        known.update(dict.fromkeys(ends, agent))
    return agents


def _ends(log: Strand) -> list[tuple[object, ...]]:
    return [
        (s.pid, s.local_rank, s.exitcode, s.timestamp)
        for s in log.sightings
        if s.pid is not None and s.exitcode is not None and s.timestamp is not None
    ]


def _union(spans: Iterable[Span | None]) -> Span | None:
    known = [span for span in spans if span is not None]
    return (min(span[0] for span in known), max(span[1] for span in known)) if known else None
