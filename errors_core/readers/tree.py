"""What a path is: error file, worker's log, launcher's log, and whose, by its name and the directories above it.

Owns the names: torchrun's layout `<run id>_<8 random>/attempt_<n>/<local rank>/…` and the ways in which people
collect single files. It refuses to open anything and to list directories (that is `errors_core.finding`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Home",
    "Kind",
    "Spot",
    "classify",
    "find_home",
    "is_error_file_name",
    "parse_attempt",
    "parse_number",
    "without_suffix",
]

Kind = Literal["error_file", "json", "worker_log", "log", "flight_recorder", "rank_directory"]

_RUN_DIRECTORY = re.compile(r"(?P<run_id>.+)_[a-z0-9_]{8}")
_ATTEMPT = re.compile(r"attempt_(\d{1,9})")
_NUMBER = re.compile(r"\d{1,9}")
_RANK_DIRECTORY = re.compile(r"(?P<local>local[_-]?)?rank[_-]?(?P<number>\d{1,9})", re.IGNORECASE)
_RANK_IN_NAME = re.compile(
    r"(?:^|[._-]|error|worker)(?P<local>local[_-]?)?rank[_-]?(?P<number>\d{1,9})(?=[._-]|$)", re.IGNORECASE
)
_ERROR_FILE = re.compile(
    r"(?:error|error[_-]?file|reply|reply[_-]?file|failure)(?:[._-]?\d{1,9})?"
    r"|(?:(?:error|failure|reply)[._-]?)?(?:local[_-]?)?rank[_-]?\d{1,9}(?:[._-](?:error|failure))?",
    re.IGNORECASE,
)
_LOG_SUFFIXES = (".log", ".txt", ".out", ".err")
_FLIGHT_RECORDER = re.compile(
    r".*(?:trace|dump|flight|recorder)(?:[\w.-]*[._-])?\d{1,9}(?:\.(?:pkl|pickle|bin|dump|json))?", re.IGNORECASE
)
_LOG_NAMES = frozenset({"dmesg", "stderr", "stdout", "syslog"})
_STREAMS = {"stdout.log": "stdout", "stderr.log": "stderr"}


@dataclass(frozen=True, slots=True)
class Home:
    """Where the traces of one launcher's workers stand: a run's log directory, or a directory of loose files.

    `parts` is its absolute path, `key` the same as a text; `laid_out` means that torchrun made it. `run_id` is what its
    name says.
    """

    parts: tuple[str, ...]
    run_id: str | None = None
    laid_out: bool = False
    key: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", "/".join(self.parts))


@dataclass(frozen=True, slots=True)
class Spot:
    """What one path is, and whose as far as its name tells.

    `claims` means that it stands where error files stand or is named like one, so that not being one is a problem.
    """

    kind: Kind
    home: Home
    attempt: int | None = None
    local_rank: int | None = None
    rank: int | None = None
    claims: bool = False


def parse_attempt(name: str) -> int | None:
    """Return n of `attempt_<n>`."""
    match = _ATTEMPT.fullmatch(name)
    return int(match[1]) if match is not None else None


def parse_number(name: str) -> int | None:
    """Return the number that a name consists of."""
    return int(name) if _NUMBER.fullmatch(name) else None


def find_home(parts: Sequence[str]) -> Home:
    """Return the run whose log directory this is, by its name `<run id>_<8 random>`; the id may hold `_` itself."""
    match = _RUN_DIRECTORY.fullmatch(parts[-1]) if parts else None
    return Home(tuple(parts), match["run_id"] if match is not None else None, laid_out=True)


def is_error_file_name(name: str) -> bool:
    """Whether a `.json` is named as error files are: `error.json`, `rank_3.json`, `error_rank3.json`."""
    return name.endswith(".json") and _ERROR_FILE.fullmatch(name[: -len(".json")]) is not None


def classify(parts: Sequence[str]) -> Spot | None:
    """Return what the file of this absolute path is, `None`: no evidence. A `.gz` is what it is without the suffix."""
    if not parts:
        return None
    *above, name = parts
    name = name.removesuffix(".gz")
    if len(above) >= 2 and parse_number(above[-1]) is not None and parse_attempt(above[-2]) is not None:
        return _in_rank_directory(above, name)
    if name.endswith(".json"):
        return _loose(above, name, "error_file" if is_error_file_name(name) else "json")
    stem, dot, suffix = name.rpartition(".")
    if f"{dot}{suffix}" in _LOG_SUFFIXES:
        spot = _loose(above, stem, "worker_log")
        named = spot.rank is not None or spot.local_rank is not None
        return spot if named else Spot("log", spot.home, spot.attempt)
    if name in _LOG_NAMES:
        return Spot("log", Home(tuple(above)))
    return Spot("flight_recorder", Home(tuple(above))) if _FLIGHT_RECORDER.fullmatch(name) else None


def without_suffix(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return a log's path with its name alone, as `launcher` for `launcher.log.gz`."""
    if not parts:
        return ()
    name = parts[-1].removesuffix(".gz")
    stem, _, suffix = name.rpartition(".")
    return (*parts[:-1], stem if stem and suffix.isalpha() else name)


def _in_rank_directory(above: Sequence[str], name: str) -> Spot | None:
    if name.endswith(".json"):
        kind: Kind = "error_file" if is_error_file_name(name) else "json"
    elif name.endswith(_LOG_SUFFIXES):
        kind = "worker_log"
    elif _FLIGHT_RECORDER.fullmatch(name):
        kind = "flight_recorder"
    else:
        return None
    home, attempt, local_rank = find_home(above[:-2]), parse_attempt(above[-2]), parse_number(above[-1])
    return Spot(kind, home, attempt, local_rank, claims=kind == "error_file")


def _loose(above: Sequence[str], name: str, kind: Kind) -> Spot:
    """Return whose a file is that stands alone: by its name, else by the directory that holds it."""
    above = list(above)
    holder = above[-1] if above else ""
    named = _RANK_IN_NAME.search(name.removesuffix(".json"))
    directory = _RANK_DIRECTORY.fullmatch(holder)
    rank = local_rank = None
    if named is not None or directory is not None:
        rank, local_rank = _numbers(named or directory)
    elif name.endswith(".json") or name in ("stdout", "stderr"):
        local_rank = parse_number(holder)
    if directory is not None or (local_rank is not None and named is None):
        above.pop()
    attempt = parse_attempt(above[-1]) if above else None
    home = Home(tuple(above))
    if attempt is not None:
        found = find_home(above[:-1])
        home = Home(found.parts, found.run_id)
    return Spot(kind, home, attempt, local_rank, rank, claims=kind == "error_file")


def _numbers(match: re.Match[str] | None) -> tuple[int | None, int | None]:
    """Return rank and local rank of a name that holds one of them."""
    if match is None:
        return None, None
    number = int(match["number"])
    return (None, number) if match["local"] else (number, None)
