"""Which launcher a finding or a summary belongs to: one log may hold those of several nodes, and several launches.

Owns the evidence that parts launchers: the output that a line comes from, process ids, who is listed where. It refuses
to build sightings (that is `launcher_sightings`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from errors_core.readers.launch import Launch, parse_run_place

if TYPE_CHECKING:
    from errors_core.readers.launcher_lines import Finding
    from errors_core.readers.log_lines import Context
    from errors_core.readers.summary_entries import Block, Entry

__all__ = ["Launches"]


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
