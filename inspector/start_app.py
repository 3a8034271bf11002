"""Whether the TUI can start here, and starting it.

Owns the conditions (three terminals, a TERM that is not dumb) and the keyboard when standard input was a pipe.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["can_start_app", "run_app"]

_KEYBOARD = "/dev/tty"


def can_start_app(*, reads_stdin: bool, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether keys can be read and a screen be drawn; a job's text on stdin leaves the keys to the terminal itself."""
    if environ.get("TERM", "dumb") in {"", "dumb"}:
        return False
    streams = (sys.stdout, sys.stderr) if reads_stdin else (sys.stdin, sys.stdout, sys.stderr)
    if any(stream is None or not stream.isatty() for stream in streams):
        return False
    return not reads_stdin or _has_keyboard()


def _has_keyboard() -> bool:
    try:
        os.close(os.open(_KEYBOARD, os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def run_app(paths: Sequence[str], run: str | None, attempt: int | None) -> int:
    """Run the TUI until it is left and return its exit status."""
    if "-" in paths:
        _keep_stdin_and_reopen_keyboard()
    from inspector.app import InspectorApp  # noqa: PLC0415 - Textual is loaded for the TUI alone

    app = InspectorApp(paths, run=run, attempt=attempt)
    app.run()
    return app.return_code or 0


def _keep_stdin_and_reopen_keyboard() -> None:
    """Read the pipe to its end, let `sys.stdin` give that text again, and make descriptor 0 the terminal."""
    if not sys.stdin.isatty():
        sys.stdin = io.TextIOWrapper(io.BytesIO(sys.stdin.buffer.read()), encoding="utf-8", errors="surrogateescape")
        keyboard = os.open(_KEYBOARD, os.O_RDWR | os.O_NOCTTY)
        os.dup2(keyboard, 0)
        os.close(keyboard)
