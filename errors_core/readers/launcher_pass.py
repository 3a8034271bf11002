"""The one pass over a launcher's log: each line goes to the first of the readers that knows it.

Owns the order in which they are asked. What was found is put together in `launcher_log`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from errors_core.readers.agent_records import DumpReader, RendezvousReader
from errors_core.readers.launch import ENDS_ATTEMPT
from errors_core.readers.launcher_lines import Finding, parse_launcher_line
from errors_core.readers.launcher_tracebacks import is_launcher_frame
from errors_core.readers.other_launchers import ENDS_TRACEBACK, names_launcher, parse_other_launcher_line
from errors_core.readers.scheduler_log import MAY_BE_TEXT, parse_scheduler_line
from errors_core.readers.summary_block import SummaryReader

if TYPE_CHECKING:
    from errors_core.readers.log_lines import Context, LogLine
    from errors_core.readers.summary_entries import Block
    from errors_core.readers.worker_text import WorkerText

__all__ = ["LauncherPass"]

_NEAR = 12  # lines between a frame of the launcher and the end of its traceback


class LauncherPass:
    """What the pass over the lines found, in the order of the lines."""

    def __init__(self, text: WorkerText) -> None:
        self.text = text
        self.launcher: list[Finding] = []
        self.others: list[Finding] = []
        self.scheduler: list[Finding] = []
        self.summaries: dict[Context, SummaryReader] = {}
        self.dumps = DumpReader()
        self.rendezvous = RendezvousReader()
        self.tasks_are_ranks = True
        self.last_time: float | None = None
        self._launcher_frame = -_NEAR  # the line of the last frame that was a launcher's
        self._number = 0

    def take(self, line: LogLine, following: str) -> None:
        """Give a line to whoever knows it; `following` is the text of the next one."""
        marks = line.marks
        if line.number > self._number + 1:
            self.text.skip()
        self._number = line.number
        if marks.time is not None:
            self.last_time = marks.time
        if marks.task is not None and line.of_worker:
            self.tasks_are_ranks = False  # a task that holds several workers is a node
        context = line.context
        summary = self.summaries.get(context)
        if summary is None:
            summary = self.summaries[context] = SummaryReader()
        if summary.in_body and line.text[:1].isspace() and summary.feed(line):
            return
        if self.rendezvous.feed(line) or self.dumps.feed(line):
            self.text.end_tracebacks(context)
        elif self._take_finding(line, following):
            self.text.interrupt(line)
        elif not line.of_worker and summary.feed(line):
            self.text.end_tracebacks(context)
        else:
            self._take_text(line)

    def blocks(self) -> list[Block]:
        """Return all summaries in the order of the text."""
        return sorted((block for reader in self.summaries.values() for block in reader.blocks), key=lambda b: b.line)

    def year(self) -> int | None:
        """Return the year of the log, for lines that do not write it; `None` when none does."""
        stamps = [entry.fields.get("time", "").strip()[:4] for block in self.blocks() for entry in block.entries]
        years = [int(stamp) for stamp in stamps if stamp.isascii() and stamp.isdigit()]
        if years:
            return years[-1]
        return datetime.fromtimestamp(self.last_time, UTC).year if self.last_time is not None else None

    def _take_finding(self, line: LogLine, following: str) -> bool:
        found = parse_launcher_line(line, following)
        if found is not None:
            if found.kind == "rendezvous_result":
                found = Finding(found.kind, line, self.rendezvous.start(line).settings)
            self.tasks_are_ranks = self.tasks_are_ranks and line.marks.task is None
            self.launcher.append(found)
            if found.kind in ENDS_ATTEMPT:
                self.text.end_segment(line.context)
            return found.kind != "signal_exception"  # the last line of the launcher's own traceback
        if line.of_worker:
            return False
        found = parse_scheduler_line(line, following)
        if found is not None:
            self.scheduler.append(found)
            return found.kind not in MAY_BE_TEXT
        found = parse_other_launcher_line(line)
        if found is None or (found.kind in ENDS_TRACEBACK and not self._is_launchers(found)):
            return False
        self.others.append(found)
        return found.kind not in ENDS_TRACEBACK

    def _is_launchers(self, found: Finding) -> bool:
        """Tell whether a launcher speaks of this command: only then it is a worker, or a launcher, that failed."""
        command = found.values.get("command")
        near = found.line.number - self._launcher_frame < _NEAR
        return (
            command is None or near or "--local_rank" in command or "--local-rank" in command or names_launcher(command)
        )

    def _take_text(self, line: LogLine) -> None:
        if "File " in line.text and is_launcher_frame(line.text):
            self._launcher_frame = line.number
            self.tasks_are_ranks = self.tasks_are_ranks and line.marks.task is None
        self.text.add(line)
