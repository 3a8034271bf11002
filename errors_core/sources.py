"""Opening whatever holds evidence: a file or a `.gz`, and the guards that every stream gets.

Owns the guards: only regular files are opened and nothing is waited for; what unpacks to far more than its size, is
damaged, shrinks or may not be read ends early with a reason instead of raising. It refuses to know what files mean
and what is inside archives (that is `errors_core.archives`).
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO, Protocol

from errors_core.exceptions import ErrorsCoreError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = [
    "READ_ERRORS",
    "Budget",
    "Closable",
    "Readable",
    "SmallFile",
    "Source",
    "SourceError",
    "guard",
    "open_file",
    "open_regular",
    "open_small_file",
    "open_whole",
    "reason_of",
    "unpack",
]

_UNPACKED_FREELY = 64 * 1024 * 1024
_UNPACKED_TIMES = 200  # a log shrinks to a tenth, one of repeated lines to a hundredth
_SMALL = 256 * 1024
_SMALL_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
_GZIP = b"\x1f\x8b"
_REASONS = {
    errno.ENOENT: "it vanished while the job was read",
    errno.ENOTDIR: "it vanished while the job was read",
    errno.EACCES: "no permission to read it",
    errno.EPERM: "no permission to read it",
    errno.ELOOP: "a symbolic link that leads to itself",
}
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISLNK, "a link"),
)


class SourceError(ErrorsCoreError):
    """Something cannot be opened or read on; the text says why and does not name it."""


READ_ERRORS = (
    OSError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
    tarfile.TarError,
    RuntimeError,
    ValueError,
    SourceError,
)
"""What reading may raise: damaged data, a locked member (RuntimeError), a NUL in a path (ValueError)."""


class Budget:
    """How many bytes something packed may unpack to, all its members together; raises `SourceError` beyond."""

    def __init__(self, packed_size: int) -> None:
        self._left = _UNPACKED_FREELY + _UNPACKED_TIMES * packed_size

    def spend(self, count: int) -> None:
        """Count what was unpacked."""
        self._left -= count
        if self._left < 0:
            raise SourceError(f"it unpacks to more than {_UNPACKED_TIMES} times its size: the rest was not read")


class Source(io.BufferedReader):
    """A stream that ends where reading fails; `problem` then says why, and never anything is raised."""

    def __init__(self, guarded: _Guarded) -> None:
        super().__init__(guarded, 256 * 1024)
        self._guarded = guarded

    @property
    def problem(self) -> str | None:
        """Why it ended before its end, `None` when it did not."""
        return self._guarded.problem


class Readable(Protocol):
    """What a guard can stand before."""

    def read(self, size: int, /) -> bytes | None:
        """Return up to so many bytes, none at the end."""

    def close(self) -> None:
        """Close it."""


class Closable(Protocol):
    """What is closed together with a stream."""

    def close(self) -> None:
        """Close it."""


class SmallFile(io.BytesIO):
    """A small file that was read whole: what a `Source` is for others, at a third of the cost."""

    problem: str | None = None

    def peek(self, size: int = -1, /) -> bytes:
        """Return bytes from the beginning without moving on."""
        return self.getvalue()[: size if size >= 0 else None]


class _Guarded(io.RawIOBase):
    def __init__(
        self, stream: Readable, beneath: tuple[Closable, ...], size: int | None, budget: Budget | None
    ) -> None:
        super().__init__()
        self.problem: str | None = None
        self._stream = stream
        self._read_some = getattr(stream, "read1", stream.read)  # what came before damage is not lost with read1
        self._beneath = beneath
        self._left = size
        self._budget = budget
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        wanted = len(view) if self._left is None else min(len(view), self._left)
        data = b"" if self._ended or not wanted else self._read(wanted)
        view[: len(data)] = data
        if self._left is not None:
            self._left -= len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            for stream in (self._stream, *self._beneath):
                stream.close()
        super().close()

    def _read(self, wanted: int) -> bytes:
        try:
            data = self._read_some(wanted) or b""
            if self._budget is not None:
                self._budget.spend(len(data))
        except READ_ERRORS as error:
            data, self.problem = b"", reason_of(error)
        if not data:
            self._ended = True
            if self.problem is None and self._left:
                self.problem = "it shrank while it was read"
        return data


def guard(stream: Readable, *beneath: Closable, size: int | None = None, budget: Budget | None = None) -> Source:
    """Return a stream with guards; what lies beneath is closed with it.

    `size` is how many bytes are expected: it ends there, and one that turns out shorter is said to have shrunk.
    """
    return Source(_Guarded(stream, beneath, size, budget))


def unpack(raw: BinaryIO, packed_size: int) -> Source:
    """Return the unpacked content of a gzip stream, within the budget that its size allows."""
    return guard(gzip.GzipFile(fileobj=raw), raw, budget=Budget(packed_size))


def open_regular(path: str, *, within: str | None = None) -> BinaryIO:
    """Open a regular file without buffer and without waiting for anybody. Raises `SourceError`.

    A link is followed only to a file below the real directory `within`, if that is given.
    """
    try:
        raw = _open(path, within)
        mode = os.fstat(raw.fileno()).st_mode
    except READ_ERRORS as error:
        raise SourceError(reason_of(error)) from error
    if not stat.S_ISREG(mode):
        raw.close()
        raise SourceError(f"{_kind_of(mode)} is not opened")
    return raw


def open_file(path: str, *, within: str | None = None) -> Source:
    """Open a regular file, unpacked when it is gzip; what is appended from now on is not read. Raises `SourceError`.

    `within` is as for `open_regular`.
    """
    return open_whole(open_regular(path, within=within))


def open_small_file(path: str, *, within: str) -> Source | SmallFile:
    """Open a file as `open_file` does; a small one is read at once. Raises `SourceError`."""
    try:
        descriptor = os.open(path, _SMALL_FLAGS)
    except (OSError, ValueError):
        return open_file(path, within=within)  # a link, or what it says is wrong
    try:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_size <= _SMALL:
            data = os.read(descriptor, _SMALL + 1)
            if len(data) == status.st_size and not data.startswith(_GZIP):
                return SmallFile(data)
    except OSError as error:
        raise SourceError(reason_of(error)) from error
    finally:
        os.close(descriptor)
    return open_file(path, within=within)


def reason_of(error: BaseException) -> str:
    """Return what went wrong in words that fit behind a path."""
    if isinstance(error, OSError) and error.errno is not None:
        return _REASONS.get(error.errno, error.strerror or str(error))
    if isinstance(error, EOFError | zlib.error | zipfile.BadZipFile | tarfile.TarError | gzip.BadGzipFile):
        return f"damaged: {error}"
    return str(error) or type(error).__name__


def open_whole(raw: BinaryIO) -> Source:
    """Return what a seekable file holds, unpacked when it is gzip."""
    size = raw.seek(0, os.SEEK_END)
    raw.seek(0)
    is_packed = raw.read(2) == _GZIP
    raw.seek(0)
    return unpack(raw, size) if is_packed else guard(raw, size=size)


def _open(path: str, within: str | None) -> BinaryIO:
    if within is None:
        return open(path, "rb", buffering=0, opener=_open_without_waiting)
    try:
        return open(path, "rb", buffering=0, opener=_open_no_link)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    target = os.path.realpath(path)
    if not target.startswith(within.rstrip("/") + "/"):
        raise SourceError("a link out of the tree, not followed")
    return open(target, "rb", buffering=0, opener=_open_no_link)


def _open_without_waiting(path: str, flags: int) -> int:
    """Open without waiting for the other end of a pipe and without becoming a terminal's owner."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def _open_no_link(path: str, flags: int) -> int:
    return _open_without_waiting(path, flags | os.O_NOFOLLOW)


def _kind_of(mode: int) -> str:
    return next((words for test, words in _KINDS if test(mode)), "a device")
