"""Take text out of the app: into tmux's buffer, to the terminal as OSC 52, or into a file.

Owns the order of these three and words that claim no more than was done: no terminal says whether it took a text.
It refuses to wrap OSC 52 for tmux: by default tmux drops that without a word.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import TYPE_CHECKING

from inspector.presentation.words import count

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["send_text"]

# Some terminals cut or drop a longer sequence; base64 makes 4 characters of 3 bytes.
_MOST_FOR_TERMINAL = 3000
_TMUX_SECONDS = 3.0


def send_text(text: str, write_osc52: Callable[[str], None], environ: Mapping[str, str] = os.environ) -> str:
    """Send text on the first way that is open, and return in words what was done.

    `write_osc52` writes the sequence to the terminal. Blocks for up to three seconds when tmux does not answer.
    """
    size = _size(len(text.encode()))
    if environ.get("TMUX") and _load_tmux_buffer(text):
        return f"put {size} into tmux's paste buffer; tmux may pass it on to the terminal"
    if len(text.encode()) * 4 // 3 <= _MOST_FOR_TERMINAL:
        write_osc52(text)
        return f"sent {size} to the terminal, which may ignore it; b shows bare text"
    try:
        return f"wrote {size} to {_write_file(text)}"
    except OSError as error:
        return f"could not write a file: {error.strerror}; b shows it as bare text"


def _load_tmux_buffer(text: str) -> bool:
    """Give the text to tmux (3.2 or newer) and let it set the terminal's clipboard; return whether it took it."""
    try:
        done = subprocess.run(
            ["tmux", "load-buffer", "-w", "-"],
            input=text.encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TMUX_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _write_file(text: str) -> str:
    """Write the text to a new file that only its owner can read, and return its path."""
    descriptor, path = tempfile.mkstemp(prefix="elastic-inspect-", suffix=".txt")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _size(size: int) -> str:
    return count(size, "byte") if size < 1000 else f"{size / 1000:.1f} kB"
