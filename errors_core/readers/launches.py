"""Which launcher a finding belongs to, and which attempt: one log may hold several nodes, restarts and launches.

Owns the reasoning about order: closing lines come before `failed (exitcode`, a summary comes last, a restart may show
only as a further `failed` line. It refuses to build sightings (that is `launcher_log`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errors_core.readers.launcher_lines import Finding
    from errors_core.readers.log_lines import Context
    from errors_core.readers.summary_block import Block, Entry

__all__ = ["ENDS_ATTEMPT", "Launch", "Launches", "RunPlace", "parse_run_place"]

ENDS_ATTEMPT = frozenset({"failed", "restart"})
"""Kinds of lines at which an attempt may end."""

_RUN_PLACE = re.compile(
    r"(?:(?P<run_id>[^/\s]*)_(?P<random>[a-z0-9_]{8})/)?attempt_(?P<attempt>\d{1,9})/(?P<local_rank>\d{1,9})/[^/\s]+$"
)
_BEFORE_FAILED = frozenset({"closing", "forced", "death", "reply_file", "rendezvous_result"})


@dataclass(frozen=True, slots=True)
class RunPlace:
    """What the path of an error file says: `<run id>_<random>/attempt_<n>/<local rank>/error.json`."""

    run_id: str | None
    attempt: int
    local_rank: int


def parse_run_place(path: str | None) -> RunPlace | None:
    """Read the path of an error file in torchrun's log directory; `None` for any other path."""
    match = _RUN_PLACE.search(path or "")
    if match is None:
        return None
    return RunPlace(match["run_id"] or None, int(match["attempt"]), int(match["local_rank"]))


@dataclass(slots=True)
class Launch:
    """One launcher (agent) from its start to its end, with all that it said.

    `first_attempt` is the number of the first attempt that the log shows. `ends` are the lines at which an attempt
    ended; `restarted` tells whether another one follows the last of them.
    """

    context: Context
    writer: int | None = None
    findings: list[Finding] = field(default_factory=list)
    block: Block | None = None
    ends: list[int] = field(default_factory=list)
    restarted: bool = False
    first_attempt: int = 0
    run_id: str | None = None
    name: str = ""

    @property
    def first_line(self) -> int:
        """Where it speaks first."""
        lines = [finding.line.number for finding in self.findings]
        return min(lines + ([self.block.line] if self.block is not None else []), default=0)

    @property
    def last_line(self) -> int:
        """Where it speaks last."""
        lines = [finding.line.number for finding in self.findings]
        return max(lines + ([self.block.last_line] if self.block is not None else []), default=0)

    def attempt_at(self, line: int) -> int:
        """Return the number of the attempt that a line belongs to."""
        return self.first_attempt + self._index_at(line)

    def block_attempt(self) -> int:
        """Return the number of the attempt that the summary is about: the one whose failure has one of its pids."""
        pids = self.block.pids if self.block is not None else set()
        for finding in reversed(self.findings):
            if finding.kind == "failed" and finding.number("pid") in pids:
                return self.attempt_at(finding.line.number)
        return self.attempt_at(self.block.line if self.block is not None else 0)

    def settle(self) -> None:
        """Work out where attempts end and which number the first one has."""
        self.findings.sort(key=lambda finding: finding.line.number)
        for finding in self.findings:
            self._settle_end(finding)
        for index, number in self._numbered():
            self.first_attempt = max(number - index, 0)
        places = [parse_run_place(path) for path in self._error_files()]
        self.run_id = next((place.run_id for place in places if place is not None and place.run_id), self.run_id)

    def _error_files(self) -> list[str | None]:
        entries = self.block.entries if self.block is not None else []
        return [found.values.get("error_file") for found in self.findings] + [
            entry.fields.get("error_file") for entry in entries
        ]

    def _settle_end(self, finding: Finding) -> None:
        line = finding.line.number
        if finding.kind == "failed":
            self.ends.append(line)
            self.restarted = False
        elif finding.kind == "restart":
            if self.ends and not self.restarted:
                self.ends[-1] = line  # what workers print until then is still theirs
            else:
                self.ends.append(line)
            self.restarted = True
        elif finding.kind in _BEFORE_FAILED and self.ends:
            self.restarted = True

    def _index_at(self, line: int) -> int:
        index = bisect_left(self.ends, line)
        return index if index < len(self.ends) or self.restarted or index == 0 else index - 1

    def _numbered(self) -> list[tuple[int, int]]:
        """Return what the launcher itself says: pairs of our index and its number of an attempt."""
        said: list[tuple[int, int]] = []
        for finding in self.findings:
            here = self._index_at(finding.line.number)
            place = parse_run_place(finding.values.get("error_file"))
            left, limit = finding.number("left"), finding.number("max")
            if finding.kind in ("parent", "reply_file") and place is not None:
                said.append((here, place.attempt))
            elif left is not None and limit is not None:
                said.append((here, limit - left))
            elif "restart_count" in finding.values:
                said.append((here, int(finding.values["restart_count"])))
        if self.block is not None:
            here = self.block_attempt() - self.first_attempt
            places = [parse_run_place(entry.fields.get("error_file")) for entry in self.block.entries]
            said += [(here, place.attempt) for place in places if place is not None]
        return said


