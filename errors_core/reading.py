"""One found thing → what its reader saw: rank directories, single files, the members of archives.

Owns the choice of the reader and the marks that a place gives to what stands in it. Everything that cannot be read
becomes a `Problem`. Its functions take and return plain values, so that other processes can run them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from errors_core.archives import SEPARATOR, open_path, open_raw, read_members
from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.error_file import MAX_BYTES, looks_like_error_file, parse_error_file
from errors_core.exceptions import ErrorFileError
from errors_core.finding import join_path
from errors_core.job import Place, Problem
from errors_core.readers.error_sightings import build_error_sighting
from errors_core.readers.judge import Judge
from errors_core.readers.launcher_log import read_launcher_log
from errors_core.readers.tree import Home, Spot, classify, find_home, parse_attempt, parse_number
from errors_core.readers.worker_log import read_worker_log
from errors_core.sightings import Reading, Sighting
from errors_core.sources import SourceError, open_file, open_small_file, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.archives import Member
    from errors_core.diagnosis.signatures import Signature
    from errors_core.error_report import ErrorReport
    from errors_core.finding import FoundArchive, FoundFile, FoundRanks
    from errors_core.sources import SmallFile, Source

__all__ = ["FileReading", "read_archive", "read_file", "read_ranks"]

_HEAD = 1 << 20  # an error file that is not named as one shows its key "message" within so many bytes
_FEW = 5
_UNREAD = ((b"\xfd7zXZ", "xz"), (b"BZh", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf", "7z"))
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".zip")


@dataclass(slots=True)
class FileReading:
    """What was read in one place, and where that is.

    `home` is set for what workers wrote, `log` (the absolute path, without suffix) for a launcher's or scheduler's log
    of the shown path `path`. `files` counts the files that were evidence.
    """

    reading: Reading = field(default_factory=Reading)
    home: Home | None = None
    log: tuple[str, ...] | None = None
    path: str = ""
    files: int = 0

    def problem(self, path: str, problem: str) -> None:
        """Note what is wrong with a file."""
        self.reading.problems.append(Problem(path, problem))


def read_ranks(found: FoundRanks, names: Sequence[str], signatures: tuple[Signature, ...] | None) -> FileReading:
    """Read some of the rank directories of one attempt; `signatures` of `None` are the built-in ones."""
    result = FileReading(home=found.home)
    reader = _reader(signatures)
    for name in names:
        spot = Spot("rank_directory", found.home, found.attempt, int(name))
        reader.read_rank_directory(join_path(found.path, name), spot, found, result)
    return result


def read_file(found: FoundFile, signatures: tuple[Signature, ...] | None) -> FileReading:
    """Read one file that may be evidence."""
    result = FileReading()
    try:
        source = open_path(found.path) if found.within is None else open_file(found.path, within=found.within)
    except SourceError as error:
        if found.spot is None or found.spot.kind != "json":
            result.problem(found.path, str(error))
        return result
    with source:
        try:
            _reader(signatures).read_source(source, found.path, found.parts, found.spot, result)
        except SourceError as error:
            result.problem(found.path, str(error))
    return result


def read_archive(found: FoundArchive, signatures: tuple[Signature, ...] | None) -> Iterator[FileReading]:
    """Read the evidence in an archive, in one pass from its beginning to its end."""
    reader, refused = _reader(signatures), 0
    try:
        with open_raw(found.path) as raw:
            for member in read_members(raw, found.kind):
                result = FileReading()
                if member.problem is None:
                    reader.read_member(member, found, result)
                    yield result
                    continue
                refused += 1
                if refused <= _FEW:
                    result.problem(f"{found.path}{SEPARATOR}{member.name}", member.problem)
                    yield result
    except SourceError as error:
        yield FileReading(Reading(problems=[Problem(found.path, str(error))]))
    if refused > _FEW:
        text = f"{refused - _FEW:,} further members were refused, as links or for their names"
        yield FileReading(Reading(problems=[Problem(found.path, text)]))


@lru_cache(maxsize=4)
def _reader(signatures: tuple[Signature, ...] | None) -> _Reader:
    return _Reader(builtin_signatures() if signatures is None else signatures)


class _Reader:
    """Reads with one table of signatures."""

    def __init__(self, signatures: tuple[Signature, ...]) -> None:
        self._signatures = signatures
        self._judge = Judge(signatures)

    # --- rank directories

    def read_rank_directory(self, path: str, spot: Spot, found: FoundRanks, result: FileReading) -> None:
        """List a rank directory and read what is evidence in it; that it exists is evidence as well."""
        before = len(result.reading.sightings)
        try:
            names = os.listdir(path)  # noqa: PTH208 - 100,000 times
        except OSError as error:
            result.problem(path, reason_of(error))
            names = []
        for name in sorted(names):
            inner = _in_rank_directory(spot, name, found)
            if inner is not None:
                self._read_in_rank_directory(join_path(path, name), inner, found.within, result)
        if len(result.reading.sightings) == before:
            result.reading.sightings.append(_directory_sighting(path, spot))

    def _read_in_rank_directory(self, path: str, spot: Spot, within: str, result: FileReading) -> None:
        try:
            with open_small_file(path, within=within) as source:
                self._read_spot(source, path, spot, result)
        except SourceError as error:
            if spot.kind != "json":
                result.problem(path, str(error))

    # --- single files

    def read_member(self, member: Member, found: FoundArchive, result: FileReading) -> None:
        """Read a member of an archive."""
        parts = (*found.parts, *member.name.split("/"))
        path = f"{found.path}{SEPARATOR}{member.name}"
        if member.is_directory:
            spot = _as_rank_directory(parts)
            if spot is not None:
                result.home = spot.home
                result.reading.sightings.append(_directory_sighting(path, spot))
            return
        spot = classify(parts)
        if spot is None:
            if member.name.endswith(_ARCHIVES):
                result.problem(path, "an archive inside an archive, not read")
            return
        try:
            with member.open() as source:
                self.read_source(source, path, parts, spot, result)
        except SourceError as error:
            result.problem(path, str(error))

    def read_source(
        self, source: Source, path: str, parts: tuple[str, ...], spot: Spot | None, result: FileReading
    ) -> None:
        """Read an open file by what it is, or by its content when its name does not tell."""
        if spot is None:
            spot = _spot_by_content(source, parts)
        if spot is None:
            return
        if spot.kind == "log":
            result.log, result.path = _without_suffix(parts), path
            result.reading = read_launcher_log(source, path, self._signatures)
            self._finish(source, path, result)
        else:
            result.home = spot.home
            self._read_spot(source, path, spot, result)

    def _read_spot(self, source: Source | SmallFile, path: str, spot: Spot, result: FileReading) -> None:
        if spot.kind == "worker_log":
            self._read_worker_log(source, path, spot, result)
        else:
            self._read_error_file(source, path, spot, result)

    def _read_error_file(self, source: Source | SmallFile, path: str, spot: Spot, result: FileReading) -> None:
        data = source.read(_HEAD)
        if not spot.claims and (b'"message"' not in data or not looks_like_error_file(data)):
            return
        if len(data) == _HEAD:
            data += source.read(MAX_BYTES)
        self._finish(source, path, result)
        if len(data) > MAX_BYTES:
            result.problem(path, f"larger than {MAX_BYTES // 1024**2} MiB, not read")
            return
        report = _parse_report(data, path, result)
        if report is None:
            result.reading.sightings.append(_directory_sighting(path, spot))
            return
        if spot.rank is not None and report.rank not in (None, spot.rank):
            result.reading.sightings.append(_directory_sighting(path, spot))
        result.reading.sightings.append(build_error_sighting(report, path, spot, self._judge.is_echo))

    def _read_worker_log(self, source: Source | SmallFile, path: str, spot: Spot, result: FileReading) -> None:
        if not source.peek(1):
            result.reading.sightings.append(_sign(_directory_sighting(path, spot), spot, path))
        else:
            seen = read_worker_log(source, path, self._signatures, is_echo=self._judge.is_echo)
            result.reading.problems += seen.problems
            main = next((sighting for sighting in seen.sightings if sighting.rank is None), seen.sightings[0])
            for sighting in seen.sightings:
                result.reading.sightings.append(_sign(sighting, spot, path, is_main=sighting is main))
        self._finish(source, path, result)

    def _finish(self, source: Source | SmallFile, path: str, result: FileReading) -> None:
        result.files += 1
        if source.problem is not None:
            result.problem(path, source.problem)


def _parse_report(data: bytes, path: str, result: FileReading) -> ErrorReport | None:
    """Return what an error file says, or what a truncated one held before its end; note what is wrong with it."""
    try:
        report = parse_error_file(data)
    except ErrorFileError as error:
        result.problem(path, error.problem)
        return error.partial
    result.reading.problems += [Problem(path, f"read, but {remark}") for remark in report.remarks]
    return report


def _in_rank_directory(spot: Spot, name: str, found: FoundRanks) -> Spot | None:
    """Return what a file in a rank directory is."""
    if name == "error.json":
        return Spot("error_file", spot.home, spot.attempt, spot.local_rank, claims=True)
    if name in ("stdout.log", "stderr.log"):
        return Spot("worker_log", spot.home, spot.attempt, spot.local_rank)
    return classify((*found.home.parts, f"attempt_{found.attempt}", str(spot.local_rank), name))


def _as_rank_directory(parts: tuple[str, ...]) -> Spot | None:
    if len(parts) < 3:
        return None
    attempt, local_rank = parse_attempt(parts[-2]), parse_number(parts[-1])
    if attempt is None or local_rank is None:
        return None
    return Spot("rank_directory", find_home(parts[:-2]), attempt, local_rank)


def _directory_sighting(path: str, spot: Spot) -> Sighting:
    """Return what the place alone says: that there was such a worker."""
    return Sighting(
        source="directory",
        place=Place(path),
        run_id=spot.home.run_id,
        attempt=spot.attempt,
        launcher=spot.home.key,
        local_rank=spot.local_rank,
        rank=spot.rank,
        error_file=path if spot.kind == "error_file" else None,
    )


def _sign(sighting: Sighting, spot: Spot, path: str, *, is_main: bool = True) -> Sighting:
    """Give a worker's log the marks of its place."""
    sighting.run_id, sighting.attempt, sighting.launcher = spot.home.run_id, spot.attempt, spot.home.key
    if is_main:
        sighting.local_rank = spot.local_rank if spot.local_rank is not None else sighting.local_rank
        sighting.rank = sighting.rank if sighting.rank is not None else spot.rank
    if "stdout" in path.rpartition("/")[2]:
        sighting.stdout_log = path
    else:
        sighting.stderr_log = path
    return sighting


def _spot_by_content(source: Source, parts: tuple[str, ...]) -> Spot | None:
    """Return what a file is that was named: an error file, else a log if it is text. Raises `SourceError`."""
    head = source.peek(_HEAD)[:4096]
    packed = next((name for magic, name in _UNREAD if head.startswith(magic)), None)
    if packed is not None:
        raise SourceError(f"packed with {packed}, which is not read: unpack it first")
    if head.lstrip().startswith(b"{") and b'"message"' in head:
        return Spot("error_file", Home(parts[:-1]), claims=True)
    return Spot("log", Home(parts[:-1])) if _is_text(head) else None


def _is_text(head: bytes) -> bool:
    """Tell whether hardly anything is no text: a dead disk may well have left some of it."""
    strange = head.count(b"\0") + head.decode("utf-8", "replace").count("\ufffd")
    return bool(head) and strange * 10 <= len(head)


def _without_suffix(parts: tuple[str, ...]) -> tuple[str, ...]:
    name = parts[-1].removesuffix(".gz")
    stem, _, suffix = name.rpartition(".")
    return (*parts[:-1], stem if stem and suffix.isalpha() else name)
