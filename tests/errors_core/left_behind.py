"""Builders for what a dead job leaves on disk: error files, rank directories, launcher's logs."""

from __future__ import annotations

import json
from pathlib import Path

NOON = 1796126400  # 2026-12-01 12:00:00 UTC
DAY = 86400


def report(message: str = "ValueError: bad batch", timestamp: int = NOON, **extra: str) -> str:
    """What torch writes into an error file."""
    kind, _, words = message.partition(": ")
    stack = (
        "Traceback (most recent call last):\n"
        '  File "/workspace/train.py", line 12, in main\n'
        "    step(batch)\n"
        f"{kind}: {words}\n"
    )
    info = {"py_callstack": stack, "timestamp": str(timestamp), **extra}
    return json.dumps({"message": {"message": message, "extraInfo": info}})


def write(path: Path, text: str = "") -> Path:
    """Write a file and the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write_run(
    directory: Path, failed: dict[int, str], *, ranks: int = 2, attempt: int = 0, base: int | None = None
) -> Path:
    """Write a run's log directory: an error file for each rank of `failed`, empty logs for all.

    `base` is the global rank of local rank 0; with it the logs carry the prefixes of torch.
    """
    for local_rank in range(ranks):
        place = directory / f"attempt_{attempt}" / str(local_rank)
        line = "" if base is None else f"[rank{base + local_rank}]: starting\n"
        write(place / "stderr.log", line)
        write(place / "stdout.log")
        if local_rank in failed:
            write(place / "error.json", failed[local_rank])
    return directory


def launcher_log(
    ends: dict[int, tuple[int, int]],
    *,
    host: str = "gpu-node-01",
    base: int = 0,
    time: str = "2026-12-01_12:00:01",
    error_files: dict[int, str] | None = None,
) -> str:
    """What torchrun 2.13 prints at its end: `ends` has pid and exit code by local rank, the first one is the root.

    `error_files` has the paths by local rank; `<N/A>` stands for the others.
    """

    def entry(index: int, local_rank: int) -> list[str]:
        pid, code = ends[local_rank]
        return [
            f"[{index}]:",
            f"  time      : {time}",
            f"  host      : {host}",
            f"  rank      : {base + local_rank} (local_rank: {local_rank})",
            f"  exitcode  : {code} (pid: {pid})",
            f"  error_file: {(error_files or {}).get(local_rank, '<N/A>')}",
            "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        ]

    root, *others = ends
    pid, code = ends[root]
    prefix = "E1201 12:00:01.500000 900 torch/distributed/elastic/multiprocessing/api.py:1002]"
    lines = [f"{prefix} failed (exitcode: {code}) local_rank: {root} (pid: {pid}) of binary: /opt/venv/bin/python3"]
    lines += ["=" * 60, "train.py FAILED", "-" * 60, "Failures:"]
    for index, local_rank in enumerate(others, start=1):
        lines += entry(index, local_rank)
    if not others:
        lines.append("  <NO_OTHER_FAILURES>")
    lines += ["-" * 60, "Root Cause (first observed failure):", *entry(0, root), "=" * 60, ""]
    return "\n".join(lines)
