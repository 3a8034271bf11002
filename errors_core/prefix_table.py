"""The prefixes of log lines that are known, and how each is read.

Owns the table: one expression for each writer. It refuses to decide in which order they are tried (that is
`errors_core.prefixes`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from errors_core.log_times import DATE, DAY_FIRST, SYSLOG_DATE, YearlessTime, parse_date, parse_syslog_date

if TYPE_CHECKING:
    from collections.abc import Callable

    from errors_core.prefixes import Stripped

__all__ = ["FIELDS", "Prefix", "prefixes_of"]

_PID_LIMIT = 1 << 22  # Linux counts process ids up to here; glog of torch 2.3 and 2.4 writes thread ids, far above
_LEVELS = {"D": "DEBUG", "I": "INFO", "W": "WARNING", "E": "ERROR", "F": "FATAL", "C": "CRITICAL", "V": "DEBUG"}
_LEVEL = r"(?P<level>DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)"
_NO_ROLES = frozenset(
    ("step", "epoch", "iter", "iteration", "batch", "layer", "block", "fold", "sample", "gpu", "cuda", "device", "node")
)


class Prefix(NamedTuple):
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
        if value is None or name not in FIELDS:
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
FIELDS = _NUMBERS | {"role", "host", "level", "source"}


def _prefix(
    pattern: str, take: Callable[[re.Match[str], Stripped], bool] = _take_words, *, indented: bool = True
) -> Prefix:
    return Prefix(re.compile(pattern), take, indented)


_BRACKETED_NUMBERS = (
    _prefix(rf"\[{DATE}\] (?P<host>\S+) (?:\[rank=(?P<rank>\d+)\] )?\|\|(?: |$)", _take_date),  # Determined
    _prefix(rf"\[{DATE}\]\[(?P<source>[\w.]+)\]\[{_LEVEL}\] - ", _take_date),  # hydra
    _prefix(rf"\[{DATE}\] \[{_LEVEL}\] (?:\[(?P<source>[\w.]+:\d+(?::\w+)?)\] )?", _take_date),  # DeepSpeed
    _prefix(rf"\[{DATE}\] (?P<source>[\w.]+): \[{_LEVEL}\] ?", _take_date),  # torch 2.1, 2.2
    _prefix(rf"\[(?:{DATE})\] ?", _take_date),
    _prefix(rf"\[{DAY_FIRST}\] (?:{_LEVEL} +)?", _take_date),  # rich
    _prefix(r"\[\d+,(?P<task>\d+)\]<std(?:out|err)>:(?: (?=(?:  )*(?:\S|$)))?"),  # mpirun --tag-output
    _prefix(r"\[\d+,mpirank:(?P<task>\d+),(?P<host>[\w.-]+)\]<std(?:out|err)>:"),  # SageMaker's mpirun
    _prefix(r"\[\d{3,}\] (?!finished|joined|is setting|failed)|\[\d{3,}\] ?$|\[\d+\] (?=\[)", _take_nothing),  # viewers
    _prefix(r"\[ *\d+\.\d{6}\] "),  # dmesg: seconds since the machine started, no time of day
)
_BRACKETED_WORDS = (
    _prefix(r"\[rank(?P<rank>\d+)\[\]:"),  # torn by another rank's write
    _prefix(r"\[(?P<name>rank)(?P<number>\d+)\]:(?: (?=(?:  )*(?:\S|$)))?", _take_tag),
    _prefix(r"\[(?P<name>[A-Za-z_][\w.-]*?)(?P<number>\d+)\]:(?=\S|\s|$)", _take_tag),
    _prefix(r"\[rank[:=] ?(?P<rank>\d+)\](?! Child process) ?:? ?"),  # Lightning, Determined
    _prefix(rf"\[{SYSLOG_DATE}\] ", _take_syslog),  # dmesg -T
    _prefix(
        r"\[(?P<letter>[DIWEFCV])(?P<stamp>\d{3,4})? ?(?P<clock>\d\d:\d\d:\d\d\.\d+)? ?"
        r"(?P<source>[\w./-]+\.(?:cpp|hpp|cc|h|cu):\d+)\] ",
        _take_glog,
    ),  # c10
    _prefix(r"\[(?P<host>[\w.-]+):(?P<pid>\d+) ?:\d+:\d+\] "),  # UCX
    _prefix(r"\[(?P<host>[\w.-]+):(?P<pid>\d+)\] (?=\*\*\* |Signal|Failing|\[ ?\d+\])"),  # Open MPI's crash handler
    _prefix(r"\[pod/(?P<host>[\w.-]+)/[\w.-]+\] "),  # kubectl logs --prefix
    _prefix(r"\[(?=(?:ERROR|WARNING):torch)", _take_nothing),  # a Markdown link around the line
)
_BRACKETED_BLANKS = (
    _prefix(r"\[ *\d+\.\d{6}\] "),  # dmesg: seconds since the machine started, no time of day
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
_OTHERS: dict[str, tuple[Prefix, ...]] = {
    "(": _PARENTHESES,
    ">": (_prefix(r"(?:> ?)+(?=.)", _take_nothing),),  # quoted mail
    "|": (_prefix(r"\| (?=\[[A-Za-z_]\w*\d+\]:|[IWE]\d{4} )", _take_nothing),),  # a folding tool's tree
    "*": (_prefix(r"\* \d+ x (?=[IWE]\d{4} |\[)", _take_nothing),),
}
_WORD_OF_PREFIX = re.compile(
    r"[DIWEFCV]\d{3,4} |(?:DEBUG|INFO|WARN|ERROR|CRITICAL|FATAL)\w*:|std(?:err|out):|time=|[A-Z][a-z]{2} "
    r"|(?:[\w.-]+/)*torch/distributed/|[\w.-]+:\d+:\d+ \[|[a-z][\w.-]*[-_.]\d+ +\|"
)


def prefixes_of(text: str) -> tuple[Prefix, ...]:
    """Return the prefixes that a text, which is not empty and has no indentation, may begin with."""
    first = text[0]
    if first == "[":
        second = text[1:2]
        if second.isdigit():
            return _BRACKETED_NUMBERS
        return _BRACKETED_BLANKS if second == " " else _BRACKETED_WORDS
    if first.isdigit():
        return _DIGITS
    if first.isalpha():
        return _LETTERS if _WORD_OF_PREFIX.match(text) else ()
    return _OTHERS.get(first, ())
