"""What goes wrong in loading and saving checkpoints."""

from __future__ import annotations

import os
import resource
import socket
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist

__all__ = [
    "fail_on_full_disk",
    "load_truncated",
    "report_to_busy_port",
    "save_on_full_disk",
    "save_over_limit",
    "upload_after_the_end",
]


def load_truncated() -> None:
    """Load a checkpoint whose end is missing."""
    path = Path(tempfile.gettempdir(), f"step-400-{os.environ['LOCAL_RANK']}.pt")
    torch.save({"weights": torch.ones(2000)}, path)
    path.write_bytes(path.read_bytes()[:3000])
    torch.load(path)


def save_on_full_disk() -> None:
    """Write to a device that is full."""
    with Path("/dev/full").open("wb") as file:
        torch.save({"weights": torch.ones(200_000)}, file)


def save_over_limit() -> None:
    """Write more than a file may hold (EFBIG)."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
    path = Path(tempfile.gettempdir(), "step-500.bin")
    path.write_bytes(bytes(1 << 20))


def fail_on_full_disk() -> None:
    """Fail when there is no room for the report either: error file and log are cut."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
    raise ValueError("optimizer state has 3 groups, the checkpoint has 2")


def report_to_busy_port() -> None:
    """Open a store of one's own on a port that somebody holds."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        dist.TCPStore("127.0.0.1", other.getsockname()[1], is_master=True)


def upload_after_the_end() -> None:
    """Fail when the others have long ended well."""
    time.sleep(1.5)
    raise PermissionError(13, "Permission denied", "/archive/final.pt")
