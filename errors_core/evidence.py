"""An open file → what its reader saw, with the marks that its place gives.

Owns the choice of the reader. What cannot be read becomes a `Problem`. It refuses to open files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errors_core.error_file import MAX_BYTES, looks_like_error_file, parse_error_file
from errors_core.exceptions import ErrorFileError
from errors_core.job import Place, Problem
from errors_core.readers.content import kind_of_content, packed_with
from errors_core.readers.error_sightings import build_error_sighting
from errors_core.readers.flight_recorder import looks_like_flight_recorder, read_flight_recorder
from errors_core.readers.judge import Judge
from errors_core.readers.launcher_log import read_launcher_log
from errors_core.readers.tree import Home, Spot, without_suffix
from errors_core.readers.worker_log import read_worker_log
from errors_core.sightings import Reading, Sighting
from errors_core.sources import SourceError

if TYPE_CHECKING:
    from errors_core.diagnosis.signatures import Signature
    from errors_core.error_report import ErrorReport
    from errors_core.sources import SmallFile, Source

__all__ = ["EvidenceReader", "FileReading", "directory_sighting"]

_HEAD = 1 << 20  # an error file that is not named as one shows its key "message" within so many bytes
_SNIFFED = 64 * 1024


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


class EvidenceReader:
    """Reads with one table of signatures."""

    def __init__(self, signatures: tuple[Signature, ...]) -> None:
        self._signatures = signatures
        self._judge = Judge(signatures)

    def read(self, source: Source, path: str, parts: tuple[str, ...], spot: Spot | None, result: FileReading) -> None:
        """Read an open file by what it is, or by its content when its name does not tell."""
        if spot is None:
            spot = _spot_by_content(source, parts)
        if spot is None:
            return
        if spot.kind == "log":
            result.log, result.path = without_suffix(parts), path
            result.reading = read_launcher_log(source, path, self._signatures)
            self._finish(source, path, result)
        else:
            result.home = spot.home
            self.read_spot(source, path, spot, result)

    def read_spot(self, source: Source | SmallFile, path: str, spot: Spot, result: FileReading) -> None:
        """Read what a worker left, by what its place says that it is."""
        if spot.kind == "worker_log":
            self._read_worker_log(source, path, spot, result)
        elif spot.kind != "error_file" and looks_like_flight_recorder(path, source.peek(_HEAD)[:_SNIFFED]):
            self._read_flight_recorder(source, path, spot, result)
        elif spot.kind != "flight_recorder":
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
            result.reading.sightings.append(directory_sighting(path, spot))
            return
        if spot.rank is not None and report.rank not in (None, spot.rank):
            result.reading.sightings.append(directory_sighting(path, spot))
        result.reading.sightings.append(build_error_sighting(report, path, spot, self._judge.is_echo))

    def _read_worker_log(self, source: Source | SmallFile, path: str, spot: Spot, result: FileReading) -> None:
        if not source.peek(1):
            result.reading.sightings.append(_sign(directory_sighting(path, spot), spot, path))
        else:
            seen = read_worker_log(source, path, self._signatures, is_echo=self._judge.is_echo)
            result.reading.problems += seen.problems
            main = next((sighting for sighting in seen.sightings if sighting.rank is None), seen.sightings[0])
            for sighting in seen.sightings:
                result.reading.sightings.append(_sign(sighting, spot, path, is_main=sighting is main))
        self._finish(source, path, result)

    def _read_flight_recorder(self, source: Source | SmallFile, path: str, spot: Spot, result: FileReading) -> None:
        seen = read_flight_recorder(source, path)
        result.reading.problems += seen.problems
        for sighting in seen.sightings:
            sighting.run_id, sighting.attempt, sighting.launcher = spot.home.run_id, spot.attempt, spot.home.key
            sighting.local_rank = spot.local_rank
            result.reading.sightings.append(sighting)
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


def directory_sighting(path: str, spot: Spot) -> Sighting:
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
    """Return what a file is that was named. Raises `SourceError`."""
    head = source.peek(_HEAD)[:_SNIFFED]
    packer = packed_with(head)
    if packer is not None:
        raise SourceError(f"packed with {packer}, which is not read: unpack it first")
    kind = kind_of_content(parts[-1], head)
    return None if kind is None else Spot(kind, Home(parts[:-1]), claims=kind == "error_file")
