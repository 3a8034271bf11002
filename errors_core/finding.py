"""Where evidence may lie below some paths: rank directories, single files, archives; nothing is read yet.

Owns the walk: every directory is listed once, links are not followed to directories, and what is known to be a rank
directory is left for its reader to list. It refuses to open files, but for the first bytes of one that was named.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from errors_core.archives import archive_kind, open_raw
from errors_core.exceptions import InputError
from errors_core.job import Problem
from errors_core.readers.tree import Spot, classify, find_home, parse_attempt, parse_number
from errors_core.sources import SourceError, reason_of
from errors_core.standard_input import STANDARD_INPUT, spool_standard_input

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from errors_core.archives import ArchiveKind
    from errors_core.readers.tree import Home

__all__ = ["Findings", "FoundArchive", "FoundFile", "FoundRanks", "find_evidence", "join_path"]

_NEVER_ENTERED = frozenset({"__pycache__", ".git", ".hg", ".svn", ".venv", "node_modules", "site-packages"})
_ARCHIVE_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".zip")
_UNREAD_SUFFIXES = (".xz", ".bz2", ".zst")
_LARGEST_MET = 4 << 30  # bytes; a larger archive that nobody named is more likely a data set
_LARGEST_PACKED_MET = 256 << 20
_REPEATED = ("filtered_stdout", "filtered_stderr")  # torch 2.9 repeats the ranks' output in these


@dataclass(frozen=True, slots=True)
class FoundRanks:
    """The rank directories `names` of one attempt; `within` is the real directory that links may not lead out of."""

    path: str
    home: Home
    attempt: int
    names: tuple[str, ...]
    within: str


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that may be evidence. `spot` is `None` when its name says nothing and only its content can."""

    path: str
    parts: tuple[str, ...]
    spot: Spot | None
    within: str | None = None


@dataclass(frozen=True, slots=True)
class FoundArchive:
    """An archive; `parts` is its path with the archive's name without suffix at the end, as a directory's."""

    path: str
    parts: tuple[str, ...]
    kind: ArchiveKind


@dataclass(slots=True)
class Findings:
    """What was found below all paths, in order, and what stood in the way. `roots` are the paths, made absolute."""

    ranks: list[FoundRanks] = field(default_factory=list)
    files: list[FoundFile] = field(default_factory=list)
    archives: list[FoundArchive] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    roots: list[tuple[str, ...]] = field(default_factory=list)


def find_evidence(paths: Iterable[str]) -> Findings:
    """Return what lies below the paths. Raises `InputError` for a path that does not exist or may not be read.

    A path that is named twice, or lies below another one, counts once.
    """
    found = Findings()
    named = {path: path if path == STANDARD_INPUT else _real(path) for path in paths}
    roots: set[str] = set()
    for path, real in named.items():
        if real in roots or any(_is_below(real, other) for other in named.values()):
            continue
        roots.add(real)
        if path == STANDARD_INPUT:
            _find_in_standard_input(found)
        else:
            _find_at(path, real, found)
    return found


def _real(path: str) -> str:
    try:
        os.stat(path)  # noqa: PTH116 - paths are texts here
        return os.path.realpath(path)
    except ValueError as error:  # a NUL in the path
        raise InputError(errno.EINVAL, str(error), path) from error
    except OSError as error:
        raise InputError(error.errno, error.strerror, path) from error


def _is_below(path: str, other: str) -> bool:
    return path != other and path.startswith(other.rstrip("/") + "/")


def _find_at(path: str, real: str, found: Findings) -> None:
    parts = _parts(real)
    found.roots.append(parts)
    mode = Path(real).stat().st_mode
    if stat.S_ISDIR(mode):
        _Walk(found, real).enter(path.rstrip("/") or "/", parts)
    elif stat.S_ISREG(mode):
        _find_named_file(path, parts, found)
    else:
        raise InputError(errno.EINVAL, "neither a file nor a directory (a pipe can be read as -)", path)


def _find_in_standard_input(found: Findings) -> None:
    try:
        spool_standard_input()
    except SourceError as error:
        raise InputError(errno.EIO, str(error), STANDARD_INPUT) from error
    _find_named_file(STANDARD_INPUT, (STANDARD_INPUT,), found)


def _find_named_file(path: str, parts: tuple[str, ...], found: Findings) -> None:
    """Take a file that was named: by its content when its name says nothing, and as an error file when it is JSON."""
    try:
        with open_raw(path) as raw:
            kind = archive_kind(raw)
    except SourceError as error:
        raise InputError(errno.EACCES, str(error), path) from error
    if kind is not None:
        found.archives.append(FoundArchive(path, _stem(parts), kind))
        found.roots.append(_stem(parts))
        return
    spot = classify(parts)
    if spot is not None and spot.kind == "json":
        spot = replace(spot, claims=True)
    found.files.append(FoundFile(path, parts, spot))


