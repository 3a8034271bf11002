"""A launcher's log of any size: eight workers that train for long, then one of them dies and the others follow.

Owns the text. The same size gives the same bytes. Ranks, hosts and numbers are made up; the shapes are those of
torchrun 2.13 with `--tee 3`, Python's logging, tqdm and NCCL.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["CULPRIT", "WORLD_SIZE", "write_launcher_log"]

WORLD_SIZE = 8
CULPRIT = 5
_FIRST_PID = 4375
_STEPS = 500  # in one part of about 500 KB
_PARTS_BETWEEN_INCIDENTS = 40
_OVERWRITE = "\r"


def write_launcher_log(path: Path, size: int) -> None:
    """Write a log of at most so many bytes, less than one line short of them."""
    ending = _ending().encode()
    with path.open("wb") as file:
        file.write(_beginning().encode())
        for part in _parts():
            data = part.encode()
            left = size - len(ending) - file.tell()
            if len(data) > left:
                file.write(data[: data.rfind(b"\n", 0, max(0, left)) + 1])
                break
            file.write(data)
        file.write(ending)


def _parts() -> Iterator[str]:
    """Yield what healthy workers write: progress of every rank, a progress bar, a checkpoint, seldom a retry."""
    step = 0
    while True:
        lines = [line for at in range(step, step + _STEPS) for line in _progress(at)]
        step += _STEPS
        yield "".join((*lines, _progress_bar(step), _checkpoint(step)))
        if step // _STEPS % _PARTS_BETWEEN_INCIDENTS == 0:
            yield _incident(step)


def _progress(step: int) -> Iterator[str]:
    clock = _clock(step)
    for rank in range(WORLD_SIZE):
        noise = (step * 7919 + rank * 104729) % 9973
        yield (
            f"[default{rank}]:{clock},{noise % 1000:03} INFO train.loop step={step} loss={2 + noise / 9973:.4f} "
            f"grad_norm={noise / 4000:.3f} lr={3e-4:.2e} tokens/s={11000 + noise % 900} mem=61.{noise % 10}GiB\n"
        )


def _progress_bar(step: int) -> str:
    """Return what tqdm leaves in a file: one line that a terminal would overwrite again and again."""
    bars = (
        f"{at % 100:3}%|{'█' * (at % 100 // 10):10}| {at}/2000000 [{at // 120}:{at % 60:02}<9:14:07, 2.01it/s]"
        for at in range(step - _STEPS, step, 25)
    )
    return f"[default0]:{_OVERWRITE.join(bars)}\n"


def _checkpoint(step: int) -> str:
    clock = _clock(step)
    return (
        f"[default0]:{clock},120 INFO train.checkpoint saving step {step} to /ckpt/step_{step:08}.pt\n"
        "[default3]:/opt/venv/lib/python3.11/site-packages/torch/utils/data/sampler.py:77: UserWarning: "
        "`data_source` is not used and will be removed.\n"
        f"[default0]:{clock},950 INFO train.checkpoint saved step {step} in 0.83 s\n"
    )


def _incident(step: int) -> str:
    """Return what looks like a failure and was none: an error that somebody logged and went on."""
    rank = step // _STEPS % WORLD_SIZE
    lines = [f"{_clock(step)},417 WARNING data.shards retry 1 of 5", *_HANDLED.splitlines()]
    return "".join(f"[default{rank}]:{line}\n" for line in lines)


def _clock(step: int) -> str:
    minutes, seconds = divmod(step // 2, 60)
    return f"2026-11-{1 + minutes // 1440 % 28:02} {minutes // 60 % 24:02}:{minutes % 60:02}:{seconds:02}"


def _beginning() -> str:
    rule = "*" * 41
    advice = "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default"
    launcher = "W1101 00:00:00.455000 4370 torch/distributed/run.py:874] "
    lines = [launcher + text for text in ("", rule, advice, rule)]
    for rank in range(WORLD_SIZE):
        where = f"[default{rank}]:gpu-node-01:{_FIRST_PID + rank}:{_FIRST_PID + rank} [{rank}] NCCL INFO "
        lines += [where + "Bootstrap: Using eth0:10.0.0.1<0>", where + "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0"]
        lines += [f"{where}Channel {channel:02}/16 : 0 1 2 3 4 5 6 7" for channel in range(16)]
    return "\n".join(lines) + "\n"


def _ending() -> str:
    others = [rank for rank in range(WORLD_SIZE) if rank != CULPRIT]
    agent = "1130 12:10:12.052000 4370 torch/distributed/elastic/multiprocessing/api.py"
    failed = (
        f"failed (exitcode: 1) local_rank: {CULPRIT} (pid: {_FIRST_PID + CULPRIT}) of binary: /opt/venv/bin/python3"
    )
    lines = [
        *(f"[default{CULPRIT}]:{line}" for line in _FATAL.splitlines()),
        *map(_timeout, others),
        *(f"W{agent}:1028] Sending process {_FIRST_PID + rank} closing signal SIGTERM" for rank in others),
        f"E{agent}:1002] {failed}",
        *_LAUNCHERS_OWN.splitlines(),
        *_summary(others),
    ]
    return "\n".join(lines) + "\n"


def _timeout(rank: int) -> str:
    return (
        f"[default{rank}]:[rank{rank}]:[E1130 12:10:0{rank}.118923671 ProcessGroupNCCL.cpp:685] [Rank {rank}] Watchdog "
        "caught collective operation timeout: WorkNCCL(SeqNum=88123, OpType=ALLREDUCE, NumelIn=26214400, "
        "NumelOut=26214400, Timeout(ms)=600000) ran for 600091 milliseconds before timing out."
    )


def _summary(others: list[int]) -> Iterator[str]:
    yield from ("=" * 60, "train.py FAILED", "-" * 60, "Failures:")
    for index, rank in enumerate(others, start=1):
        yield from _failure(index, rank, "-15", f"Signal 15 (SIGTERM) received by PID {_FIRST_PID + rank}")
    yield from ("-" * 60, "Root Cause (first observed failure):")
    yield from _failure(0, CULPRIT, "1", "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html")
    yield "=" * 60


def _failure(index: int, rank: int, exitcode: str, text: str) -> Iterator[str]:
    yield f"[{index}]:"
    yield "  time      : 2026-11-30_12:10:12"
    yield "  host      : gpu-node-01"
    yield f"  rank      : {rank} (local_rank: {rank})"
    yield f"  exitcode  : {exitcode} (pid: {_FIRST_PID + rank}){'  (SIGTERM)' if exitcode == '-15' else ''}"
    yield "  error_file: <N/A>"
    yield f"  traceback : {text}"


_HANDLED = """\
Traceback (most recent call last):
  File "/workspace/data/shards.py", line 88, in open_shard
    return self.client.get(url)
           ^^^^^^^^^^^^^^^^^^^^
  File "/workspace/data/client.py", line 41, in get
    raise ConnectionResetError(104, "Connection reset by peer")
ConnectionResetError: [Errno 104] Connection reset by peer
"""
_FATAL = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 159, in <module>
    main()
  File "/workspace/train.py", line 131, in main
    loss = model(batch)
           ^^^^^^^^^^^^
  File "/workspace/model/attention.py", line 57, in forward
    scores = query @ key.transpose(-2, -1)
             ~~~~~~^~~~~~~~~~~~~~~~~~~~~~~
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 5 has a total capacity of 79.11 GiB of \
which 1.25 GiB is free.
"""
_LAUNCHERS_OWN = """\
Traceback (most recent call last):
  File "/opt/venv/bin/torchrun", line 8, in <module>
    sys.exit(main())
             ^^^^^^
  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/run.py", line 1028, in main
    run(args)
  File "/opt/venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 383, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
"""
