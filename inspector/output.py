"""Where a report goes: to standard output as that can take it, or whole into a file.

Owns encodings, colours and what happens when the reader goes away. It refuses to know what is written.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
from typing import TYPE_CHECKING

from inspector.presentation.lines import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from inspector.presentation.lines import Line, Role

__all__ = ["ascii_wanted", "colour_wanted", "coloured", "page_width", "uncoloured", "write_file", "write_stdout"]

_SGR: Mapping[Role, str] = {"strong": "1", "title": "1", "error": "31", "warning": "33", "dim": "2"}


def ascii_wanted(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether standard output can take ASCII alone: by its encoding, or because the locale is plain C."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "").replace("_", "")
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    return encoding != "utf8" or locale in {"C", "POSIX"}


def colour_wanted(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether standard output is a terminal that colours may be sent to."""
    if "NO_COLOR" in environ or environ.get("TERM", "dumb") == "dumb":
        return False
    return sys.stdout is not None and sys.stdout.isatty()


def page_width() -> int:
    """Return 80, or the width of the terminal within reason when standard output is one."""
    if sys.stdout is None or not sys.stdout.isatty():
        return 80
    return min(max(shutil.get_terminal_size((80, 24)).columns, 40), 120)


def coloured(lines: Iterable[Line]) -> Iterator[str]:
    """Yield lines with the few colours that help to find one's way; they carry no meaning of their own."""
    for parts in lines:
        yield "".join(
            f"\x1b[{_SGR[role]}m{text}\x1b[0m" if role in _SGR and text.strip() else text for text, role in parts
        )


def uncoloured(lines: Iterable[Line]) -> Iterator[str]:
    """Yield lines as plain text."""
    return (plain(parts).rstrip(" ") for parts in lines)


def write_stdout(lines: Iterable[str]) -> None:
    """Print lines; when the reader goes away (`| head`) the rest is dropped without a word."""
    if sys.stdout is None:
        return
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a text file, unless replaced
    try:
        for text in lines:
            sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # Python flushes once more when it ends
        os.close(nowhere)


def write_file(path: Path, lines: Iterable[str]) -> None:
    """Write lines as UTF-8 so that a reader of `path` sees the whole report or what was there before.

    What is no regular file (a terminal, a pipe) is written to directly. Raises `OSError` that names `path`.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8") as stream:
            stream.writelines(f"{text}\n" for text in lines)
        return
    unfinished = target.with_name(f".{target.name[:50]}.{secrets.token_hex(4)}")
    try:
        with unfinished.open("x", encoding="utf-8") as stream:
            stream.writelines(f"{text}\n" for text in lines)
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink()
