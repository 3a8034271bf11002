"""What launchers, loggers and viewers write in front of a line: taken off, and read for what they say.

Owns the walk over prefixes in any nesting: times, logger names, ranks, hosts, process ids. It refuses to guess: text
that only might be a prefix stays, and the indentation behind one is kept, so that a traceback's own shape survives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errors_core.paste_damage import overwritten_segments, repair_text, strip_colours
from errors_core.prefix_table import FIELDS, prefixes_of

if TYPE_CHECKING:
    from errors_core.log_times import YearlessTime

__all__ = ["Stripped", "strip_prefixes"]

_MAX_PREFIXES = 16
_HOST = re.compile(r"(?P<name>[a-z0-9][a-z0-9.-]*): ")
_REPLICA = re.compile(r"(?P<name>[A-Za-z][\w.-]*/\d{1,5}) ")  # torchx
_LOOKS_LIKE_A_NAME = re.compile(r"(?=.*[\d-])(?!\d+$)(?!.*\.(?:py|sh|cc|cpp|cu|so|h)$)")
_STRUCTURAL = re.compile(
    r"\[|Traceback \(most recent|  File \"|[IWEF]\d{3,4} \d\d:|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):|"
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b|Root Cause|={20}|-{20}|\*{20}|  (?:time|host|rank|exitcode) *:"
    r"|(?:[\w.-]+/)*torch/distributed/|[\w.-]+:\d+:\d+ \["
)
_STRUCTURAL_OR_INDENTED = re.compile(rf"[\s(>]|\d{{4}}-\d\d-|\d+ ?: |{_STRUCTURAL.pattern}")


@dataclass(slots=True)
class Stripped:
    """One line without its prefixes, and what they said.

    `rank` is a global rank (`[rank3]:`), `local_rank` and `role` come from tee (`[default0]:`), `task` is the number
    of `srun -l` or mpirun: the rank when workers were started directly, the node when launchers were. `replica` is
    torchx's name of a node (`trainer/0`). `pid` is the process that wrote the line. `time` is seconds since the epoch
    (a zone that is not written is read as UTC); `yearless` is set instead when the line's time has no year. `source`
    is the logger's name or file, `writer` the number that glog writes, be it the process (as `pid` then) or, in
    torch 2.3 and 2.4, a thread.
    """

    text: str
    rank: int | None = None
    local_rank: int | None = None
    role: str | None = None
    host: str | None = None
    pid: int | None = None
    time: float | None = None
    level: str | None = None
    task: int | None = None
    replica: str | None = None
    source: str | None = None
    yearless: YearlessTime | None = None
    writer: int | None = None


def strip_prefixes(line: str, known: frozenset[str] = frozenset()) -> Stripped:
    """Take all prefixes off one line.

    `known` are texts that were seen to stand in front of other lines of the same output, such as `node-a: ` (pdsh,
    DeepSpeed) and `trainer/0 ` (torchx): without that, they are only taken off what is clearly a log line of its own.
    """
    first, last = overwritten_segments(strip_colours(line))
    found = Stripped(text="")
    found.text = _strip(first, found, known)
    if last is not first:
        _add_marks(found, strip_prefixes(last, known))
    return found


def _add_marks(found: Stripped, later: Stripped) -> None:
    """Take the text that a terminal would show, and the marks that only it has."""
    found.text = later.text
    for name in (*FIELDS, "replica", "time", "yearless"):
        if getattr(found, name) is None:
            setattr(found, name, getattr(later, name))


def _strip(text: str, found: Stripped, known: frozenset[str]) -> str:
    text = repair_text(text)
    for _ in range(_MAX_PREFIXES):
        rest = _strip_one(text, found, known)
        if rest is None:
            break
        text = repair_text(rest)
    return text


def _strip_one(text: str, found: Stripped, known: frozenset[str]) -> str | None:
    bare = text.lstrip()
    if not bare:
        return None
    for prefix in prefixes_of(bare):
        if len(bare) != len(text) and not prefix.indented:
            continue
        match = prefix.pattern.match(bare)
        if match is not None and prefix.take(match, found):
            return bare[match.end() :]
    return _strip_named(text, found, known)


def _strip_named(text: str, found: Stripped, known: frozenset[str]) -> str | None:
    """Take `node-a: ` or `trainer/0 ` off when it is known or what follows is clearly a log line of its own."""
    for pattern, shape in ((_HOST, _STRUCTURAL), (_REPLICA, _STRUCTURAL_OR_INDENTED)):
        match = pattern.match(text)
        if match is None or (pattern is _HOST and found.host is not None):
            continue
        rest = text[match.end() :]
        if match[0] in known or (_LOOKS_LIKE_A_NAME.match(match["name"]) and shape.match(rest)):
            if pattern is _HOST:
                found.host = match["name"]
            else:
                found.replica = found.replica or match["name"]
            return rest
    return None
