"""What launchers, loggers and viewers write in front of a line: taken off, and read for what they say.

Owns the prefixes, in any nesting: times, logger names, ranks, hosts, process ids (`docs` of each pattern says who
writes it). It refuses to guess: text that only might be a prefix stays, and the indentation behind one is kept, so
that a traceback's own shape survives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from errors_core.log_times import DATE, DAY_FIRST, SYSLOG_DATE, YearlessTime, parse_date, parse_syslog_date
from errors_core.paste_damage import overwritten_segments, repair_text, strip_colours

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Stripped", "strip_prefixes"]

_MAX_PREFIXES = 16
_PID_LIMIT = 1 << 22  # Linux counts process ids up to here; glog of torch 2.3 and 2.4 writes thread ids, far above
_LEVELS = {"D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL", "C": "CRITICAL", "V": "DEBUG"}
_LEVEL = r"(?P<level>DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)"
_NO_ROLES = frozenset(
    ("step", "epoch", "iter", "iteration", "batch", "layer", "block", "fold", "sample", "gpu", "cuda", "device", "node")
)


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
    for name in (*_FIELDS, "replica", "time", "yearless"):
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
    for prefix in _BY_FIRST.get(bare[0], _LETTERS if bare[0].isalpha() else ()):
        if len(bare) != len(text) and not prefix.indented:
            continue
        match = prefix.pattern.match(bare)
        if match is not None and prefix.take(match, found):
            return bare[match.end() :]
    return _strip_named(text, found, known)


class _Prefix(NamedTuple):
    """One way to begin a line. `indented`: it counts behind blanks as well; `take` notes what it says or refuses."""

    pattern: re.Pattern[str]
    take: Callable[[re.Match[str], Stripped], bool]
    indented: bool = True


def _take_date(match: re.Match[str], found: Stripped) -> bool:
    time = parse_date(match.groupdict())
    if time is None:
        return False
    found.time = time if found.time is None else found.time
    return _take_words(match, found)


def _take_syslog(match: re.Match[str], found: Stripped) -> bool:
    time = parse_syslog_date(match.groupdict())
    if isinstance(time, YearlessTime):
        found.yearless = time
    elif time is not None:
        found.time = time
    return _take_words(match, found)


def _take_glog(match: re.Match[str], found: Stripped) -> bool:
    stamp = match["stamp"]
    found.level = found.level or _LEVELS[match["letter"]]
    if stamp is not None:
        clock = match["clock"].split(":")
        found.yearless = YearlessTime(int(stamp[:-2]), int(stamp[-2:]), int(clock[0]), int(clock[1]), float(clock[2]))
    writer = match.groupdict().get("writer")
    if writer is not None and found.pid is None and int(writer) < _PID_LIMIT:
        found.pid = int(writer)
    return _take_words(match, found)


def _take_words(match: re.Match[str], found: Stripped) -> bool:
    """Note every named group that is a field of `Stripped`; the outermost prefix wins."""
    for name, value in match.groupdict().items():
        if value is None or name not in _FIELDS:
            continue
        if getattr(found, name) is None:
            setattr(found, name, int(value) if name in _NUMBERS else value)
    return True


def _take_tag(match: re.Match[str], found: Stripped) -> bool:
    """Read `[name3]:`: torch's own excepthook writes "rank" and the global rank, tee the role and the local rank.

    A role may be called "rank" as well: then the outer one of two is tee's.
    """
    name, number = match["name"], int(match["number"])
    if name.lower() in _NO_ROLES:
        return False
    if name != "rank":
        found.role, found.local_rank = name, number
    elif found.rank is None:
        found.rank = number
    else:
        found.role, found.local_rank, found.rank = "rank", found.rank, number
    return True


def _take_nothing(match: re.Match[str], found: Stripped) -> bool:  # noqa: ARG001 - every `take` is called alike
    return True


_NUMBERS = frozenset({"rank", "local_rank", "pid", "task", "writer"})
_FIELDS = _NUMBERS | {"role", "host", "level", "source"}


def _prefix(
    pattern: str, take: Callable[[re.Match[str], Stripped], bool] = _take_words, *, indented: bool = True
) -> _Prefix:
    return _Prefix(re.compile(pattern), take, indented)


_BRACKETS = (
    _prefix(r"\[rank(?P<rank>\d+)\[\]:"),  # torn by another rank's write
    _prefix(r"\[(?P<name>rank)(?P<number>\d+)\]:(?: (?=(?:  )*(?:\S|$)))?", _take_tag),
    _prefix(r"\[(?P<name>[A-Za-z_][\w.-]*?)(?P<number>\d+)\]:(?=\S|\s|$)", _take_tag),
    _prefix(r"\[rank[:=] ?(?P<rank>\d+)\](?! Child process) ?:? ?"),  # Lightning, Determined
    _prefix(rf"\[{DATE}\] (?P<host>\S+) (?:\[rank=(?P<rank>\d+)\] )?\|\|(?: |$)", _take_date),  # Determined
    _prefix(rf"\[{DATE}\]\[(?P<source>[\w.]+)\]\[{_LEVEL}\] - ", _take_date),  # hydra
    _prefix(rf"\[{DATE}\] \[{_LEVEL}\] (?:\[(?P<source>[\w.]+:\d+(?::\w+)?)\] )?", _take_date),  # DeepSpeed
    _prefix(rf"\[{DATE}\] (?P<source>[\w.]+): \[{_LEVEL}\] ?", _take_date),  # torch 2.1, 2.2
    _prefix(rf"\[(?:{DATE})\] ?", _take_date),
    _prefix(rf"\[{DAY_FIRST}\] (?:{_LEVEL} +)?", _take_date),  # rich
    _prefix(rf"\[{SYSLOG_DATE}\] ", _take_syslog),  # dmesg -T
    _prefix(r"\[ *\d+\.\d{6}\] "),  # dmesg: seconds since the machine started, no time of day
    _prefix(
        r"\[(?P<letter>[DIWEFCV])(?P<stamp>\d{3,4})? ?(?P<clock>\d\d:\d\d:\d\d\.\d+)? ?"
        r"(?P<source>[\w./-]+\.(?:cpp|hpp|cc|h|cu):\d+)\] ",
        _take_glog,
    ),  # c10
    _prefix(r"\[\d+,(?P<task>\d+)\]<std(?:out|err)>:(?: (?=(?:  )*(?:\S|$)))?"),  # mpirun --tag-output
    _prefix(r"\[\d+,mpirank:(?P<task>\d+),(?P<host>[\w.-]+)\]<std(?:out|err)>:"),  # SageMaker's mpirun
    _prefix(r"\[pod/(?P<host>[\w.-]+)/[\w.-]+\] "),  # kubectl logs --prefix
    _prefix(r"\[\d{3,}\] (?!finished|joined|is setting|failed)|\[\d{3,}\] ?$|\[\d+\] (?=\[)", _take_nothing),  # viewers
    _prefix(r"\[(?=(?:ERROR|WARNING):torch)", _take_nothing),  # a Markdown link around the line
)
_PARENTHESES = (_prefix(r"\((?:[\w.:<>-]+ )*pid=(?P<pid>\d+)(?:, ip=(?P<host>[\w.:-]+))?\) ?"),)  # Ray, monarch
_DIGITS = (
    _prefix(rf"{DATE}(?: - (?:(?:(?P<source>[\w.]+) - )?{_LEVEL}(?: - |: ?))?| |$)", _take_date),
    _prefix(rf"{DAY_FIRST}(?: - | |$)(?:{_LEVEL} - )?", _take_date),
    _prefix(rf"\d+(?:\.\d+)?(?:e[+-]?\d+)?\t{_LEVEL}\t(?:[\w.-]+\t)?"),  # zap, Kubernetes operators
    _prefix(r"(?P<task>\d{1,5}) ?:(?: |$)", indented=False),  # srun -l
)
_LETTERS = (
    _prefix(
        r"(?P<letter>[DIWEFCV])(?P<stamp>\d{3,4}) (?P<clock>\d\d:\d\d:\d\d\.\d+) +"
        r"(?P<writer>\d{1,20}) (?P<source>[^\s\]]+:\d+)\] ?",
        _take_glog,
    ),  # torch 2.3 and later, absl
    _prefix(rf"{_LEVEL}: ?(?P<source>torch\.[\w.]+):"),
    _prefix(rf"{_LEVEL}:(?P<source>[A-Za-z_][\w.]*):"),  # logging.basicConfig
    _prefix(r"(?P<source>(?:[\w.-]+/)*torch/distributed/[\w./-]+\.py:\d+)\] "),  # glog whose beginning was cut off
    _prefix(r"std(?:err|out): ?", _take_nothing),  # accelerate's tests
    _prefix(rf'time="{DATE}" level=(?P<level>\w+) msg=', _take_date),  # logrus
    _prefix(rf"{SYSLOG_DATE} (?P<host>[\w.-]+) [\w./-]+(?:\[(?P<pid>\d+)\])?: ", _take_syslog),
    _prefix(r"(?P<host>[\w.-]+):(?P<pid>\d+):\d+ (?=\[\d+\] .*NCCL |\[\d+\] *NCCL)"),  # NCCL_DEBUG
    _prefix(r"(?P<host>[a-z][\w.-]*[-_.]\d+) +\| ?", indented=False),  # docker compose
)
_BY_FIRST: dict[str, tuple[_Prefix, ...]] = {
    "[": _BRACKETS,
    "(": _PARENTHESES,
    ">": (_prefix(r"(?:> ?)+(?=.)", _take_nothing),),  # quoted mail
    "|": (_prefix(r"\| (?=\[[A-Za-z_]\w*\d+\]:|[IWE]\d{4} )", _take_nothing),),  # a folding tool's tree
    "*": (_prefix(r"\* \d+ x (?=[IWE]\d{4} |\[)", _take_nothing),),
    **dict.fromkeys("0123456789", _DIGITS),
}

_HOST = re.compile(r"(?P<name>[a-z0-9][a-z0-9.-]*): ")
_REPLICA = re.compile(r"(?P<name>[A-Za-z][\w.-]*/\d{1,5}) ")  # torchx
_LOOKS_LIKE_A_NAME = re.compile(r"(?=.*[\d-])(?!\d+$)(?!.*\.(?:py|sh|cc|cpp|cu|so|h)$)")
_STRUCTURAL = re.compile(
    r"\[|Traceback \(most recent|  File \"|[IWEF]\d{3,4} \d\d:|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):|"
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b|Root Cause|={20}|-{20}|\*{20}|  (?:time|host|rank|exitcode) *:"
    r"|(?:[\w.-]+/)*torch/distributed/|[\w.-]+:\d+:\d+ \["
)
_STRUCTURAL_OR_INDENTED = re.compile(rf"[\s(>]|\d{{4}}-\d\d-|\d+ ?: |{_STRUCTURAL.pattern}")


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
