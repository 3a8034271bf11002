"""One found thing → what its reader saw: rank directories, single files, the members of archives.

Owns the way from a path to an open file, and what that way says about the file. Everything that cannot be opened
becomes a `Problem`. Its functions take and return plain values, so that other processes can run them.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from errors_core.archives import SEPARATOR, open_path, open_raw, read_members
from errors_core.diagnosis.signatures import builtin_signatures
from errors_core.evidence import EvidenceReader, FileReading, directory_sighting
from errors_core.finding import join_path
from errors_core.job import Problem
from errors_core.readers.tree import Spot, classify, find_home, parse_attempt, parse_number
from errors_core.sightings import Reading
from errors_core.sources import SourceError, open_file, open_small_file, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from errors_core.archives import Member
    from errors_core.diagnosis.signatures import Signature
    from errors_core.finding import FoundArchive, FoundFile, FoundRanks

__all__ = ["read_archive", "read_file", "read_ranks"]

_FEW = 5
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".zip")


def read_ranks(found: FoundRanks, names: Sequence[str], signatures: tuple[Signature, ...] | None) -> FileReading:
    """Read some of the rank directories of one attempt; `signatures` of `None` are the built-in ones."""
    result = FileReading(home=found.home)
    reader = _reader(signatures)
    for name in names:
        spot = Spot("rank_directory", found.home, found.attempt, int(name))
        _read_rank_directory(reader, join_path(found.path, name), spot, found, result)
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
            _reader(signatures).read(source, found.path, found.parts, found.spot, result)
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
                    _read_member(reader, member, found, result)
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
def _reader(signatures: tuple[Signature, ...] | None) -> EvidenceReader:
    return EvidenceReader(builtin_signatures() if signatures is None else signatures)


def _read_rank_directory(reader: EvidenceReader, path: str, spot: Spot, found: FoundRanks, result: FileReading) -> None:
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
            _read_in_rank_directory(reader, join_path(path, name), inner, found.within, result)
    if len(result.reading.sightings) == before:
        result.reading.sightings.append(directory_sighting(path, spot))


def _read_in_rank_directory(reader: EvidenceReader, path: str, spot: Spot, within: str, result: FileReading) -> None:
    try:
        with open_small_file(path, within=within) as source:
            reader.read_spot(source, path, spot, result)
    except SourceError as error:
        if spot.kind != "json":
            result.problem(path, str(error))


def _read_member(reader: EvidenceReader, member: Member, found: FoundArchive, result: FileReading) -> None:
    """Read a member of an archive."""
    parts = (*found.parts, *member.name.split("/"))
    path = f"{found.path}{SEPARATOR}{member.name}"
    if member.is_directory:
        spot = _as_rank_directory(parts)
        if spot is not None:
            result.home = spot.home
            result.reading.sightings.append(directory_sighting(path, spot))
        return
    spot = classify(parts)
    if spot is None:
        if member.name.endswith(_ARCHIVES):
            result.problem(path, "an archive inside an archive, not read")
        return
    try:
        with member.open() as source:
            reader.read(source, path, parts, spot, result)
    except SourceError as error:
        result.problem(path, str(error))


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
