"""Ending the app from outside: SIGTERM and SIGHUP leave the terminal as it was found."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

__all__ = ["ENDING_SIGNALS", "end_on_signals"]

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


def end_on_signals(app: App[Any]) -> None:
    """Leave the app with 128 + n on an ending signal.

    The handlers belong to the running loop: one set with `signal.signal` waits for the next key in an idle app.
    """
    loop = asyncio.get_running_loop()
    for number in ENDING_SIGNALS:
        loop.add_signal_handler(number, _end, app, number)


def _end(app: App[Any], number: int) -> None:
    app.exit(return_code=128 + number)
