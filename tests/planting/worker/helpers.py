"""What goes wrong in processes that a worker starts, and what helpers leave behind at its end."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.shared_memory import SharedMemory

import torch.multiprocessing as mp

__all__ = ["leak_shared_memory", "leave_broken_object", "map_in_pool", "run_tool", "spawn_preprocessing"]


def _tokenize(index: int) -> None:
    raise UnicodeError(f"part {index}: byte 0xff at 1204 is no UTF-8")


def spawn_preprocessing() -> None:
    """Start a helper process that fails."""
    mp.spawn(_tokenize, nprocs=1)


def map_in_pool() -> None:
    """Let a process of a pool fail."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        list(pool.map(_tokenize, [4]))


def run_tool() -> None:
    """Run a tool that prints a traceback of its own and fails."""
    subprocess.run([sys.executable, "-c", "raise SystemError('merges.txt: line 1042 is no pair')"], check=True)


def leak_shared_memory() -> None:
    """Leave shared memory behind, so that Python warns about it after the end of the worker."""
    SharedMemory(create=True, size=4096)


class _Writer:
    def __del__(self) -> None:
        raise BrokenPipeError(32, "Broken pipe")


def leave_broken_object() -> None:
    """Drop an object whose finalizer fails: Python prints a traceback, ignores it and goes on."""
    _Writer()