class Launches:
    """All launchers of one log."""

    def __init__(self) -> None:
        self.all: list[Launch] = []

    def add(self, finding: Finding) -> None:
        """Give a finding to the launcher that said it: by its output and its process or thread id."""
        writer = finding.line.marks.writer
        nearby = [launch for launch in reversed(self.all) if launch.context == finding.line.context]
        if writer is not None:
            mine = [launch for launch in nearby if launch.writer == writer]
        else:
            open_ones = [launch for launch in nearby if launch.block is None]
            mine = [launch for launch in open_ones if launch.writer == finding.number("pid")] or open_ones
        if mine:
            mine[0].findings.append(finding)
        else:
            self.all.append(Launch(finding.line.context, writer, [finding]))

    def add_block(self, block: Block) -> None:
        """Give a summary to the launcher whose failed or closed processes it lists, else to the last one before it."""
        pids = block.pids
        nearby = [launch for launch in self.all if launch.context == block.context]
        candidates = [launch for launch in nearby if _pids(launch) & pids]
        free = [launch for launch in candidates if launch.block is None]
        if free:
            free[-1].block = block
        elif candidates:
            self.all.append(_split(candidates[-1], block))
        elif not self._adopt(nearby, block):
            self.all.append(Launch(block.context, block=block))

    def settle(self, path: str) -> None:
        """Count the attempts of every launcher and give each launcher a name."""
        for launch in self.all:
            launch.settle()
        self._continue_relaunches()
        names = sorted({id(launch): launch.first_line for launch in self.all}.items(), key=lambda item: item[1])
        order = {identity: number for number, (identity, _) in enumerate(names, start=1)}
        for launch in self.all:
            launch.name = path if len(self.all) == 1 else f"{path}#{order[id(launch)]}"

    def at(self, context: Context, line: int, rank: int | None) -> Launch | None:
        """Return the launcher that a worker's line belongs to, `None` when several are possible."""
        nearby = [launch for launch in self.all if launch.context == context] or self.all
        if len(nearby) < 2:
            return nearby[0] if nearby else None
        theirs = [launch for launch in nearby if rank in _ranks(launch)] if rank is not None else []
        nearby = theirs or nearby
        if len(nearby) > 1 and _overlap(nearby):
            return None
        nearby = sorted(nearby, key=lambda launch: launch.last_line)
        return next((launch for launch in nearby if launch.last_line >= line), nearby[-1])

    def _adopt(self, nearby: list[Launch], block: Block) -> bool:
        for launch in reversed(nearby):
            if launch.block is None and launch.first_line <= block.line and not _contradicts(launch, block):
                launch.block = block
                return True
        return False

    def _continue_relaunches(self) -> None:
        """Go on counting attempts where the same workers were simply launched again into the same log."""
        launches = sorted(self.all, key=lambda launch: launch.first_line)
        for earlier, later in pairwise(launches):
            if _is_relaunch(earlier, later):
                later.first_attempt += earlier.attempt_at(earlier.last_line + 1) + 1


def _pids(launch: Launch) -> set[int]:
    kinds = ("failed", "closing", "forced", "notice")
    return {pid for found in launch.findings if found.kind in kinds and (pid := found.number("pid")) is not None}


def _ranks(launch: Launch) -> set[int]:
    entries: list[Entry] = launch.block.entries if launch.block is not None else []
    return {rank for entry in entries if (rank := entry.number("rank")) is not None}


def _split(launch: Launch, block: Block) -> Launch:
    """Take the findings about a block's processes out of a launch that has another block: they are another node's."""
    mine = [finding for finding in launch.findings if finding.number("pid") in block.pids]
    launch.findings = [finding for finding in launch.findings if finding not in mine]
    return Launch(launch.context, launch.writer, mine, block)


def _contradicts(launch: Launch, block: Block) -> bool:
    """Tell whether a launcher's last failed process should be in a block and is not."""
    failed = [finding for finding in launch.findings if finding.kind == "failed"]
    return bool(failed and block.pids) and failed[-1].number("pid") not in block.pids


def _overlap(launches: list[Launch]) -> bool:
    spans = sorted((launch.first_line, launch.last_line) for launch in launches)
    return any(second[0] <= first[1] for first, second in pairwise(spans))


def _hosts(launch: Launch) -> set[str]:
    entries: list[Entry] = launch.block.entries if launch.block is not None else []
    return {entry.fields["host"] for entry in entries if "host" in entry.fields}


def _run_directory(launch: Launch) -> bool:
    entries: list[Entry] = launch.block.entries if launch.block is not None else []
    return any(parse_run_place(entry.fields.get("error_file")) for entry in entries)


def _is_relaunch(earlier: Launch, later: Launch) -> bool:
    same_output = earlier.context == later.context and earlier.last_line < later.first_line
    same_workers = _ranks(earlier) & _ranks(later) and not (_hosts(earlier) ^ _hosts(later))
    return bool(same_output and same_workers) and not (_run_directory(earlier) or _run_directory(later))
