"""Standard input as a file that can be opened as often as needed.

Owns the one reading of it, into a nameless temporary file. It refuses to know what it holds.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, cast

from errors_core.sources import READ_ERRORS, Source, SourceError, open_whole, reason_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["STANDARD_INPUT", "open_standard_input", "open_standard_input_packed", "spool_standard_input"]

STANDARD_INPUT = "-"


def spool_standard_input() -> None:
    """Read standard input to its end, once: what it held can be opened as often as needed. Raises `SourceError`."""
    _SPOOL.fill()


def open_standard_input() -> Source:
    """Open what standard input held, from its beginning, unpacked when it is gzip. Raises `SourceError`."""
    return open_whole(_SPOOL.open())


def open_standard_input_packed() -> BinaryIO:
    """Open what standard input held as it stands, from its beginning. Raises `SourceError`."""
    return _SPOOL.open()


class _Spool:
    """Keeps standard input in a nameless temporary file."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._file: BinaryIO | None = None
        self._origin: object = None

    def fill(self) -> None:
        """Take standard input in, unless that was done: a terminal that took its place since then is not read."""
        with self._lock:
            stdin = sys.stdin
            if self._file is not None and (stdin is self._origin or stdin is None or stdin.isatty()):
                return
            if stdin is None:
                raise SourceError("standard input is closed")
            if self._file is not None:
                self._file.close()
            self._file, self._origin = tempfile.TemporaryFile(), stdin  # noqa: SIM115 - kept as long as the process
            try:
                while chunk := stdin.buffer.read(1 << 20):
                    self._file.write(chunk)
                self._file.flush()
            except READ_ERRORS as error:
                raise SourceError(reason_of(error)) from error

    def open(self) -> BinaryIO:
        """Return a view of the file with a position of its own."""
        if self._file is None:
            raise SourceError("standard input was not read")
        return cast("BinaryIO", _View(self._file.fileno()))


class _View(io.RawIOBase):
    """An open file seen by one of several readers."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = os.pread(self._descriptor, len(view), self._position)
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position}.get(whence)
        self._position = offset + (os.fstat(self._descriptor).st_size if start is None else start)
        return self._position

    def tell(self) -> int:
        return self._position


_SPOOL = _Spool()
