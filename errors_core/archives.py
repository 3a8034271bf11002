"""Members of `.tar`, `.tar.gz` and `.zip`, read in place: nothing is ever written to disk.

Owns what makes an archive dangerous: names that lead out of it, links and devices are refused, and all members
together may unpack only to what `errors_core.sources.Budget` allows. It refuses to know which members are evidence.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
import tarfile
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal, cast

from errors_core.sources import (
    READ_ERRORS,
    Budget,
    Source,
    SourceError,
    guard,
    open_file,
    open_regular,
    reason_of,
    unpack,
)
from errors_core.standard_input import STANDARD_INPUT, open_standard_input, open_standard_input_packed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

__all__ = ["SEPARATOR", "ArchiveKind", "Member", "archive_kind", "open_path", "open_raw", "read_members"]

ArchiveKind = Literal["tar", "tar.gz", "zip"]

SEPARATOR = "!"
"""Stands between an archive's path and a member's name: `logs.tar.gz!node0/launcher.log`."""

_DRIVE = re.compile(r"[A-Za-z]:")
_HEADER_BLOCK = 512
_LONGEST_HEADER = 1 << 20  # a header that announces more than this is no honest one
_MOST_MEMBERS = 2_000_000
_EXTENDED = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


@dataclass(frozen=True, slots=True)
class Member:
    """One member: `name` is relative, with `/` between its parts; `problem` says why it was refused.

    `open` works until the next member is asked for, and raises `SourceError`.
    """

    name: str
    open: Callable[[], Source]
    is_directory: bool = False
    problem: str | None = None


def archive_kind(raw: BinaryIO) -> ArchiveKind | None:
    """Return what kind of archive a seekable file is by its first bytes, `None`: none that can be read."""
    raw.seek(0)
    head = raw.read(_HEADER_BLOCK)
    raw.seek(0)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if _is_tar_header(head):
        return "tar"
    if not head.startswith(b"\x1f\x8b"):
        return None
    try:
        inner = gzip.GzipFile(fileobj=raw).read(_HEADER_BLOCK)
    except READ_ERRORS:
        return None
    finally:
        raw.seek(0)
    return "tar.gz" if _is_tar_header(inner) else None


def read_members(raw: BinaryIO, kind: ArchiveKind) -> Generator[Member, None, None]:
    """Yield the members in the order of the archive. Raises `SourceError` where it cannot be read on."""
    size = raw.seek(0, os.SEEK_END)
    raw.seek(0)
    members = _zip_members(raw, Budget(size)) if kind == "zip" else _tar_members(raw, kind, Budget(size))
    try:
        for count, member in enumerate(members):
            if count >= _MOST_MEMBERS:
                raise SourceError(f"it has more than {_MOST_MEMBERS:,} members: the rest was not read")
            yield member
    except READ_ERRORS as error:
        raise SourceError(reason_of(error)) from error


def open_raw(path: str) -> BinaryIO:
    """Open a file or standard input (`-`) as it stands, packed or not. Raises `SourceError`."""
    return open_standard_input_packed() if path == STANDARD_INPUT else open_regular(path)


def open_path(path: str) -> Source:
    """Open what a `Place` names: a file, a member of an archive, or standard input. Raises `SourceError`."""
    if path == STANDARD_INPUT:
        return open_standard_input()
    if not os.path.lexists(path):
        for match in re.finditer(SEPARATOR, path):
            archive, name = path[: match.start()], path[match.end() :]
            if archive == STANDARD_INPUT or os.path.isfile(archive):  # noqa: PTH113 - paths are texts here
                return _open_member(archive, name)
    return open_file(path)


def _open_member(archive: str, name: str) -> Source:
    raw = open_raw(archive)
    kind = archive_kind(raw)
    if kind is not None:
        members = read_members(raw, kind)
        for member in members:
            if member.name == name and member.problem is None and not member.is_directory:
                return guard(member.open(), members, raw)
    raw.close()
    raise SourceError("it is no longer in the archive")


# --- tar


class _Header(tarfile.TarInfo):
    """A header block that is not trusted with its own length: tarfile reads extended headers into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _EXTENDED and header.size > _LONGEST_HEADER:
            raise SourceError(f"damaged: a header of {header.size:,} bytes")
        return header


def _is_tar_header(block: bytes) -> bool:
    try:
        return bool(tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape").name)
    except tarfile.TarError:
        return False


def _tar_members(raw: BinaryIO, kind: ArchiveKind, budget: Budget) -> Iterator[Member]:
    """Read once from the beginning to the end, so that nothing is unpacked twice."""
    stream: Source | None = None
    if kind == "tar.gz":
        stream = guard(gzip.GzipFile(fileobj=raw), budget=budget)
    mode: Literal["r|", "r:"] = "r:" if stream is None else "r|"
    try:
        with tarfile.open(fileobj=stream or raw, mode=mode, tarinfo=_Header) as archive:
            for header in archive:
                yield _tar_member(archive, header)
                archive.members.clear()  # type: ignore[attr-defined]  # typeshed hides it; it keeps every header
    except READ_ERRORS:
        if stream is None or stream.problem is None:
            raise
    if stream is not None and stream.problem is not None:
        raise SourceError(stream.problem)


def _tar_member(archive: tarfile.TarFile, header: tarfile.TarInfo) -> Member:
    def open_member() -> Source:
        content = archive.extractfile(header)
        if content is None:
            raise SourceError("it has no content")
        return _unpacked(guard(content, size=header.size), header.size)

    problem = None if header.isreg() or header.isdir() else _refusal(header)
    return _member(header.name, open_member, is_directory=header.isdir(), problem=problem)


def _refusal(header: tarfile.TarInfo) -> str:
    if header.issym() or header.islnk():
        return f"a link, not followed (to {header.linkname[:200]})"
    return "neither a file nor a directory, not read"


# --- zip


def _zip_members(raw: BinaryIO, budget: Budget) -> Iterator[Member]:
    with zipfile.ZipFile(raw) as archive:
        for entry in archive.infolist():
            yield _zip_member(archive, entry, budget)


def _zip_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: Budget) -> Member:
    def open_member() -> Source:
        try:
            content = archive.open(entry)
        except READ_ERRORS as error:
            raise SourceError(reason_of(error)) from error
        return _unpacked(guard(cast("BinaryIO", content), size=entry.file_size, budget=budget), entry.file_size)

    mode = entry.external_attr >> 16
    is_file = not stat.S_IFMT(mode) or stat.S_ISREG(mode) or entry.is_dir()
    problem = None if is_file else "a link or a device, not read"
    return _member(entry.filename.replace("\\", "/"), open_member, is_directory=entry.is_dir(), problem=problem)


# --- members


def _unpacked(content: Source, size: int) -> Source:
    """Unpack a member that is gzip itself."""
    return unpack(content, size) if content.peek(2).startswith(b"\x1f\x8b") else content


def _member(name: str, open_member: Callable[[], Source], *, is_directory: bool, problem: str | None) -> Member:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or _DRIVE.match(name):
        problem = "its name is absolute, not read"
    elif ".." in parts:
        problem = "its name leads out of the archive, not read"
    return Member("/".join(parts) if problem is None else name, open_member, is_directory, problem)
