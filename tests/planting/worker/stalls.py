"""Workers that stop taking part, and the barriers that notice."""

from __future__ import annotations

import datetime as dt
import signal
import time

import torch.distributed as dist

__all__ = ["ignore_sigterm", "sleep_long", "wait_for_everybody"]


def sleep_long() -> None:
    """Wait for something that never comes."""
    time.sleep(600)


def ignore_sigterm() -> None:
    """Refuse to be stopped politely, from now on."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def wait_for_everybody() -> None:
    """Ask rank 0 to find out who is missing."""
    dist.monitored_barrier(timeout=dt.timedelta(seconds=3), wait_all_ranks=True)
