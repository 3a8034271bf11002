"""Leave the app for a moment and print plain text, where the terminal's own selection, scrollback and reader work."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from inspector.ending import ENDING_SIGNALS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.app import App

__all__ = ["show_bare_text"]

_RULE = "-" * 20
_KEYBOARD = 0  # `sys.stdin` may be a job's text


def show_bare_text(app: App[Any], text: str) -> None:
    """Print the text outside of the app and wait for Enter; signals end the process meanwhile, as usual."""
    with app.suspend(), _default_actions(), suppress(KeyboardInterrupt):
        sys.stdout.write(f"{text.rstrip()}\n{_RULE} Enter goes back\n")
        sys.stdout.flush()
        os.read(_KEYBOARD, 4096)


@contextmanager
def _default_actions() -> Iterator[None]:
    """Let signals do what they do in any program: nothing of the app is on the terminal, and its loop does not run."""
    before: dict[int, Any] = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING_SIGNALS}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
