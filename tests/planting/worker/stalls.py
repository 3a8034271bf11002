"""Workers that stop taking part, and the barriers that notice."""

from __future__ import annotations

import datetime as dt
import signal
import sys
import time

import torch.distributed as dist

from tests.planting.worker.hooks import training_groups

__all__ = ["ignore_sigterm", "retry_forever", "sleep_long", "straggle", "wait_alone", "wait_for_everybody"]


def sleep_long() -> None:
    """Wait for something that never comes."""
    time.sleep(600)


def retry_forever() -> None:
    """Try again and again, and say so."""
    for attempt in range(1, 2000):
        sys.stderr.write(f"WARNING storage: read of shard-0412.tar stalled, retry {attempt}\n")
        sys.stderr.flush()
        time.sleep(0.3)


def straggle() -> None:
    """Come just too late for the others' time limit."""
    time.sleep(3.1)


def ignore_sigterm() -> None:
    """Refuse to be stopped politely, from now on."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def wait_alone() -> None:
    """Go into a barrier while the others are in an all_reduce."""
    dist.barrier(group=training_groups[-1])


def wait_for_everybody() -> None:
    """Ask rank 0 to find out who is missing."""
    dist.monitored_barrier(timeout=dt.timedelta(seconds=3), wait_all_ranks=True)
