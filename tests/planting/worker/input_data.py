"""What goes wrong in reading and preparing samples."""

from __future__ import annotations

import errno
import os
import resource
import signal
import struct
from pathlib import Path

import torch
from torch.utils.data import DataLoader

__all__ = [
    "decode_header",
    "download_shard",
    "fetch_batches",
    "fetch_batches_killed",
    "flatten_nested",
    "open_manifest",
    "open_shards",
    "parse_labels",
    "read_captions",
    "read_huge_record",
    "read_node_cache",
    "read_sample",
]


_held: list[int] = []


def decode_header() -> None:
    """Meet a shard that is shorter than its header."""
    struct.unpack(">IIQ", b"\x00\x00\x01\x02")


def parse_labels() -> list[int]:
    """Meet a label that is no number."""
    return [int(field) for field in ["3", "7", "n/a", "1"]]


def read_sample() -> str:
    """Ask for a sample behind the end of the shard."""
    shard = ["a", "b", "c"]
    return shard[17]


def open_manifest() -> str:
    """Report a missing file as an error of one's own."""
    path = Path("/data/imagenet/manifest-00004.json")
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as missing:
        raise RuntimeError(f"cannot prepare the training split from {path.parent}") from missing


def read_node_cache() -> bytes:
    """Miss a directory that was not mounted on this node."""
    return Path("/mnt/cache/tokens-000.bin").read_bytes()


def download_shard() -> None:
    """Lose the object store, not a peer: the words are those of a lost peer."""
    try:
        raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
    except ConnectionResetError as lost:
        url = "https://storage.example.com/corpus/shard-0412.tar"
        raise OSError(f"giving up on {url} after 3 tries: Connection reset by peer") from lost


def open_shards() -> None:
    """Open files until the limit is reached, and still hold them when the error is raised."""
    soft = len(list(Path("/proc/self/fd").iterdir())) + 8
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, soft))
    while True:
        _held.append(os.open("/dev/null", os.O_RDONLY))


def read_captions() -> None:
    """Raise a message of several lines in several scripts that quotes somebody else's traceback."""
    raise ValueError(
        "caption 1742 is damaged: «Straße — 東京タワー 🗼»\n"
        "  expected: NFC, at most 77 tokens\n"
        "  got:      81 tokens, \x1b[31mnot NFC\x1b[0m\n"
        "The tokenizer server answered:\n"
        "  RuntimeError: Connection closed by peer [10.1.0.7]:4711\n"
        "skip it with --skip-damaged"
    )


def read_huge_record() -> None:
    """Quote a whole record in the message."""
    raise ValueError("record 88 does not match the schema: " + ", ".join(f"field_{n}={n * n}" for n in range(9000)))


def flatten_nested(depth: int = 0) -> int:
    """Descend without end, through two functions so that Python cannot fold the frames."""
    return _flatten_children(depth + 1)


def _flatten_children(depth: int) -> int:
    return flatten_nested(depth + 1)


class _Images:
    """A dataset whose sample 13 cannot be read in the way that `how` says."""

    def __init__(self, how: str) -> None:
        self.how = how

    def __len__(self) -> int:
        return 32

    def __getitem__(self, index: int) -> torch.Tensor:
        if index == 13 and self.how == "corrupt":
            raise ValueError(f"corrupt sample {index}: expected 3 channels, got 4")
        if index == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        return torch.zeros(3)


def fetch_batches() -> None:
    """Let a loader process raise."""
    for _ in DataLoader(_Images("corrupt"), batch_size=4, num_workers=2):
        pass


def fetch_batches_killed() -> None:
    """Let a loader process be killed."""
    for _ in DataLoader(_Images("killed"), batch_size=4, num_workers=2):
        pass
