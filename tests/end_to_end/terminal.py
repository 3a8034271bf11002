"""A real pseudo-terminal with a screen: starts the command, presses keys, waits for what shows, keeps every byte."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyte

__all__ = ["Terminal", "open_terminal"]

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 30.0
# What the terminal that the tests run in says about itself.
DROPPED = frozenset(
    [
        "SSH_CONNECTION",
        "SSH_TTY",
        "TMUX",
        "NO_COLOR",
        "COLORTERM",
        "COLORFGBG",
        "TEXTUAL_THEME",
        "LC_ALL",
        "LC_CTYPE",
        "COLUMNS",
        "LINES",
    ]
)
ALTERNATE = re.compile(rb"(\x1b\[\?1049[hl])")
KITTY = re.compile(rb"\x1b\[[><=?][0-9;]*u")  # pyte would print the rest of what it does not know


class Terminal:
    """One process on one terminal. `raw` holds every byte that it wrote."""

    def __init__(self, process: subprocess.Popen[bytes], master: int, size: tuple[int, int]) -> None:
        self.process = process
        self.master = master
        self.size = size
        self.screen = self._main = pyte.Screen(*size)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.before: list[Any] = termios.tcgetattr(master)

    @staticmethod
    def command_line(args: Sequence[str]) -> str:
        """What a shell is told to run the inspector."""
        return shlex.join([sys.executable, "-m", "inspector", *args])

    def press(self, keys: str | bytes) -> None:
        os.write(self.master, keys.encode() if isinstance(keys, str) else keys)

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Read until the condition holds; fail with the screen when the deadline passes."""
        end = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < end, f"waited in vain for {what}; the screen shows:\n{self.text}"
            if not self._read(0.05) and self.process.poll() is not None:
                assert condition(), (
                    f"ended with {self.process.returncode} before {what}:\n{self.text}\n{self.raw[-300:]!r}"
                )

    def wait_for(self, text: str) -> None:
        self.wait_until(lambda: text in self.text, repr(text))

    def wait_for_end(self) -> int:
        self.wait_until(lambda: self.process.poll() is not None, "the end")
        while self._read(0.05):
            pass
        return self.process.returncode

    def settle(self) -> None:
        """Read until the program has been quiet for a while."""
        while self._read(0.4):
            pass

    def bytes_after(self, keys: str) -> int:
        """Press keys and count what the program writes before it is quiet."""
        self.settle()
        start = len(self.raw)
        self.press(keys)
        self.wait_until(lambda: len(self.raw) > start, f"an answer to {keys!r}")
        self.settle()
        return len(self.raw) - start

    def _read(self, seconds: float) -> bool:
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other end was closed
            return False
        self.raw += data
        for part in ALTERNATE.split(KITTY.sub(b"", data)):
            self._feed(part)
        return bool(data)

    def _feed(self, data: bytes) -> None:
        """Draw; pyte itself has no alternate screen."""
        if data == b"\x1b[?1049h":
            self.screen = pyte.Screen(*self.size)
        elif data == b"\x1b[?1049l":
            self.screen = self._main
        else:
            self._stream.feed(data)
            return
        self._stream = pyte.ByteStream(self.screen)

    def resize(self, columns: int, lines: int) -> None:
        self.size = (columns, lines)
        self.screen.resize(lines, columns)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


@contextmanager
def open_terminal(
    args: Sequence[str],
    *,
    size: tuple[int, int] = (80, 24),
    environ: Mapping[str, str] | None = None,
) -> Iterator[Terminal]:
    """Run `python -m inspector ARGS` on a terminal of its own, or another command, named by the path of its program."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    program = args and args[0].startswith("/") and Path(args[0]).is_file()
    process = subprocess.Popen(
        [*args] if program else [sys.executable, "-m", "inspector", *args],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=ROOT,
        env=_environment(environ or {}),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - nothing else makes it the controlling one
    )
    os.close(slave)
    try:
        yield Terminal(process, master, size)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(master)


def _environment(changes: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in DROPPED}
    return kept | {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | dict(changes)
