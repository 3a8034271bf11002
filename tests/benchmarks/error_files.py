"""A job directory of any number of error files: hosts with eight workers each, collected in one place.

Owns the files. The same number gives the same tree. One worker ran out of memory, all others waited for it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["LOCAL_WORLD_SIZE", "write_error_files"]

LOCAL_WORLD_SIZE = 8
_DIED = 1796102978


def write_error_files(directory: Path, workers: int) -> int:
    """Write one error file a worker and return the rank of the one that broke the job."""
    culprit = workers // 3
    for rank in range(workers):
        host, local_rank = divmod(rank, LOCAL_WORLD_SIZE)
        place = directory / f"node-{host}" / "job-4471_k3v9x0ab" / "attempt_0" / str(local_rank)
        place.mkdir(parents=True)
        report = _out_of_memory(local_rank) if rank == culprit else _timeout(rank)
        (place / "error.json").write_text(json.dumps(report), encoding="utf-8")
    return culprit


def _out_of_memory(local_rank: int) -> dict[str, Any]:
    message = f"CUDA out of memory. Tried to allocate 2.00 GiB. GPU {local_rank} has a total capacity of 79.11 GiB"
    return _report(f"OutOfMemoryError: {message}", f"torch.OutOfMemoryError: {message}", _DIED)


def _timeout(rank: int) -> dict[str, Any]:
    message = (
        f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88123, OpType=ALLREDUCE, "
        f"NumelIn=26214400, NumelOut=26214400, Timeout(ms)=600000) ran for {600000 + rank % 97} milliseconds before "
        "timing out."
    )
    return _report(f"DistBackendError: {message}", f"torch.distributed.DistBackendError: {message}", _DIED + 600)


def _report(message: str, last_line: str, timestamp: int) -> dict[str, Any]:
    extra = {"py_callstack": f"{_FRAMES}{last_line}\n", "timestamp": str(timestamp)}
    return {"message": {"message": message, "extraInfo": extra}}


_FRAMES = """\
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", \
line 367, in wrapper
    return f(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^
  File "/workspace/train.py", line 159, in main
    trainer.fit(model, loader)
  File "/workspace/trainer.py", line 88, in fit
    loss = self.step(model, batch)
           ^^^^^^^^^^^^^^^^^^^^^^^
  File "/workspace/trainer.py", line 131, in step
    loss = model(batch)
           ^^^^^^^^^^^^
  File "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1775, in _call_impl
    return forward_call(*args, **kwargs)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/workspace/model/attention.py", line 57, in forward
    scores = query @ key.transpose(-2, -1)
             ~~~~~~^~~~~~~~~~~~~~~~~~~~~~~
"""
