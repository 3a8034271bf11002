"""Train a tiny model over gloo; the plan in the environment says what goes wrong where."""

from __future__ import annotations

import datetime as dt
import os
import time
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record

from tests.planting.worker.faults import FAULTS
from tests.planting.worker.hooks import ATTEMPT, RANK, announce, is_planted, run_hooks, training_groups, wrapped

STEPS = int(os.environ.get("PLANTED_STEPS", "8"))
TIMEOUT = dt.timedelta(seconds=float(os.environ.get("PLANTED_TIMEOUT", "20")))


def connect() -> None:
    """Join the job with a patient default group and make the group for training, which has the short timeout."""
    dist.init_process_group("gloo", timeout=dt.timedelta(seconds=60), **_fresh_store())
    dist.barrier()
    training_groups.append(dist.new_group(timeout=TIMEOUT))
    dist.barrier(group=training_groups[-1])


def _fresh_store() -> dict[str, Any]:
    """Keep a restarted group away from the addresses that the attempt before left in the launcher's store."""
    if ATTEMPT == 0 or os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True" or is_planted("reuse_store"):
        return {}
    store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False)
    fresh = dist.PrefixStore(f"attempt-{ATTEMPT}", store)
    return {"store": fresh, "rank": RANK, "world_size": int(os.environ["WORLD_SIZE"])}


def train() -> None:
    """Run the steps; every step ends with an all_reduce, so nobody gets more than one step ahead."""
    group = training_groups[-1]
    weights = torch.ones(64)
    for step in range(STEPS):
        run_hooks(FAULTS, "load", step)
        run_hooks(FAULTS, "compute", step)
        dist.all_reduce(weights, group=group)
        weights /= dist.get_world_size()
        announce(f"step-{step}")
        if RANK == 0:
            print(f"step {step} loss {1 / (step + 1):.4f}", flush=True)
        time.sleep(0.02)
    run_hooks(FAULTS, "save")
    dist.barrier(group=group)


def main() -> None:
    """Do the whole job."""
    announce("started")
    run_hooks(FAULTS, "start")
    connect()
    announce("connected")
    run_hooks(FAULTS, "resume")
    wrapped(FAULTS, train)()
    dist.destroy_process_group()
    run_hooks(FAULTS, "end")


if __name__ == "__main__":
    if os.environ.get("PLANTED_RECORD") == "1":
        main = record(main)
    main()
