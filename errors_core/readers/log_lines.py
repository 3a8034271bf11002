"""A log as numbered lines without prefixes, with the damage undone that only several lines or a whole paste show.

Owns the way from bytes to `LogLine`: decoding, line numbers, hosts that stand in front of lines, logs whose line ends
were turned into blanks. It refuses to know what a line means.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from errors_core.prefixes import Stripped, strip_prefixes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Context", "LogLine", "LogLines", "split_collapsed"]

_COLLAPSED = re.compile(
    r"Traceback \(most recent call last\): +(?:File |\+ )|\[\d{1,6}\]: +time *: |(?:={20,}|-{20,}) +\S.* FAILED "
)
_BREAKS = re.compile(
    r" +(?=={20,}|-{20,}|\*{20,}|<NO_OTHER_FAILURES>"
    r"|Failures: |Other Failures: |Root Cause(?: \(first observed failure\))?: "
    r"|\[\d{1,6}\]: +time *: "
    r"|(?:time|host|rank|exitcode) *: \S|error_file: |(?:traceback|msg) *: "
    r"|(?:ERROR|WARNING|INFO):torch\.|[EWI]\d{4} \d\d:\d\d:\d\d\.|\[\d{4}-\d\d-\d\d \d\d:"
    r"|Traceback \(most recent call last\):"
    r"|The above exception was the direct cause|During handling of the above exception"
    r"|(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt): ?)"
    r"|(?<=[=*-]{20}) +(?=\S)"
)
_RECORD_KEYS = ("log", "message", "msg", "textPayload")
_RECORD_TIMES = ("time", "timestamp", "@timestamp", "ts")
_RECORD_MARKS = frozenset(("stream", "kubernetes", "level", "severity", "pod", "container", "resource", "_p"))
_FRAME = re.compile(r" +(?P<frame>File \"?[^\s\"][^\"]*?\"?, line \d+(?:, in \S+)?)(?: +|$)")


class Context(NamedTuple):
    """Which output of several a line comes from: the task of `srun -l` or mpirun, the host or torchx's replica."""

    task: int | None = None
    host: str | None = None
    replica: str | None = None


@dataclass(slots=True)
class LogLine:
    """One line: its number from 1, its text without prefixes, and what these said."""

    number: int
    marks: Stripped

    @property
    def text(self) -> str:
        """The text without prefixes."""
        return self.marks.text

    @property
    def context(self) -> Context:
        """Where the line comes from, as its prefixes tell."""
        return Context(self.marks.task, self.marks.host, self.marks.replica)

    @property
    def of_worker(self) -> bool:
        """Whether its prefixes say that a worker wrote it."""
        return self.marks.rank is not None or self.marks.local_rank is not None


class LogLines:
    """Turns raw lines into `LogLine`s, learning on the way what stands in front of lines."""

    def __init__(self) -> None:
        self._known: frozenset[str] = frozenset()

    def parse(self, raw_lines: Iterable[tuple[int, bytes]]) -> Iterator[LogLine]:
        """Yield the lines of a log; a line that holds a whole collapsed log gives several of one number."""
        for number, raw in raw_lines:
            text = raw.decode("utf-8", "replace")
            if text.startswith('{"'):
                text = _unwrapped(text)
            if len(text) > 160 and _COLLAPSED.search(text):
                for piece in split_collapsed(text):
                    yield self._line(number, piece)
            else:
                yield self._line(number, text)

    def _line(self, number: int, text: str) -> LogLine:
        marks = strip_prefixes(text, self._known)
        if marks.host is not None or marks.replica is not None:
            self._learn(text, marks)
        return LogLine(number, marks)

    def _learn(self, text: str, marks: Stripped) -> None:
        """Remember what stands in front of this line when it may stand in front of others."""
        name, blank, _ = text.lstrip().partition(" ")
        if name in (f"{marks.host}:", marks.replica):
            self._known |= {name + blank}


def _unwrapped(text: str) -> str:
    """Take a line out of the JSON of a container runtime or a log shipper; other JSON stays."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return text
    line = next((record[key] for key in _RECORD_KEYS if isinstance(record.get(key), str)), None)
    if line is None or not record.keys() & _RECORD_MARKS:
        return text
    stamp = next((record[key] for key in _RECORD_TIMES if isinstance(record.get(key), str)), "")
    return f"{stamp} {line}" if stamp else str(line)


def split_collapsed(text: str) -> list[str]:
    """Give a log back its lines after something turned every line end into a blank."""
    lines: list[str] = []
    for piece in _BREAKS.split(text):
        lines += _split_frames(piece)
    return lines


def _split_frames(piece: str) -> list[str]:
    """Put each `File …, line …` on a line of its own, and the code behind it on the next, indented as Python does."""
    if "File " not in piece:
        return [piece]
    first, *rest = _FRAME.split(piece)
    lines = [first] if first.strip() else []
    for frame, code in zip(rest[::2], rest[1::2], strict=True):
        lines.append(f"  {frame}")
        if code.strip():
            lines.append(f"    {code.strip()}")
    return lines