class _Walk:
    """Goes through one tree. `root` is its real path, which no link may lead out of."""

    def __init__(self, found: Findings, root: str) -> None:
        self._found = found
        self._root = root

    def enter(self, path: str, parts: tuple[str, ...]) -> None:
        """Look at the tree below a directory. Raises `InputError` if it cannot be listed itself."""
        try:
            entries = _entries(path)
        except OSError as error:
            raise InputError(error.errno, error.strerror, path) from error
        waiting = [*self._list(path, parts, entries)]
        while waiting:
            path, parts = waiting.pop()
            try:
                entries = _entries(path)
            except OSError as error:
                self._problem(path, reason_of(error))
                continue
            waiting += self._list(path, parts, entries)

    def _list(
        self, path: str, parts: tuple[str, ...], entries: list[os.DirEntry[str]]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Note what a directory holds and yield the directories below it, the last one first."""
        ranks = self._ranks(path, parts, entries)
        zero_based = "0" in {entry.name.partition(".")[0] for entry in entries if "." in entry.name}
        below = []
        for entry in entries:
            inner = (*parts, entry.name)
            if entry.is_symlink():
                self._take_link(join_path(path, entry.name), inner)
            elif entry.is_dir():
                if entry.name not in ranks and entry.name not in _NEVER_ENTERED:
                    below.append((join_path(path, entry.name), inner))
            elif entry.is_file():
                self._take_file(join_path(path, entry.name), inner, zero_based=zero_based)
            elif classify(inner) is not None:
                self._problem(join_path(path, entry.name), "neither a file nor a directory, not opened")
        yield from reversed(below)

    def _ranks(self, path: str, parts: tuple[str, ...], entries: list[os.DirEntry[str]]) -> frozenset[str]:
        """Note the rank directories of an attempt and return their names."""
        attempt = parse_attempt(parts[-1]) if parts else None
        if attempt is None:
            return frozenset()
        names = [e.name for e in entries if parse_number(e.name) is not None and e.is_dir(follow_symlinks=False)]
        if names:
            names.sort(key=int)
            self._found.ranks.append(FoundRanks(path, find_home(parts[:-1]), attempt, tuple(names), self._root))
        return frozenset(names)

    def _take_file(self, path: str, parts: tuple[str, ...], *, zero_based: bool) -> None:
        name = parts[-1]
        if name.endswith(_ARCHIVE_SUFFIXES):
            self._take_archive(path, parts)
            return
        if name.startswith(_REPEATED) and parse_attempt(parts[-2]) is not None:
            return
        stem = name.removesuffix(next((suffix for suffix in _UNREAD_SUFFIXES if name.endswith(suffix)), ""))
        if stem != name and classify((*parts[:-1], stem)) is not None:
            self._problem(path, "packed in a way that is not read: unpack it first")
        spot = classify(parts)
        if spot is not None and spot.kind == "log" and zero_based:
            spot = _numbered(spot, name)
        if spot is not None:
            self._found.files.append(FoundFile(path, parts, spot, self._root))

    def _take_link(self, path: str, parts: tuple[str, ...]) -> None:
        """Follow a link to a file of the tree that is not found under its own name; say which others are not."""
        target = os.path.realpath(path)
        spot = classify(parts)
        if target == self._root or _is_below(target, self._root):
            if spot is not None and os.path.isfile(target) and classify(_parts(target)) is None:  # noqa: PTH113 - as below
                self._found.files.append(FoundFile(path, parts, spot, self._root))
        elif os.path.isdir(target) or (spot is not None and spot.kind != "json"):  # noqa: PTH112 - raises for no loop
            self._problem(path, "a link out of the tree, not followed")

    def _take_archive(self, path: str, parts: tuple[str, ...]) -> None:
        try:
            with open_raw(path) as raw:
                size = raw.seek(0, os.SEEK_END)
                kind = archive_kind(raw)
        except SourceError as error:
            self._problem(path, str(error))
            return
        if kind is None:
            self._problem(path, "named as an archive, but it is none that can be read")
        elif size > (_LARGEST_PACKED_MET if kind == "tar.gz" else _LARGEST_MET):
            self._problem(path, f"an archive of {size:,} bytes, not read: name it to have it read")
        else:
            self._found.archives.append(FoundArchive(path, _stem(parts), kind))

    def _problem(self, path: str, problem: str) -> None:
        self._found.problems.append(Problem(path, problem))


def _entries(path: str) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def join_path(path: str, name: str) -> str:
    """Return the path of a directory's entry as it is shown."""
    return name if path == "." else os.path.join(path, name)  # noqa: PTH118 - Path costs ten times as much


def _numbered(spot: Spot, name: str) -> Spot:
    """Take `3.log` for rank 3's log; only asked where a `0.log` lies beside it, as job ids are numbers as well."""
    rank = parse_number(name.partition(".")[0])
    return spot if rank is None else Spot("worker_log", spot.home, spot.attempt, rank=rank)


def _parts(real: str) -> tuple[str, ...]:
    return tuple(part for part in real.split("/") if part)


def _stem(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return an archive's path without suffix: its name may be a node's or a run's."""
    for suffix in sorted(_ARCHIVE_SUFFIXES, key=len, reverse=True):
        if parts[-1].endswith(suffix) and parts[-1] != suffix:
            return (*parts[:-1], parts[-1].removesuffix(suffix))
    return parts
