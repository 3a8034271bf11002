"""One error file: read every known shape, tell it from other JSON, write one so that nobody sees half of it.

What the keys mean is told in `errors_core.error_report`; how damaged bytes are read in `errors_core.error_json`.
"""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

from errors_core.error_json import decode_text, parse_json_object, salvage_json_object
from errors_core.error_report import ErrorReport, report_from_data
from errors_core.exceptions import ErrorFileError

__all__ = [
    "ERROR_FILE_ENV",
    "MAX_BYTES",
    "ErrorReport",
    "looks_like_error_file",
    "parse_error_file",
    "read_error_file",
    "write_error_file",
]

ERROR_FILE_ENV = "TORCHELASTIC_ERROR_FILE"
MAX_BYTES = 64 * 1024 * 1024
_COMPANIONS = {"timestamp", "extraInfo", "errorTraits", "errorCode"}
_BEFORE_JSON = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # byte order marks, the zeros of UTF-16, blanks
_BEGINNING = re.compile(r'\s*\{\s*"message"\s*:')


def parse_error_file(data: bytes) -> ErrorReport:
    """Return what the bytes of an error file say; raises `ErrorFileError`, and never another exception."""
    try:
        value, remarks = parse_json_object(data)
    except ErrorFileError as error:
        error.partial = _partial_report(data)
        raise
    return report_from_data(value, remarks)


def read_error_file(path: str | os.PathLike[str]) -> ErrorReport:
    """Return what an error file says; raises `ErrorFileError` with the path, and the original as its cause."""
    name = os.fspath(path)
    try:
        return parse_error_file(_read_bytes(name))
    except ErrorFileError as error:
        error.path = name
        raise
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise ErrorFileError(f"cannot be read: {getattr(error, 'strerror', None) or error}", name) from error


def looks_like_error_file(data: bytes) -> bool:
    """Whether the bytes are, or before they were damaged began as, an error file: other JSON is not."""
    if not data[:64].lstrip(_BEFORE_JSON).startswith(b"{"):
        return False
    try:
        value, _ = parse_json_object(data)
    except ErrorFileError:
        return _BEGINNING.match(decode_text(data[:4096])[0]) is not None
    message = value.get("message")
    if isinstance(message, dict):
        return "message" in message or "extraInfo" in message
    return isinstance(message, str) and (len(value) == 1 or bool(_COMPANIONS & value.keys()))


def write_error_file(path: str | os.PathLike[str], data: dict[str, Any], *, replace: bool = False) -> bool:
    """Write a report; return whether it is this one that now stands there.

    The first report wins, also between processes, unless `replace` is set. A reader sees the whole report or none.
    Missing directories are made. Raises `OSError`, or what `json.dumps` raises.
    """
    target = Path(os.path.realpath(path))
    content = json.dumps(data).encode("ascii")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.parent / f".error-{os.getpid()}-{os.urandom(4).hex()}.tmp"
    try:
        _write_bytes(temporary, content)
        if not replace:
            return _put_in_place(temporary, target)
        temporary.replace(target)
        return True
    finally:
        temporary.unlink(missing_ok=True)


def _partial_report(data: bytes) -> ErrorReport | None:
    value = salvage_json_object(data)
    if value is None or "message" not in value:
        return None
    return report_from_data(value, ("truncated",))


def _read_bytes(name: str) -> bytes:
    with open(name, "rb", opener=_open_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ErrorFileError("no regular file")
        if status.st_size > MAX_BYTES:
            raise ErrorFileError(f"larger than {MAX_BYTES // 1024**2} MiB")
        return file.read(MAX_BYTES)


def _open_without_waiting(name: str, flags: int) -> int:
    """Open without waiting for the other end, should the path be a pipe."""
    return os.open(name, flags | os.O_NONBLOCK)


def _write_bytes(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # the umask decides who may read it
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)


def _put_in_place(temporary: Path, target: Path) -> bool:
    """Give the finished file its name unless a report has it already; an empty regular file is no report."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        if not target.exists():
            temporary.replace(target)
            return True
    else:
        return True
    status = target.stat()
    if not stat.S_ISREG(status.st_mode):
        raise FileExistsError(f"{target} is no regular file")
    if status.st_size == 0:
        temporary.replace(target)
        return True
    return False
