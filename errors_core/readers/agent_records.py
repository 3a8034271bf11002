"""What the launcher writes over several lines: a JSON report that it dumps, the result of a rendezvous.

Owns the gathering of these lines. What the report's keys mean is told in `errors_core.error_report`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errors_core.error_file import parse_error_file
from errors_core.exceptions import ErrorFileError

if TYPE_CHECKING:
    from errors_core.error_report import ErrorReport
    from errors_core.readers.log_lines import LogLine

__all__ = [
    "Dump",
    "DumpReader",
    "Rendezvous",
    "RendezvousReader",
    "WorkerEvent",
    "parse_old_message",
    "parse_worker_event",
]

_MAX_LINES = 2000
_SETTING = re.compile(r"\s+(?P<name>[a-z_]+)=(?P<value>\S.*)$")


@dataclass(slots=True)
class Dump:
    """A report that was printed because no error file was arranged: the launcher's own, or a worker's."""

    line: LogLine
    texts: list[str] = field(default_factory=list)

    def report(self) -> ErrorReport | None:
        """Return what it says, as far as it goes; `None` when it says nothing."""
        return _parse_report("\n".join(self.texts))


class DumpReader:
    """Fed with lines in order, it gathers the reports among them."""

    def __init__(self) -> None:
        self.dumps: list[Dump] = []
        self._open: Dump | None = None

    def feed(self, line: LogLine) -> bool:
        """Take the next line; true when it belongs to a report."""
        text = line.text
        if self._open is None:
            if not text.startswith("{") or "error_handler" not in (line.marks.source or ""):
                return False
            self._open = Dump(line)
            self.dumps.append(self._open)
        elif text and not text.startswith(("{", "}", " ", '"')):
            self._open = None  # cut off, and something else goes on
            return False
        self._open.texts.append(text)
        if text.rstrip() == "}" or len(self._open.texts) > _MAX_LINES or _complete(text):
            self._open = None
        return True


@dataclass(slots=True)
class Rendezvous:
    """`Rendezvous complete for workers. Result:` and the settings below it (INFO level)."""

    line: LogLine
    settings: dict[str, str] = field(default_factory=dict)

    def numbers(self, name: str) -> list[int]:
        """Return a list of numbers such as `local_ranks=[0, 1]`."""
        return [int(number) for number in re.findall(r"\d{1,9}", self.settings.get(name, ""))]


class RendezvousReader:
    """Fed with lines in order, it gathers the settings below a result."""

    def __init__(self) -> None:
        self.results: list[Rendezvous] = []
        self._open = False

    def start(self, line: LogLine) -> Rendezvous:
        """Begin with the line that announces the result."""
        self.results.append(Rendezvous(line))
        self._open = True
        return self.results[-1]

    def feed(self, line: LogLine) -> bool:
        """Take the next line; true when it is one of the settings."""
        found = _SETTING.match(line.text) if self._open else None
        if found is None:
            self._open = self._open and not line.text.strip()
            return False
        self.results[-1].settings[found["name"]] = found["value"]
        return True


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """The event that torch 1.9 logs for each worker: `torchelastic.worker.status.FAILED` and its kin."""

    status: str
    run_id: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    group_rank: int | None = None
    world_size: int | None = None
    pid: int | None = None
    host: str | None = None
    role: str | None = None
    restarts: int | None = None
    report: ErrorReport | None = None


def parse_worker_event(text: str) -> WorkerEvent | None:
    """Read the JSON of a worker's event; a truncated one gives what stands before its end, `None`: nothing."""
    start = text.find('{"name"')
    if start < 0:
        return None
    try:
        outer, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        outer = _salvage(text[start:])
    known = _mapping(outer.get("metadata"))
    inner = _mapping(_loads(known.get("metadata")))
    local_ranks, world_sizes = inner.get("local_rank"), inner.get("role_world_size")
    return WorkerEvent(
        status=str(outer.get("name")).rpartition(".")[2],
        run_id=_text(known.get("run_id")),
        rank=_number(known.get("global_rank")),
        local_rank=_number(local_ranks[0]) if isinstance(local_ranks, list) and local_ranks else None,
        group_rank=_number(known.get("group_rank")),
        world_size=_number(world_sizes[0]) if isinstance(world_sizes, list) and world_sizes else None,
        pid=_number(known.get("worker_id")),
        host=_text(known.get("hostname")),
        role=_text(known.get("role")),
        restarts=_number(known.get("agent_restarts")),
        report=_parse_report(str(known.get("raw_error") or "")),
    )


def parse_old_message(text: str) -> ErrorReport | None:
    """Read the `msg:` of a block of torch 1.9: what an error file holds below its key "message"."""
    return _parse_report(f'{{"message": {text.strip()}}}')


def _parse_report(text: str) -> ErrorReport | None:
    if not text.strip():
        return None
    try:
        report = parse_error_file(text.encode("utf-8", "replace"))
    except ErrorFileError as error:
        return error.partial
    return report if report.message and report.message != "<NONE>" else None


def _salvage(text: str) -> dict[str, object]:
    """Return the plain values that can be told apart in an event whose end is missing."""
    pairs = re.findall(r'"(\w+)": ?(?:"([^"\\]*)"|(-?\d+))', text)
    flat: dict[str, object] = {name: words or (int(number) if number else "") for name, words, number in pairs}
    return {"name": flat.get("name"), "metadata": flat}


def _complete(text: str) -> bool:
    """Tell whether a line holds a whole JSON object."""
    return text.startswith("{") and len(text) > 2 and isinstance(_loads(text), dict)


def _loads(value: object) -> object:
    if not isinstance(value, str):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> int | None:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
